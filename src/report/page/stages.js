// The table of the profiler: per kernel how many tasks, how long, and what the runtime adds.
function stagesTable(data, palette) {
  const fixed = (n) => grouped(n, 2);
  const whole = (s) => s.kernel === undefined;
  const dispatched = (column) => (knowsLatency(data) ? [column] : []);
  const rated = (column) => (knowsRates(data) ? [column] : []);
  return table(
    [
      { title: "id", cell: (s) => (whole(s) ? "" : s.kernel) },
      {
        title: "kernel",
        words: true,
        cell: (s) => (whole(s) ? "TOTAL" : [chip(palette, s.kernel), data.kernels[s.kernel].name]),
      },
      { title: "core", words: true, cell: (s) => (whole(s) ? "" : data.kernels[s.kernel].core) },
      { title: "count", cell: (s) => grouped(s.tasks) },
      { title: `exec ${micro}`, cell: (s) => fixed(s.exec_us) },
      ...dispatched({ title: `latency ${micro}`, cell: (s) => fixed(s.latency_us) }),
      ...dispatched({ title: `head ${micro}`, cell: (s) => fixed(s.head_us) }),
      ...dispatched({ title: `tail ${micro}`, cell: (s) => fixed(s.tail_us) }),
      ...dispatched({
        title: "exec / latency",
        cell: (s) => percent(ratio(s.exec_us, s.latency_us)),
      }),
      { title: "share of core time", cell: (s) => percent(ratio(s.busy_us, data.all.busy_us)) },
      ...rated({ title: `roofline ${micro}`, cell: (s) => fixed(s.roofline_us) }),
      ...rated({ title: "reached", cell: (s) => percent(ratio(s.roofline_us, s.total_us)) }),
    ],
    [...data.stages, data.all],
    (s) => (whole(s) ? "total" : null),
  );
}

function stagesSection(data, palette) {
  const { all } = data;
  return section(
    "stages",
    "Kernels",
    "Means over tasks. Exec is on the core, latency from dispatch to finish, head and tail what comes before and " +
      "after execution. Rule of thumb: 50 \u00b5s a task; much below, dispatch dominates.",
    stagesTable(data, palette),
    make(
      "p",
      { class: "small soft", style: "margin-top: 10px" },
      knowsLatency(data)
        ? `Total Test Time ${grouped(all.total_us, 2)} ${micro} (last finish \u2212 first dispatch); ` +
            `per task on average exec ${grouped(all.exec_us, 2)} ${micro}, latency ${grouped(all.latency_us, 2)} ${micro}, ` +
            `exec / latency ${percent(ratio(all.exec_us, all.latency_us))}`
        : `Total Test Time ${grouped(all.total_us, 2)} ${micro} (last end \u2212 first start); ` +
            `per task on average exec ${grouped(all.exec_us, 2)} ${micro}`,
    ),
  );
}
