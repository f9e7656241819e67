// The headline: how long, how near to the roofline, and what binds.
function figure(value, unit, label) {
  return make(
    "div",
    { class: "figure" },
    make("div", { class: "value" }, value, unit ? make("small", {}, unit) : null),
    make("div", { class: "label" }, label),
  );
}

// "1,234 us" as its number and its unit.
const timeFigure = (us, label) => figure(...time(us).split(" "), label);
// Four of five measurements lie inside.
const intervalFigure = ([low, high]) =>
  figure(`${time(low).split(" ")[0]}\u2013${time(high).split(" ")[0]}`, time(high).split(" ")[1], "80 % interval");
const predictedFigure = ({ all, predicted }) =>
  timeFigure(
    predicted.all.total_us,
    `predicted time, ${change(predicted.all.total_us / all.total_us - 1) || "as measured"}`,
  );
const bytesFigure = (n, label) => figure(...bytes(n).split(" "), label);

// "\u221225%", or nothing when it rounds to nothing.
const change = (share) =>
  Math.abs(share) < 0.005 ? "" : `${share < 0 ? "\u2212" : "+"}${percent(Math.abs(share), 0)}`;

// The cost that binds stands out; the others are there to compare with.
function whatIfBars(data) {
  const { all, binding } = data;
  const rows = [...binding.what_ifs].sort((a, b) => a.total_us - b.total_us);
  const bars = make(
    "div",
    { class: "bars four" },
    bar("as it is", 1, time(all.total_us), "var(--faint)"),
    make("span"),
    rows.map((w, rank) => {
      const cells = bar(`without ${w.name}`, w.total_us / all.total_us, time(w.total_us));
      if (rank > 0) cells[1].firstChild.classList.add("quiet");
      return [
        ...cells,
        make("span", { class: "number soft" }, change(w.total_us / all.total_us - 1)),
      ];
    }),
    bar("roofline", all.roofline_us / all.total_us, time(all.roofline_us), "var(--ink)"),
    make("span"),
  );
  return make("div", {}, make("h3", {}, "Predicted again with one cost left out"), bars);
}

function pipeBars(data) {
  const bars = make(
    "div",
    { class: "bars" },
    data.binding.pipes.map((p) => bar(`${p.core} ${p.pipe}`, p.share, percent(p.share))),
  );
  return make("div", {}, make("h3", {}, "Units busy, of all cores over the whole time"), bars);
}

// Of each kind of core, the share of the run in which it executed tasks.
function coreFigures({ tasks, lanes }) {
  const kinds = [...new Set(lanes.lanes.map((lane) => lane.core))];
  return kinds.map((kind) => {
    const own = lanes.order.filter((_, i) => lanes.lanes[i].core === kind);
    const busy = own.flatMap((list) => [...list]).reduce((sum, i) => sum + tasks.end[i] - tasks.start[i], 0);
    return figure(grouped(100 * ratio(busy, own.length * tasks.total), 1), "%", `${kind} cores busy`);
  });
}

function headline(data, timeline) {
  const { all } = data;
  const keys = data.keys.map((k) => `${k.name}=${k.value}`).join("  ");
  const rows = all.mac_rows > 0 ? percent(all.mac_rows_used / all.mac_rows, 0) : null;
  return make(
    "section",
    { id: "headline" },
    make(
      "div",
      { class: "figures" },
      timeFigure(all.total_us, data.measured ? "measured time" : "predicted time"),
      data.predicted ? predictedFigure(data) : null,
      data.likely_us ? intervalFigure(data.likely_us) : null,
      data.predicted ? intervalFigure(data.predicted.likely_us) : null,
      all.roofline_us > 0
        ? figure(
            grouped(100 * ratio(all.roofline_us, all.total_us), 1),
            "%",
            `of the roofline; ${percent(ratio(all.peak_roofline_us, all.total_us))} at peak HBM rate`,
          )
        : null,
      figure(grouped(all.tasks), "", "tasks"),
      data.device ? coreFigures(timeline) : null,
      knowsWork(data) ? bytesFigure(all.gm_read, "read from GM") : null,
      knowsWork(data) ? bytesFigure(all.gm_write, "written to GM") : null,
      rows ? figure(rows, "", "cube rows with data") : null,
    ),
    data.binding.sentence ? make("p", { class: "verdict" }, spelled(data.binding.sentence)) : null,
    data.predicted ? make("p", { class: "verdict" }, missesSentence(data)) : null,
    limitsNotice(data),
    make(
      "div",
      { class: "columns" },
      data.binding.what_ifs.length ? whatIfBars(data) : null,
      data.binding.pipes.length ? pipeBars(data) : null,
    ),
    keys ? make("p", { class: "soft code", style: "margin-top: 18px" }, keys) : null,
  );
}
