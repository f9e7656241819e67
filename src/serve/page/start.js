// What the keyboard and the buttons do.
const field = byId("text");

function grow() {
  field.style.height = "auto";
  field.style.height = field.scrollHeight + 2 + "px";
}
function submit(event) {
  event.preventDefault();
  if (running) return running.abort();
  const text = field.value;
  if (!text.trim() || !props) return;
  field.value = "";
  grow();
  say(text);
}
field.addEventListener("input", grow);
field.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && !e.shiftKey && !e.isComposing && !running) submit(e);
});
byId("composer").addEventListener("submit", submit);
byId("settings").addEventListener("submit", (e) => e.preventDefault());
document.addEventListener("keydown", (e) => {
  if (e.key !== "Escape") return;
  if (running) running.abort();
  else hideTip();
});
byId("clear").addEventListener("click", () => {
  if (running) running.abort();
  said.length = 0;
  showEmpty();
  field.focus();
});
byId("open-settings").addEventListener("click", () => {
  const panel = byId("settings");
  panel.hidden = !panel.hidden;
  byId("open-settings").setAttribute("aria-expanded", String(!panel.hidden));
});
const shade = () => byId("conversation").classList.toggle("shades", byId("shades").checked);
byId("shades").addEventListener("change", shade);
byId("key").addEventListener("change", askState);
keepSettings();
shade();
showEmpty();
askState();
setInterval(askState, 1000);
document.documentElement.dataset.ready = "yes";
