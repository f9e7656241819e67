// The page of one program, from its data.
function profilePage(data) {
  const tooltip = new Tooltip();
  const palette = new Palette(data.kernels, ranking(data));
  const timeline = new Timeline(data, palette, tooltip);
  const parts = [
    headline(data),
    section(
      "timeline",
      "Timeline",
      "Cores over time, coloured by kernel. The strip on top is the critical path: the " +
        `chain of ${counted(timeline.path.length, "task")} that decides the total time.`,
      timeline.element,
    ),
    stagesSection(data, palette),
    kernelSection(data, palette, tooltip),
    trafficSection(data, palette),
    // A measurement knows neither the sizes of transfers nor the rates of the machine.
    data.measured ? null : transfersSection(data, palette),
    data.measured ? null : rooflineSection(data, palette, tooltip),
    sourceSection(data),
  ].filter((part) => part);
  const links = parts
    .slice(1)
    .map((p) => make("a", { href: `#${p.id}` }, p.querySelector("h2").textContent));
  document
    .getElementById("page")
    .replaceChildren(
      make(
        "header",
        {},
        make("h1", {}, data.program),
        make("p", { class: "meta" }, `shape ${data.shape}, ${ranOn(data)}`),
        make("nav", {}, links),
      ),
      ...parts,
    );
  return { data, timeline };
}

window.tilewright = profilePage(JSON.parse(document.getElementById("data").textContent));
document.documentElement.dataset.ready = String(Math.round(performance.now()));
