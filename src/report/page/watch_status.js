// What a watched file is like now: errors, or how it compares with the version before and the first.
function changeFigure(from, to, label) {
  if (from === null || to === null) return null;
  const share = to / from - 1;
  const size = Math.abs(share) < 0.0005 ? "\u00b10" : `${share < 0 ? "\u2212" : "+"}${percent(Math.abs(share))}`;
  const kind = Math.abs(share) < 0.0005 ? "" : share < 0 ? " better" : " worse";
  return make(
    "div",
    { class: `figure${kind}` },
    make("div", { class: "value" }, size),
    make("div", { class: "label" }, `${label}: ${time(from)} \u2192 ${time(to)}`),
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
          changeFigure(watch.last_us, us, "against the last"),
          changeFigure(watch.start_us, us, "against the start"),
          savesChart(watch.saves),
        )
      : null,
    watch.messages.map(message),
    !good && us !== null
      ? make("p", { class: "soft" }, `Below: the last version without errors, saved ${watch.shown_at}.`)
      : null,
  );
}
