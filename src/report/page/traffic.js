// Bytes between GM and the cores, per stage, beside the least that must move, and what crosses
// kernels through GM.
function movedBar(moved, least, most, colour) {
  const share = (n) => `${(100 * ratio(n, most)).toFixed(2)}%`;
  const fillBar = make("i", { style: `width: ${share(moved)}` });
  onScheme(() => (fillBar.style.background = colour()));
  return make(
    "div",
    { class: "track" },
    fillBar,
    make("b", { style: `left: min(${share(least)}, calc(100% - 2px))` }),
  );
}

const times = (moved, least) => (least > 0 ? `${grouped(moved / least, 2)}\u00d7` : "");

function trafficTable(data, palette) {
  const name = (s) => data.kernels[s.kernel].name;
  const mostRead = Math.max(...data.stages.map((s) => Math.max(s.gm_read, s.least_read)), 1);
  const mostWrite = Math.max(...data.stages.map((s) => Math.max(s.gm_write, s.least_write)), 1);
  const whole = (s) => s.kernel === undefined;
  return table(
    [
      {
        title: "stage",
        words: true,
        cell: (s) => (whole(s) ? "whole program" : [chip(palette, s.kernel), name(s)]),
      },
      {
        title: "",
        cell: (s) =>
          whole(s) ? "" : movedBar(s.gm_read, s.least_read, mostRead, () => palette.of(s.kernel)),
      },
      { title: "read", cell: (s) => bytes(s.gm_read) },
      { title: "least", cell: (s) => bytes(s.least_read) },
      { title: "", cell: (s) => times(s.gm_read, s.least_read) },
      ...(data.measured ? [] : [{ title: "from HBM", cell: (s) => bytes(s.hbm_read) }]),
      {
        title: "",
        cell: (s) =>
          whole(s)
            ? ""
            : movedBar(s.gm_write, s.least_write, mostWrite, () => palette.of(s.kernel)),
      },
      { title: "written", cell: (s) => bytes(s.gm_write) },
      { title: "least", cell: (s) => bytes(s.least_write) },
      { title: "", cell: (s) => times(s.gm_write, s.least_write) },
    ],
    [...data.stages, data.all],
    (s) => (whole(s) ? "total" : null),
  );
}

function gmValuesTable(values) {
  if (values.length === 0)
    return make("p", { class: "soft" }, "No value crosses kernels through GM.");
  const code = (text) => make("span", { class: "code" }, text);
  return table(
    [
      { title: "value", words: true, cell: (v) => code(v.name) },
      { title: "kind", words: true, cell: (v) => (v.escape ? "escape of a scope" : "GM tensor") },
      {
        title: "size",
        cell: (v) => bytes(v.bytes) + (v.buffers > 1 ? ` in ${grouped(v.buffers)}` : ""),
      },
      { title: "written", cell: (v) => bytes(v.written) },
      { title: "read", cell: (v) => bytes(v.read) },
      { title: "made by", words: true, wrap: true, cell: (v) => v.from.join(", ") },
      { title: "read by", words: true, wrap: true, cell: (v) => v.to.join(", ") },
      { title: "source", words: true, cell: (v) => code(v.place) },
    ],
    values,
  );
}

function trafficSection(data, palette) {
  const escapes = data.gm_values.filter((v) => v.escape);
  return section(
    "traffic",
    "GM traffic",
    "The bar is what moves, the mark what must: every byte a stage uses, once. For the whole program only " +
      "parameters and results must move.",
    trafficTable(data, palette),
    make(
      "h3",
      { style: "margin: 22px 0 6px" },
      `Through GM between kernels: ${counted(data.gm_values.length, "value")}, ${counted(escapes.length, "escape")}`,
    ),
    gmValuesTable(data.gm_values),
  );
}
