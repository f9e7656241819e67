// What the next request is asked with. Fields that are empty say nothing.
const kNumbers = ["temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_tokens", "seed"];

function samplingFields() {
  const out = {};
  for (const name of kNumbers) {
    const text = byId(name).value.trim();
    if (text !== "") out[name] = Number(text);
  }
  if (byId("stop").value) out.stop = byId("stop").value;
  return out;
}

// Values last as long as the tab.
function keepSettings() {
  const fields = [...document.querySelectorAll("#settings input, #settings textarea")];
  for (const f of fields) {
    const kept = sessionStorage.getItem("tilewright." + f.id);
    if (kept !== null) f.type === "checkbox" ? (f.checked = kept === "true") : (f.value = kept);
    f.addEventListener("input", () =>
      sessionStorage.setItem("tilewright." + f.id, f.type === "checkbox" ? f.checked : f.value));
  }
}
function showDefaults(defaults) {
  for (const [name, value] of Object.entries(defaults))
    if (byId(name)) byId(name).placeholder = String(Math.round(value * 1000) / 1000);
}
