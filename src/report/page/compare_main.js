// The page of two programs: numbers, stages, and both timelines in one view of time.
function comparePage(data) {
  const { a, b } = data;
  const tooltip = new Tooltip();
  const ranks = pairedRanking(data);
  const view = new TimeView(Math.max(a.all.total_us, b.all.total_us));
  const timelines = [a, b].map(
    (side, i) => new Timeline(side, new Palette(ranks[i]), tooltip, view),
  );
  const timelineSection = (side, name, timeline) =>
    section(
      `timeline-${name.toLowerCase()}`,
      `Timeline of ${name}`,
      `${side.label}${side.shape ? `, shape ${side.shape}` : ""}. Both timelines show the same stretch of time.`,
      timeline.element,
    );
  document
    .getElementById("page")
    .replaceChildren(
      make(
        "header",
        {},
        make("h1", {}, `${a.label} and ${b.label}`),
        make("p", { class: "meta" }, (a.shape && b.shape ? `shapes ${a.shape} and ${b.shape}, ` : "") + ranOn(a)),
      ),
      compareHead(data),
      compareStages(data),
      timelineSection(a, "A", timelines[0]),
      timelineSection(b, "B", timelines[1]),
    );
  return { data, timelines, timeline: timelines[0] };
}

window.tilewright = comparePage(JSON.parse(document.getElementById("data").textContent));
document.documentElement.dataset.ready = String(Math.round(performance.now()));
