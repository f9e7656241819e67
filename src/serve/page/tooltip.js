// The probabilities of a token and of those it was chosen among.
const visible = (text) => text.replace(/\n/g, "\u21b5").replace(/\t/g, "\u21e5") || "\u00b7";

function showTip(at, tokens) {
  const rows = [];
  for (const t of tokens) {
    const others = t.best.some((o) => o.text === t.text) ? t.best : [t, ...t.best];
    for (const o of others) {
      const p = Math.exp(o.logprob);
      rows.push(element("tr", { class: o.text === t.text ? "chosen" : "" },
        element("td", {}, visible(o.text)),
        element("td", {}, element("i", { style: `width:${100 * p}%` })),
        element("td", {}, `${(100 * p).toFixed(p < 0.1 ? 2 : 1)} %`)));
    }
  }
  const tip = byId("tip");
  tip.replaceChildren(element("table", {}, ...rows));
  tip.hidden = false;
  const box = at.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - size.width - 8));
  const above = box.top - size.height - 6;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 8 ? above : box.bottom + 6}px`;
}
const hideTip = () => (byId("tip").hidden = true);
