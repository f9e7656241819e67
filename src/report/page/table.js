// A table: columns are {title, words, cell(row)}; a cell is text, an element or a list of them.
function table(columns, rows, rowClass = () => null) {
  const kind = (c, extra = "") => `${c.words ? "words" : ""}${extra}`.trim() || null;
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      {},
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          columns.map((c) => make("th", { class: kind(c) }, c.title)),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((row) =>
          make(
            "tr",
            { class: rowClass(row) },
            columns.map((c) => make("td", { class: kind(c, c.wrap ? " wrap" : "") }, c.cell(row))),
          ),
        ),
      ),
    ),
  );
}
