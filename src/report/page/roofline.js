// The roofline: what each stage computes per second against what it computes per byte it must move.
// Under the slope HBM is the limit, under the flat part the cubes are.
function roofline(data, palette, tooltip) {
  const { hbm_gb_per_s: hbm, cube_tflops: peak } = data.machine;
  const point = (s, name, kernel) => {
    const moved = s.least_read + s.least_write;
    return {
      name,
      kernel,
      flops: 2 * s.macs,
      moved,
      us: s.total_us,
      intensity: (2 * s.macs) / moved,
      tflops: (2 * s.macs) / s.total_us / 1e6,
    };
  };
  const macs = data.stages.reduce((sum, s) => sum + s.macs, 0);
  const points = data.stages.map((s) => point(s, data.kernels[s.kernel].name, s.kernel));
  points.push(point({ ...data.all, macs }, "whole program", -1));
  const seen = points.filter((p) => p.flops > 0 && p.moved > 0 && p.us > 0);
  if (!hbm || seen.length === 0)
    return make("p", { class: "soft" }, "No stage uses the cube, so there is nothing to plot.");

  const ridge = (peak * 1e3) / hbm; // operations per byte where the roofs meet
  const low = (f) => 10 ** Math.floor(Math.log10(Math.min(...seen.map(f))) - 0.2);
  const xs = [
    Math.min(
      low((p) => p.intensity),
      1,
    ),
    10 ** Math.ceil(Math.log10(Math.max(ridge * 2, ...seen.map((p) => p.intensity)))),
  ];
  const ys = [low((p) => p.tflops), 10 ** Math.ceil(Math.log10(peak * 1.05))];
  const width = 600,
    height = 400,
    left = 58,
    right = 78,
    top = 16,
    bottom = 44;
  const log = (v, [a, b]) => Math.log(v / a) / Math.log(b / a);
  const x = (v) => left + log(v, xs) * (width - left - right);
  const y = (v) => height - bottom - log(v, ys) * (height - top - bottom);

  const svg = drawn("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "roofline",
  });
  for (let v = xs[0]; v <= xs[1] * 1.001; v *= 10)
    svg.append(
      drawn("line", { class: "grid", x1: x(v), x2: x(v), y1: top, y2: height - bottom }),
      drawn(
        "text",
        { x: x(v), y: height - bottom + 16, "text-anchor": "middle" },
        `${+v.toPrecision(3)}`,
      ),
    );
  for (let v = ys[0]; v <= ys[1] * 1.001; v *= 10)
    svg.append(
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
      drawn("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, `${+v.toPrecision(3)}`),
    );
  svg.append(
    drawn(
      "text",
      { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" },
      "operations per byte that must move",
    ),
    drawn(
      "text",
      {
        x: 14,
        y: (top + height - bottom) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 14 ${(top + height - bottom) / 2})`,
      },
      "Tera-operations per second",
    ),
    drawn("path", { class: "edge", d: roofPath(x, y, xs, ys, hbm, peak, ridge) }),
    drawn("text", { class: "strong", x: x(xs[1]) + 8, y: y(peak) + 4 }, `cubes ${grouped(peak)}`),
    slopeLabel(x, y, xs, ys, hbm, ridge),
  );
  for (const p of seen)
    svg.append(mark(p, x(p.intensity), y(p.tflops), palette, tooltip, hbm, peak));
  return svg;
}

function roofPath(x, y, xs, ys, hbm, peak, ridge) {
  const start = Math.max(xs[0], (ys[0] * 1e3) / hbm);
  return `M ${x(start)} ${y((start * hbm) / 1e3)} L ${x(ridge)} ${y(peak)} L ${x(xs[1])} ${y(peak)}`;
}

// Along the slope, above it.
function slopeLabel(x, y, xs, ys, hbm, ridge) {
  const from = Math.max(xs[0], (ys[0] * 1e3) / hbm);
  const at = from * (ridge / from) ** 0.22; // decode works near the middle: the points are there
  const rise = y((ridge * hbm) / 1e3) - y((from * hbm) / 1e3),
    run = x(ridge) - x(from);
  const angle = (Math.atan2(rise, run) * 180) / Math.PI;
  const px = x(at),
    py = y((at * hbm) / 1e3) - 7;
  return drawn(
    "text",
    {
      class: "strong",
      x: px,
      y: py,
      "text-anchor": "middle",
      transform: `rotate(${angle} ${px} ${py})`,
    },
    `HBM ${grouped(hbm)} GB/s`,
  );
}

function mark(p, px, py, palette, tooltip, hbm, peak) {
  const whole = p.kernel < 0;
  const circle = drawn(
    whole ? "rect" : "circle",
    whole
      ? { x: px - 6, y: py - 6, width: 12, height: 12, transform: `rotate(45 ${px} ${py})` }
      : { cx: px, cy: py, r: 6 },
  );
  onScheme(() => (circle.style.fill = whole ? "var(--ink)" : palette.of(p.kernel)));
  circle.style.stroke = "var(--surface)";
  circle.style.strokeWidth = 1.5;
  const roof = Math.min(peak, (p.intensity * hbm) / 1e3);
  tooltip.attach(circle, p.name, () => [
    [
      "computes",
      `${significant(p.tflops)} Tera-operations per second, ${percent(p.tflops / roof)} of its roof`,
    ],
    ["intensity", `${significant(p.intensity)} operations per byte`],
    ["must move", bytes(p.moved)],
    ["in", time(p.us)],
  ]);
  return circle;
}

// The numbers of the plot, and the stages that have no place in it.
function rooflineTable(data, palette) {
  const whole = (s) => s.kernel === undefined;
  const macs = data.stages.reduce((sum, s) => sum + s.macs, 0);
  const operations = (s) => 2 * (whole(s) ? macs : s.macs);
  const moved = (s) => s.least_read + s.least_write;
  return table(
    [
      {
        title: "stage",
        words: true,
        cell: (s) =>
          whole(s) ? "whole program" : [chip(palette, s.kernel), data.kernels[s.kernel].name],
      },
      {
        title: "ops / byte",
        cell: (s) => (operations(s) ? significant(ratio(operations(s), moved(s))) : "\u2013"),
      },
      {
        title: "Tera-ops / s",
        cell: (s) =>
          operations(s) ? significant(ratio(operations(s), s.total_us * 1e6)) : "\u2013",
      },
      { title: "GB / s", cell: (s) => significant(ratio(moved(s), s.total_us * 1e3)) },
      { title: "of its roof", cell: (s) => percent(ratio(s.roofline_us, s.total_us)) },
    ],
    [...data.stages, data.all],
    (s) => (whole(s) ? "total" : null),
  );
}

function rooflineSection(data, palette, tooltip) {
  return section(
    "roofline",
    "Roofline",
    "Each point is a stage from its first dispatch to its last finish; the diamond is the whole program. Bytes are " +
      "those that must move. Stages without matmuls are only in the table.",
    make(
      "div",
      { class: "columns" },
      roofline(data, palette, tooltip),
      rooflineTable(data, palette),
    ),
  );
}
