// What a watched file is like now: errors, or how it compares with the version before and the first.
function changeFigure(from, to, label) {
  if (from === null || to === null) return null;
  const size = signed(to - from, time) ?? "no change";
  return make(
    "div",
    { class: `figure ${kindOfChange(from, to)}` },
    make("div", { class: "value" }, signed(to / from - 1, percent, 0.0005) ?? "\u00b10"),
    make("div", { class: "label" }, `${size} against ${label}, ${time(from)}`),
  );
}

// "+4.1%", or nothing when it is too little to tell.
const signed = (n, text, least = 0.005) =>
  Math.abs(n) < least ? null : `${n < 0 ? "\u2212" : "+"}${text(Math.abs(n))}`;
const kindOfChange = (from, to) =>
  Math.abs(to / from - 1) < 0.0005 ? "" : to < from ? "better" : "worse";

// Kernels whose core time is not what it was.
function kernelChanges(watch) {
  const row = (k) =>
    make(
      "tr",
      {},
      make("td", { class: "words" }, k.name),
      make("td", {}, k.from_us === null ? "\u2013" : time(k.from_us)),
      make("td", {}, k.to_us === null ? "\u2013" : time(k.to_us)),
      make(
        "td",
        { class: kindOfChange(k.from_us ?? 0, k.to_us ?? 0) },
        k.from_us === null
          ? "new"
          : k.to_us === null
            ? "gone"
            : signed(k.to_us / k.from_us - 1, percent, 0.0005),
      ),
    );
  const title = (text, words) => make("th", { class: words ? "words" : null }, text);
  return make(
    "table",
    { class: "changes" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        title("kernels that changed, core time", true),
        title("last"),
        title("now"),
        title("change"),
      ),
    ),
    make("tbody", {}, watch.kernels.map(row)),
  );
}

// One bar per save, as high as its time; one with errors is a mark at the foot.
function savesChart(saves) {
  const most = Math.max(...saves.map((s) => s.us ?? 0), 1e-9);
  return make(
    "div",
    { class: "saves", "aria-label": "predicted time of each save" },
    saves.slice(-60).map((s) =>
      make("i", {
        class: s.us === null ? "bad" : null,
        style: s.us === null ? null : `height: ${Math.max(2, (44 * s.us) / most).toFixed(1)}px`,
        title: `${s.at}  ${s.us === null ? s.error : time(s.us)}`,
      }),
    ),
  );
}

function watchStatus(watch) {
  const { good, us } = watch;
  const state = good ? "no errors" : counted(watch.messages.filter((m) => m.error).length, "error");
  const message = (m) =>
    make("pre", { class: m.error ? "message error" : "message" }, m.text.trimEnd());
  return make(
    "section",
    { id: "watch", class: good ? "good" : "bad" },
    make(
      "div",
      { class: "status" },
      make("span", { class: "lamp" }),
      make("strong", {}, state),
      make(
        "span",
        { class: "soft" },
        `${watch.file}, saved ${watch.at}, looked at in ${grouped(watch.seconds, 2)} s`,
      ),
      make("span", { class: "soft", id: "connection" }),
    ),
    us !== null && watch.last_us !== null
      ? make(
          "div",
          { class: "figures" },
          changeFigure(watch.last_us, us, "the last"),
          changeFigure(watch.start_us, us, "the start"),
          savesChart(watch.saves),
        )
      : null,
    good && watch.kernels.length ? kernelChanges(watch) : null,
    watch.messages.map(message),
    !good && us !== null
      ? make("p", { class: "soft" }, `Below: the last version without errors, saved ${watch.shown_at}.`)
      : null,
  );
}
