// The program's lines and the share of the cores' time each takes.
const leastShare = 0.0005; // less is printed as 0.0%

function sourceSection(data) {
  const most = Math.max(...data.lines.map((l) => l.share), 1e-9);
  const body = make("tbody");
  let file = null;
  const worth = data.lines.filter((l) => l.share >= leastShare);
  for (const l of worth) {
    if (l.file !== file) {
      file = l.file;
      body.append(make("tr", { class: "file" }, make("td", { colspan: 5, class: "words" }, file)));
    }
    body.append(
      make(
        "tr",
        {},
        make("td", { class: "soft code" }, String(l.line)),
        make(
          "td",
          {},
          make(
            "div",
            { class: "track" },
            make("i", { style: `width: ${((100 * l.share) / most).toFixed(2)}%` }),
          ),
        ),
        make("td", {}, percent(l.share)),
        make(
          "td",
          { class: "words soft" },
          l.kernels.length > 3 ? `${l.kernels.slice(0, 3).join(", ")}, ...` : l.kernels.join(", "),
        ),
        make("td", { class: "code", title: l.text?.trim() ?? "" }, l.text?.trim() ?? ""),
      ),
    );
  }
  return section(
    "source",
    "Source lines",
    "A moment of a task belongs to the instructions that run then, in equal parts; one in which none runs, to the " +
      "one that ended last: its result is on its way. Shares are of the time of all cores together.",
    make(
      "div",
      { class: "scroll" },
      make(
        "table",
        { class: "source" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ["line", "", "share", "kernels", "source"].map((title, i) =>
              make("th", { class: i > 2 ? "words" : null }, title),
            ),
          ),
        ),
        body,
      ),
    ),
    make(
      "p",
      { class: "small soft", style: "margin-top: 10px" },
      `${counted(data.lines.length - worth.length, "more line")} below ${percent(leastShare, 2)}`,
    ),
  );
}
