// Stage by stage: what A and B spend on it, one bar above the other.
function compareStages(data) {
  const of = (side, index) => (index === null ? null : data[side].stages[index]);
  const rows = data.stages.map((s) => ({ name: s.name, a: of("a", s.a), b: of("b", s.b) }));
  const column = (title, value, text) => {
    const get = (stage) => (stage ? value(stage) : null);
    const most = Math.max(1e-9, ...rows.flatMap((r) => [get(r.a) ?? 0, get(r.b) ?? 0]));
    return { title, words: true, cell: (r) => pairOfBars(get(r.a), get(r.b), most, text) };
  };
  return section(
    "stages",
    "Stage by stage",
    "Pale is A, full is B; kernels are paired by what they read, write and compute. Core time is the sum over the tasks of a stage, so it adds up " +
      "whatever runs side by side.",
    table(
      [
        { title: "stage", words: true, cell: (r) => r.name },
        column(
          "tasks",
          (s) => s.tasks,
          (n) => grouped(n),
        ),
        column("core time", (s) => s.busy_us, time),
        column("read from GM", (s) => s.gm_read, bytes),
        column("written to GM", (s) => s.gm_write, bytes),
      ],
      rows,
    ),
  );
}
