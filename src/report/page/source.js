// The program's own text, and beside each line the share of the cores' time that it takes.
const leastShare = 0.0005; // less is printed as 0.0%
const around = 1; // lines shown before and after one that takes time

function sourceRow(number, text, line, most) {
  const kernels = line?.kernels ?? [];
  const named = kernels.length > 3 ? `${kernels.slice(0, 3).join(", ")}, \u2026` : kernels.join(", ");
  const heat = line ? Math.sqrt(line.share / most) : 0;
  return make(
    "tr",
    { class: line ? "hot" : null, style: line ? `--heat: ${heat.toFixed(3)}` : null },
    make("td", { class: "soft code" }, String(number)),
    make(
      "td",
      {},
      line
        ? make(
            "div",
            { class: "track" },
            make("i", { style: `width: ${((100 * line.share) / most).toFixed(2)}%` }),
          )
        : null,
    ),
    make("td", {}, line ? percent(line.share) : ""),
    make("td", { class: "code", title: text ?? "" }, text ?? "(the file is not here)"),
    make("td", { class: "words soft", title: kernels.join(", ") }, named),
  );
}

// The numbers of the lines to show: all, or those that take time and their neighbours.
function shownLines(byNumber, count, whole) {
  if (!count) return [...byNumber.keys()].sort((a, b) => a - b);
  const shown = [];
  for (let n = 1; n <= count; ++n) {
    let near = whole;
    for (let m = n - around; m <= n + around; ++m) near ||= byNumber.has(m);
    if (near) shown.push(n);
  }
  return shown;
}

// Spaces that all of the lines begin with.
function commonIndent(lines) {
  const written = lines.filter((line) => line.trim());
  return Math.min(...written.map((line) => line.search(/\S/)), 80);
}

function sourceFile(file, lines, text, most) {
  const byNumber = new Map(lines.map((l) => [l.line, l]));
  const body = make("tbody");
  let whole = false;
  const draw = () => {
    const rows = [];
    const numbers = shownLines(byNumber, text?.length, whole);
    const indent = commonIndent(numbers.map((n) => text?.[n - 1] ?? ""));
    let last = 0;
    for (const n of numbers) {
      if (last && n > last + 1)
        rows.push(make("tr", { class: "gap" }, make("td", {}, "\u22ef")));
      rows.push(sourceRow(n, text?.[n - 1].slice(indent), byNumber.get(n), most));
      last = n;
    }
    body.replaceChildren(...rows);
  };
  draw();
  const button = make(
    "button",
    {
      "aria-pressed": "false",
      onclick: () => {
        whole = !whole;
        button.setAttribute("aria-pressed", whole);
        draw();
      },
    },
    "Whole file",
  );
  return make(
    "div",
    { class: "file" },
    make(
      "div",
      { class: "bar-row" },
      make("strong", {}, file || "no line"),
      make("span", { class: "soft" }, percent(lines.reduce((sum, l) => sum + l.share, 0))),
      text ? button : null,
    ),
    make("div", { class: "scroll" }, make("table", { class: "source" }, sourceHead(), body)),
  );
}

function sourceHead() {
  const titles = ["line", "", "share", "source", "kernels"];
  return make(
    "thead",
    {},
    make(
      "tr",
      {},
      titles.map((title, i) => make("th", { class: i > 2 ? "words" : null }, title)),
    ),
  );
}

function sourceSection(data) {
  const most = Math.max(...data.lines.map((l) => l.share), 1e-9);
  const files = new Map();
  for (const l of data.lines.filter((line) => line.share >= leastShare))
    files.set(l.file, [...(files.get(l.file) ?? []), l]);
  const below = data.lines.filter((l) => l.share < leastShare).length;
  return section(
    "source",
    "Source lines",
    "A moment of a task belongs to the instructions that run then, in equal parts; one in which none runs, to the " +
      "one that ended last: its result is on its way. Shares are of the time of all cores together.",
    [...files].map(([file, lines]) => sourceFile(file, lines, data.sources[file], most)),
    below
      ? make(
          "p",
          { class: "small soft", style: "margin-top: 10px" },
          `${counted(below, "more line")} below ${percent(leastShare, 2)}`,
        )
      : null,
  );
}
