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

// What the list leaves out: changes within the error of predictions, and those there was no time for.
function untold({ findings, small, untried, seconds }) {
  const lines = [];
  if (small)
    lines.push(
      `${counted(small, findings.length ? "other change" : "change")} predicted to gain too little ` +
        "to be told from the error of predictions; advise --apply tries them together.",
    );
  if (untried)
    lines.push(
      `${counted(untried, "change")} not tried in the ${Math.round(seconds)} s of this page; ` +
        "advise tries all.",
    );
  if (!findings.length && !lines.length) lines.push("The advisor found nothing that gains; tune may.");
  return lines.map((line) => make("p", { class: "soft" }, line));
}

const mostFindings = 6; // shown at once: the rest gains less

function findingsList(advice) {
  if (advice === null)
    return make("p", { class: "soft", id: "advice-pending" }, "Looking for what to change\u2026");
  if (advice.problem) return make("p", { class: "notice" }, advice.problem);
  const { findings } = advice;
  if (findings.length === 0) return make("div", {}, untold(advice));
  const items = findings.map((f, i) => finding(f, i + 1));
  const list = make("ol", { class: "findings" }, items.slice(0, mostFindings));
  if (items.length <= mostFindings) return make("div", {}, list, untold(advice));
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
  return make("div", {}, list, more, untold(advice));
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
