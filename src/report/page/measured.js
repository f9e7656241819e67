// The profile of a device beside the prediction of its program.
const offBy = (measured, predicted) => ratio(predicted, measured) - 1;
const signed_share = (share) => `${share < 0 ? "\u2212" : "+"}${percent(Math.abs(share), 1)}`;

// Which kernels the prediction misses, in one sentence.
function missesSentence({ predicted, stages }) {
  const kernels = [...new Set(predicted.misses.map((m) => m.kernel))];
  const within = percent(predicted.spread, 0);
  if (!kernels.length) return `All kernels are predicted within the ${within} of their 80 % interval.`;
  const named = kernels.slice(0, 3).map((name) => {
    const m = predicted.misses.find((miss) => miss.kernel === name);
    return `${name} (${m.time} predicted too ${m.off > 0 ? "long" : "short"}, ${signed_share(m.off)})`;
  });
  const rest = kernels.length > 3 ? ` and ${kernels.length - 3} more` : "";
  return (
    `${kernels.length} of ${counted(stages.length, "kernel")} ${kernels.length === 1 ? "is" : "are"} predicted outside the ${within} of ` +
    `their 80 % interval, the largest first: ${named.join(", ")}${rest}.`
  );
}

function missCell(m, p, value, spread) {
  const off = offBy(value(m), value(p));
  const far = Math.max(value(m) / value(p), value(p) / value(m)) > 1 + spread;
  return make("span", { class: far ? "far" : "soft" }, signed_share(off));
}

function besideTable(data, palette) {
  const { predicted, device } = data;
  const rows = data.stages.map((m, i) => ({ m, p: predicted.stages[i] }));
  const pair = (title, value) => {
    const most = Math.max(1e-9, ...rows.flatMap((r) => [value(r.m), value(r.p)]));
    return {
      title,
      words: true,
      cell: ({ m, p }) => pairOfBars(value(p), value(m), most, (us) => grouped(us, 2)),
    };
  };
  const off = (title, value) => ({
    title,
    cell: ({ m, p }) => missCell(m, p, value, predicted.spread),
  });
  const times = [["exec", (s) => s.exec_us]];
  if (device.latency) times.push(["latency", (s) => s.latency_us]);
  return table(
    [
      {
        title: "kernel",
        words: true,
        cell: ({ m }) => [chip(palette, m.kernel), data.kernels[m.kernel].name],
      },
      { title: "count", cell: ({ m }) => grouped(m.tasks) },
      ...times.flatMap(([name, value]) => [
        pair(`${name} ${micro}`, value),
        off("off", value),
      ]),
      ...(device.latency
        ? [pair(`head ${micro}`, (s) => s.head_us), pair(`tail ${micro}`, (s) => s.tail_us)]
        : []),
    ],
    rows,
  );
}

function besidePaths(data) {
  const side = (path) => [
    counted(decodeColumn(path.task).length, "task"),
    time(path.exec_us),
    time(path.dispatch_us),
    time(path.submission_us),
  ];
  const [m, p] = [side(data.path), side(data.predicted.path)];
  const names = [
    "tasks",
    "execution",
    "dispatch and completion",
    "until its first task is submitted",
  ];
  return make(
    "div",
    {},
    make("h3", {}, "Critical path"),
    table(
      [
        { title: "", words: true, cell: (r) => r[0] },
        { title: "measured", cell: (r) => r[1] },
        { title: "predicted", cell: (r) => r[2] },
      ],
      names.map((name, i) => [name, m[i], p[i]]),
    ),
  );
}

function besideEdges(data, tasks) {
  const { edges } = data.predicted;
  if (!edges) return null;
  const list = (title, { count, first }) =>
    count
      ? [
          make("p", { class: "small soft" }, `${title}: ${grouped(count)}`),
          make(
            "ul",
            { class: "small" },
            first
              .slice(0, 12)
              .map(([from, to]) => make("li", {}, `${tasks.name(from)} \u2192 ${tasks.name(to)}`)),
          ),
        ]
      : [];
  return make(
    "div",
    {},
    make("h3", {}, "Edges between tasks"),
    make("p", {}, `${counted(edges.both, "edge")} both measured and predicted.`),
    list("Only measured", edges.only_measured),
    list("Only predicted", edges.only_predicted),
  );
}

function besideSection(data, palette, tasks) {
  if (!data.predicted) return null;
  return section(
    "beside",
    "Measured and predicted",
    "Means over the tasks of a kernel: pale is predicted, full is measured, off is how much too long the prediction is.",
    besideTable(data, palette),
    make("div", { class: "columns beside" }, besidePaths(data), besideEdges(data, tasks)),
  );
}

// What the files do not say.
function limitsNotice(data) {
  if (!data.device?.limits.length) return null;
  return make(
    "div",
    { class: "notice", id: "limits" },
    make("strong", {}, "What this recording does not tell"),
    make(
      "ul",
      {},
      data.device.limits.map((l) => make("li", {}, l)),
    ),
  );
}
