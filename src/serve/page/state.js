// The batch as it is: what each slot does, pages of the cache, who waits.
let props = null;

function showState(s) {
  const slots = element("span", { class: "slots", title: `${s.running.length} of ${s.slots} slots in use` });
  for (let i = 0; i < Math.min(s.slots, 32); ++i) {
    const slot = s.running[i];
    slots.append(element("i", { class: slot ? (slot.reading ? "reading" : "writing") : "" }));
  }
  const share = (n) => `width:${(100 * n) / Math.max(1, s.pages)}%`;
  const pages = element("span", { class: "pages", title: `pages of the KV cache: ${s.pages_in_use} in use, ${s.pages_kept} kept, of ${s.pages}` },
    element("i", { style: share(s.pages_in_use) }), element("i", { class: "kept", style: share(s.pages_kept) }));
  const words = [slots, element("span", {}, "cache ", pages), `${s.waiting} waiting`];
  if (s.steps) words.push(`step ${(1000 * s.step_seconds).toFixed(s.step_seconds < 0.01 ? 1 : 0)} ms`);
  byId("state").replaceChildren(...words.map((w) => (typeof w === "string" ? element("span", {}, w) : w)));
}

async function askState() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/props", { headers: headers() });
    if (!answer.ok) throw new Error(await errorOf(answer));
    const first = !props;
    props = await answer.json();
    showState(props.state);
    if (first) greet();
  } catch (e) {
    byId("state").replaceChildren(element("span", { class: "gone" }, e.message === "Failed to fetch" ? "the server is gone" : e.message));
  }
}
