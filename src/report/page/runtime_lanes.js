// What the threads of the runtime did, on the time axis of the cores.
const threadHeight = 14;

class RuntimeLanes {
  constructor(data, view, tooltip) {
    const unit = data.tasks.tick_ps / 1e6;
    const { kinds, threads } = data.device.runtime;
    this.kinds = kinds;
    this.view = view;
    this.tooltip = tooltip;
    this.threads = threads.map((t) => {
      const begin = Float64Array.from(decodeColumn(t.begin), (n) => n * unit);
      const time = decodeColumn(t.time);
      return {
        name: t.name,
        kind: decodeColumn(t.kind),
        begin,
        end: begin.map((b, i) => b + time[i] * unit),
      };
    });
    const busy = kinds.map((_, k) => this.total((kind) => kind === k));
    const order = [...busy.keys()].sort((a, b) => busy[b] - busy[a]);
    this.palette = new Palette(order.reduce((rank, k, i) => ((rank[k] = i), rank), []));
    this.strength = () => 1;
    const height = axisHeight + 8 + threads.length * (threadHeight + 3);
    this.surface = new Surface(height, (c, w, h) => this.paint(c, w, h), {
      tabindex: 0,
      "aria-label": "threads of the runtime over time",
    });
    view.follow(() => this.surface.refresh());
    steer(this.surface, view, gutter);
    this.surface.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.surface.canvas.addEventListener("pointerleave", () => tooltip.hide());
    this.element = make("div", {}, this.legend(busy), this.surface.element);
  }
  total(wanted) {
    let sum = 0;
    for (const t of this.threads)
      for (let i = 0; i < t.kind.length; ++i) if (wanted(t.kind[i])) sum += t.end[i] - t.begin[i];
    return sum;
  }
  legend(busy) {
    return make(
      "div",
      { class: "legend" },
      this.kinds.map((name, k) =>
        make(
          "span",
          { class: "entry" },
          chip(this.palette, k),
          `${name} `,
          make("span", { class: "soft" }, time(busy[k])),
        ),
      ),
    );
  }
  rowOf(thread) {
    return axisHeight + 6 + thread * (threadHeight + 3);
  }
  paint(context, width, height) {
    const colours = themeColours();
    paintAxis(context, this.view, width, height, colours);
    this.threads.forEach((t, n) => {
      const y = this.rowOf(n);
      context.fillStyle = colours.soft;
      context.font = `10px ${colours.sans}`;
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(t.name, gutter - 8, y + threadHeight / 2);
      context.fillStyle = colours.track;
      context.fillRect(gutter, y, width - gutter, threadHeight);
      this.paintThread(context, t, y, width);
    });
  }
  paintThread(context, t, y, width) {
    const scale = (width - gutter) / this.view.span;
    const run = new PixelRun(context, this, y, threadHeight);
    for (let i = 0; i < t.kind.length; ++i) {
      if (t.end[i] < this.view.low || t.begin[i] > this.view.high) continue;
      const left = Math.max(gutter, gutter + (t.begin[i] - this.view.low) * scale);
      const right = Math.min(width, gutter + (t.end[i] - this.view.low) * scale);
      if (right - left < 1.5) {
        run.add(Math.floor(left), Math.max(right - left, 0.02), t.kind[i]);
        continue;
      }
      run.flush();
      context.globalAlpha = 1;
      context.fillStyle = this.palette.of(t.kind[i]);
      context.fillRect(left, y, right - left - (right - left > 4 ? 0.5 : 0), threadHeight);
    }
    run.flush();
    context.globalAlpha = 1;
  }
  hover(event) {
    const n = this.threads.findIndex(
      (_, i) => event.offsetY >= this.rowOf(i) && event.offsetY < this.rowOf(i) + threadHeight,
    );
    const perPixel = this.view.span / Math.max(1, this.surface.width - gutter);
    const us = this.view.low + (event.offsetX - gutter) * perPixel;
    const t = this.threads[n];
    const i = t ? t.begin.findIndex((b, k) => b <= us + perPixel && t.end[k] >= us - perPixel) : -1;
    if (event.buttons || i < 0) return this.tooltip.hide();
    this.tooltip.show(event, this.kinds[t.kind[i]], [
      ["thread", t.name],
      ["from", `${moment(t.begin[i])} to ${moment(t.end[i])}`],
      ["for", time(t.end[i] - t.begin[i])],
    ]);
  }
}

function runtimeSection(data, view, tooltip) {
  if (!data.device?.runtime.threads.length) return null;
  return section(
    "runtime",
    "Threads of the runtime",
    "The orchestrator submits tasks; scheduler threads complete and dispatch them. On the time axis of the cores.",
    new RuntimeLanes(data, view, tooltip).element,
  );
}
