// Two values of one thing, one bar above the other; the first is pale. A missing one is a dash.
function pairOfBars(valueA, valueB, most, text) {
  const one = (value, quiet) =>
    value === null
      ? make("div", { class: "pair-row" }, make("span", { class: "soft" }, "\u2013"))
      : make(
          "div",
          { class: "pair-row" },
          make(
            "div",
            { class: "track" },
            make("i", {
              class: quiet ? "quiet" : null,
              style: `width: ${(100 * ratio(value, most)).toFixed(2)}%`,
            }),
          ),
          make("span", {}, text(value)),
        );
  return make("div", { class: "pair" }, one(valueA, true), one(valueB, false));
}
