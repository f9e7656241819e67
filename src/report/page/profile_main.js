// The prediction below the measurement, on its time axis, and how the two drift apart.
function predictedTimeline(data, palette, tooltip, timeline) {
  const predicted = new Timeline(data.predicted, palette, tooltip, timeline.view);
  timeline.pair(predicted);
  return [
    make("h3", { class: "below" }, "The same tasks as predicted, on the same time axis"),
    predicted.overview.element,
    predicted.surface.element,
    make("h3", { class: "below" }, "How much later or earlier than measured each task is predicted to start"),
    new Drift(timeline.tasks, predicted.tasks, palette, timeline.view).element,
  ];
}

// The page of one program, from its data. `status` is what stands above everything else.
function profilePage(data, status = null) {
  forgetDrawings();
  const tooltip = new Tooltip();
  const palette = new Palette(ranking(data));
  const view = new TimeView(Math.max(data.all.total_us, data.predicted?.all.total_us ?? 0));
  const timeline = new Timeline(data, palette, tooltip, view);
  const inside = knowsWork(data) ? kernelSection(data, palette, tooltip) : null;
  const parts = [
    headline(data, timeline),
    adviceSection(data),
    section(
      "timeline",
      "Timeline",
      "Cores over time, coloured by kernel. The strip on top is the critical path: the " +
        `chain of ${counted(timeline.path.length, "task")} that decides the total time.`,
      timeline.element,
      data.predicted ? predictedTimeline(data, palette, tooltip, timeline) : [],
    ),
    runtimeSection(data, view, tooltip),
    besideSection(data, palette, timeline.tasks),
    stagesSection(data, palette),
    inside,
    knowsWork(data) ? trafficSection(data, palette) : null,
    knowsRates(data) ? transfersSection(data, palette) : null,
    knowsRates(data) ? rooflineSection(data, palette, tooltip) : null,
    knowsWork(data) ? sourceSection(data) : null,
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
        make("p", { class: "meta" }, shapeWords(data) + ranOn(data)),
        make("nav", {}, links),
      ),
      ...(status ? [status] : []),
      ...parts,
    );
  return { data, timeline };
}
