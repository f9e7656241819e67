// What to do: the advisor's findings, what each would gain and change, and lines to type next.
function diffLines(diff) {
  const kind = (line) =>
    line.startsWith("@@") ? "hunk" : line[0] === "+" ? "added" : line[0] === "-" ? "removed" : null;
  const lines = diff.split("\n").slice(2, -1); // without the names: they stand above
  return make(
    "pre",
    { class: "diff" },
    lines.map((line) => make("span", { class: kind(line) }, line, "\n")),
  );
}

function finding(f, number) {
  const gain = 1 - ratio(f.after_us, f.now_us);
  const certainty = f.estimated ? "an estimate" : "predicted";
  return make(
    "li",
    { class: "finding" },
    make("span", { class: "rank soft" }, `${number}.`),
    make(
      "div",
      { class: "words" },
      make("p", {}, make("strong", {}, f.change), " ", make("span", { class: "tag" }, f.code)),
      make("p", { class: "soft" }, f.what),
      f.where ? make("p", { class: "soft code place" }, f.where) : null,
      f.diff
        ? make(
            "details",
            {},
            make("summary", {}, "What changes in the program"),
            diffLines(f.diff),
          )
        : null,
    ),
    make(
      "div",
      { class: "gain" },
      make("div", { class: f.estimated ? "value soft" : "value" }, `\u2212${percent(gain)}`),
      make("div", { class: "soft small" }, `${time(f.now_us)} \u2192 ${time(f.after_us)}`),
      make("div", { class: "soft small" }, certainty),
    ),
  );
}

const mostFindings = 6; // shown at once: the rest gains less

function findingsList(advice) {
  if (advice === null)
    return make("p", { class: "soft", id: "advice-pending" }, "Looking for what to change\u2026");
  if (advice.problem) return make("p", { class: "notice" }, advice.problem);
  const { findings } = advice;
  if (findings.length === 0)
    return make("p", { class: "soft" }, "The advisor found nothing that gains; tune may.");
  const items = findings.map((f, i) => finding(f, i + 1));
  const list = make("ol", { class: "findings" }, items.slice(0, mostFindings));
  if (items.length <= mostFindings) return list;
  const more = make(
    "button",
    {
      onclick: () => {
        list.append(...items.slice(mostFindings));
        more.remove();
      },
    },
    `${counted(items.length - mostFindings, "more finding")}`,
  );
  return make("div", {}, list, more);
}

function copyText(text, element) {
  const selected = () => {
    const selection = window.getSelection();
    selection.selectAllChildren(element);
    return document.execCommand("copy");
  };
  return navigator.clipboard
    ? navigator.clipboard.writeText(text).then(() => true, selected)
    : Promise.resolve(selected());
}

function commandLine({ line, what }) {
  const code = make("code", {}, line);
  const button = make(
    "button",
    {
      "aria-label": `copy ${line}`,
      onclick: () =>
        copyText(line, code).then((done) => {
          button.textContent = done ? "Copied" : "Selected";
          setTimeout(() => (button.textContent = "Copy"), 1500);
        }),
    },
    "Copy",
  );
  return make("div", { class: "command" }, button, code, make("span", { class: "soft" }, what));
}

function adviceSection(data) {
  const commands = data.commands ?? [];
  if (data.advice === undefined && !commands.length) return null;
  const known = data.advice !== undefined;
  return section(
    "advice",
    "What to do",
    known
      ? "Changes by what they gain for the whole program. A predicted gain is that of the changed program, simulated; " +
          "an estimate is a bound. Gains do not add up: look again after each."
      : "Lines to type next.",
    known ? findingsList(data.advice) : null,
    commands.length ? make("h3", { class: "next" }, "Next") : null,
    make("div", { class: "commands" }, commands.map(commandLine)),
  );
}
