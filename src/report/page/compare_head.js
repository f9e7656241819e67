// Two runs in numbers, which one is faster, and whether the comparison is fair.
function interval([low, high]) {
  const [number, unit] = time(low).split(" ");
  return `${time(high).endsWith(unit) ? number : time(low)} \u2013 ${time(high)}`;
}

function compareTable(a, b, like) {
  const change = (from, to) => (from > 0 ? `${significant(to / from)}\u00d7` : "");
  const reached = (f) => ratio(f.roofline_us, f.total_us);
  const atPeak = (f) => ratio(f.peak_roofline_us, f.total_us);
  const rows = [
    ["predicted time", (f) => time(f.total_us), (f) => f.total_us],
    ["80 % interval", (f, side) => interval(side.likely_us), () => 0],
    ["tasks", (f) => grouped(f.tasks), (f) => f.tasks],
    ["core time of all tasks", (f) => time(f.busy_us), (f) => f.busy_us],
    ["mean exec", (f) => time(f.exec_us), (f) => f.exec_us],
    ["mean latency", (f) => time(f.latency_us), (f) => f.latency_us],
    ["read from GM", (f) => bytes(f.gm_read), (f) => f.gm_read],
    ["read from HBM", (f) => bytes(f.hbm_read), (f) => f.hbm_read],
    ["written to GM", (f) => bytes(f.gm_write), (f) => f.gm_write],
    ["roofline", (f) => time(f.roofline_us), (f) => f.roofline_us],
    ["of the roofline", (f) => percent(reached(f)), reached],
    ["of the roofline at peak HBM rate", (f) => percent(atPeak(f)), atPeak],
  ];
  const columns = [
    { title: "", words: true, cell: ([name]) => name },
    { title: `A  ${a.label}`, cell: ([, text]) => text(a.all, a) },
    { title: `B  ${b.label}`, cell: ([, text]) => text(b.all, b) },
    { title: "B / A", cell: ([, , value]) => change(value(a.all), value(b.all)) },
  ];
  if (like)
    columns.push({
      title: `A at the sizes of ${like.shape || "B"}`,
      cell: ([name]) => (name === "predicted time" ? time(like.total_us) : ""),
    });
  return table(columns, rows);
}

// `likely` is the 80 % interval of from / to. When it holds 1, nobody can say which is faster.
function speed(from, to, likely) {
  const factor = from / to;
  if (Math.abs(factor - 1) < 0.0005) return "B is as fast as A";
  const times =
    factor > 1 ? `${grouped(factor, 2)} times faster` : `${grouped(1 / factor, 2)} times slower`;
  const [low, high] = factor > 1 ? likely : [1 / likely[1], 1 / likely[0]];
  const interval = `80 % interval ${grouped(low, 2)} to ${grouped(high, 2)}`;
  return low <= 1 && high >= 1
    ? `A and B cannot be told apart: B is predicted ${times}, ${interval}`
    : `B is ${times} than A, ${interval}`;
}

// What makes the sides incomparable, or that nothing does.
function fairness(data) {
  const sizes = data.size_differences.map((d) => `size: ${d}`);
  const differences = [...sizes, ...data.work_differences];
  if (differences.length === 0)
    return make(
      "p",
      { class: "soft", style: "margin: 0 0 16px" },
      "Both sides do the same work: their parameters and multiply-adds agree.",
    );
  return make(
    "div",
    { class: "notice", id: "differences" },
    make("strong", {}, "The two sides do not do the same work."),
    make(
      "ul",
      {},
      differences.map((d) => make("li", {}, d)),
    ),
  );
}

function compareHead(data) {
  const { a, b, like } = data;
  const fair = like
    ? ` At the sizes of ${like.shape || "B"}: ${speed(like.total_us, b.all.total_us, like.ratio_interval)}.`
    : "";
  return make(
    "section",
    { id: "headline" },
    make("p", { class: "verdict" }, `${speed(a.all.total_us, b.all.total_us, data.ratio_interval)}.${fair}`),
    fairness(data),
    compareTable(a, b, like),
    make(
      "div",
      { class: "columns", style: "margin-top: 20px" },
      [
        ["A", a],
        ["B", b],
      ].map(([name, side]) =>
        make(
          "div",
          {},
          make("h3", {}, `What binds ${name}`),
          make("p", {}, spelled(side.binding.sentence)),
        ),
      ),
    ),
  );
}
