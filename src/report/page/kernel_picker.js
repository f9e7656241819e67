// One kernel at a time: its pipes and its memories. Starts with the one that takes most time.
let pickedKernel = null; // stays when the page is drawn anew
function kernelSection(data, palette, tooltip) {
  const shown = make("div");
  const byTime = [...data.stages].sort((a, b) => b.busy_us - a.busy_us);
  const buttons = byTime.map((stage) =>
    make(
      "button",
      { onclick: () => show(stage) },
      chip(palette, stage.kernel),
      data.kernels[stage.kernel].name,
      make("span", { class: "soft" }, percent(ratio(stage.busy_us, data.all.busy_us), 0)),
    ),
  );
  function show(stage) {
    byTime.forEach((s, i) => buttons[i].setAttribute("aria-pressed", s === stage));
    pickedKernel = data.kernels[stage.kernel].name;
    shown.replaceChildren(...kernelParts(data, stage, tooltip));
  }
  const before = byTime.find((s) => data.kernels[s.kernel].name === pickedKernel);
  if (byTime.length) show(before ?? byTime[0]);
  const card = section(
    "kernels",
    "Inside a kernel",
    "Pipes inside one task, with all of the machine's bandwidth, coloured by operation; below, what lies where in " +
      "on-chip memory: addresses across, the life of the kernel from top to bottom.",
    make("div", { class: "legend" }, buttons),
    shown,
  );
  card.showKernel = (kernel) => byTime.filter((s) => s.kernel === kernel).forEach(show);
  return card;
}

function kernelParts(data, stage, tooltip) {
  const kernel = data.kernels[stage.kernel];
  const inside = data.inside[stage.kernel];
  const p = inside.pipes;
  const parts = [
    make(
      "p",
      { style: "margin: 6px 0 8px" },
      make("strong", {}, kernel.name),
      make(
        "span",
        { class: "soft" },
        `  ${kernel.core}, ${kernel.place}. ` +
          (p
            ? `${counted(p.tasks, "task")} like this one, ${data.device ? "predicted alone" : data.measured ? "at best" : "alone"} ` +
              `${time(p.duration_ps / 1e6)}, in this run ${time(p.exec_ps / 1e6)} on average.`
            : ""),
      ),
    ),
  ];
  if (p && p.slices > 0) parts.push(new Pipes(inside, kernel, tooltip).element);
  if (p && p.slices > decodeColumn(p.unit).length)
    parts.push(
      make(
        "p",
        { class: "soft small" },
        `the first ${grouped(decodeColumn(p.unit).length)} of ${grouped(p.slices)} instructions`,
      ),
    );
  const steps = Math.max(2, 2 * inside.positions.length);
  const used = inside.memories.filter((m) => m.tiles.length > 0);
  parts.push(
    make(
      "div",
      { class: "maps", style: "margin: 20px 0 14px" },
      used.map((m) => memoryMap(m, steps, tooltip, inside)),
    ),
  );
  if (used.length) parts.push(peakTable(used));
  return parts;
}
