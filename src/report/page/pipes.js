// Pipes over time inside one task of a kernel.
const pipeNames = ["scalar", "MTE2", "MTE1", "M", "FIXP", "V", "MTE3"];
const pipeMeaning = {
  scalar: "scalar",
  MTE2: "MTE2 load",
  MTE1: "MTE1 feed",
  M: "M matmul",
  FIXP: "FIXP drain",
  V: "V vector",
  MTE3: "MTE3 store",
};
const pipeGutter = 132,
  pipeRow = 24,
  pipeTop = 24;

class Pipes {
  constructor(inside, kernel, tooltip) {
    const p = inside.pipes;
    this.unit = decodeColumn(p.unit);
    this.begin = decodeColumn(p.begin);
    this.time = decodeColumn(p.time);
    this.op = decodeColumn(p.op);
    this.ops = p.ops;
    this.tooltip = tooltip;
    this.mixed = kernel.core === "mixed";
    this.rows = [...new Set(this.unit)].sort((a, b) => a - b);
    this.view = new TimeView(p.duration_ps / 1e6);
    this.order = this.rows.map((unit) =>
      [...this.unit.keys()].filter((i) => this.unit[i] === unit),
    );
    this.surface = new Surface(
      pipeTop + this.rows.length * pipeRow + 4,
      (c, w, h) => this.paint(c, w, h),
      { tabindex: 0, "aria-label": "pipes over time inside one task" },
    );
    this.view.follow(() => this.surface.refresh());
    steer(this.surface, this.view, pipeGutter);
    this.surface.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.surface.canvas.addEventListener("pointerleave", () => tooltip.hide());
    this.element = make("div", { class: "timeline" }, this.surface.element);
  }
  rowName(unit) {
    const pipe = pipeMeaning[pipeNames[unit % pipeNames.length]];
    return this.mixed ? `${unit < pipeNames.length ? "cube" : "vector"} ${pipe}` : pipe;
  }
  colour(op) {
    const list = palettes[currentScheme];
    return list[op % list.length];
  }
  paint(context, width) {
    const colours = themeColours();
    const scale = (width - pipeGutter) / this.view.span;
    const { step, at } = ticks(
      this.view.low,
      this.view.high,
      Math.floor((width - pipeGutter) / 110),
    );
    const label = timeLabels(this.view.low, this.view.high, step);
    context.font = `11px ${colours.sans}`;
    context.textBaseline = "middle";
    for (const us of at) {
      const x = pipeGutter + (us - this.view.low) * scale;
      const half = context.measureText(label(us)).width / 2;
      context.fillStyle = colours.line;
      context.fillRect(x, 18, 1, this.surface.height);
      context.fillStyle = colours.soft;
      context.textAlign = "center";
      context.fillText(label(us), Math.min(Math.max(x, pipeGutter + half), width - half), 9);
    }
    this.rows.forEach((unit, row) => {
      const y = pipeTop + row * pipeRow;
      context.fillStyle = colours.soft;
      context.textAlign = "right";
      context.fillText(this.rowName(unit), pipeGutter - 10, y + pipeRow / 2 - 2);
      context.fillStyle = colours.track;
      context.fillRect(pipeGutter, y, width - pipeGutter, pipeRow - 4);
      for (const i of this.order[row]) {
        const left = Math.max(
          pipeGutter,
          pipeGutter + (this.begin[i] / 1e6 - this.view.low) * scale,
        );
        const right = Math.min(
          width,
          pipeGutter + ((this.begin[i] + this.time[i]) / 1e6 - this.view.low) * scale,
        );
        if (right <= pipeGutter || left >= width) continue;
        context.fillStyle = this.colour(this.op[i]);
        context.fillRect(
          left,
          y,
          Math.max(0.6, right - left - (right - left > 3 ? 0.5 : 0)),
          pipeRow - 4,
        );
      }
    });
  }
  hover(event) {
    const row = Math.floor((event.offsetY - pipeTop) / pipeRow);
    const perPixel = this.view.span / Math.max(1, this.surface.width - pipeGutter);
    const ps = (this.view.low + (event.offsetX - pipeGutter) * perPixel) * 1e6;
    const slack = 2 * perPixel * 1e6;
    const found = this.order[row]?.find(
      (i) => ps >= this.begin[i] - slack && ps <= this.begin[i] + this.time[i] + slack,
    );
    if (found === undefined || event.buttons) return this.tooltip.hide();
    const op = this.ops[this.op[found]];
    this.tooltip.show(event, op.name, [
      ["pipe", this.rowName(this.rows[row])],
      ["result", op.tile],
      [
        "runs",
        `${time(this.begin[found] / 1e6)} to ${time((this.begin[found] + this.time[found]) / 1e6)}, ` +
          time(this.time[found] / 1e6),
      ],
      ["source", op.place],
    ]);
  }
}
