// The page of one program, from its data. `status` is what stands above everything else.
function profilePage(data, status = null) {
  forgetDrawings();
  const tooltip = new Tooltip();
  const palette = new Palette(ranking(data));
  const timeline = new Timeline(data, palette, tooltip);
  const inside = kernelSection(data, palette, tooltip);
  const parts = [
    headline(data),
    adviceSection(data),
    section(
      "timeline",
      "Timeline",
      "Cores over time, coloured by kernel. The strip on top is the critical path: the " +
        `chain of ${counted(timeline.path.length, "task")} that decides the total time.`,
      timeline.element,
    ),
    stagesSection(data, palette),
    inside,
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
        make(
          "div",
          { class: "title-row" },
          make("h1", {}, data.program),
          new Search(timeline, inside, palette).element,
        ),
        make("p", { class: "meta" }, `shape ${data.shape}, ${ranOn(data)}`),
        make("nav", {}, links),
      ),
      ...(status ? [status] : []),
      ...parts,
    );
  return { data, timeline };
}
