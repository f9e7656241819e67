// The page of a file that is being edited. The server tells when the file was saved and when there is
// advice; the page then asks for it and draws itself anew, where the reader has scrolled to.
let shownId = null;

function drawWatched(data) {
  const { scrollX, scrollY } = window;
  const status = watchStatus(data.watch);
  document.title = `${data.watch.good ? "" : "\u2715 "}${data.watch.file}`;
  if (data.watch.us !== null) {
    window.tilewright = profilePage(data, status);
  } else {
    forgetDrawings();
    const head = make("header", {}, make("h1", {}, data.watch.file));
    document.getElementById("page").replaceChildren(head, status);
    window.tilewright = { data };
  }
  shownId = data.id;
  window.scrollTo(scrollX, scrollY);
  document.documentElement.dataset.version = data.id;
}

const fetched = (path) => fetch(path).then((answer) => answer.json());

async function refreshAll() {
  const data = await fetched("/data");
  if (data.id !== shownId) drawWatched(data);
}

async function refreshAdvice() {
  const { id, advice } = await fetched("/advice");
  if (id !== shownId || !window.tilewright.timeline) return refreshAll();
  window.tilewright.data.advice = advice;
  document.getElementById("advice").replaceWith(adviceSection(window.tilewright.data));
}

function listen() {
  const events = new EventSource("/events");
  const say = (text) => {
    const place = document.getElementById("connection");
    if (place) place.textContent = text;
  };
  events.addEventListener("open", () => say(""));
  events.addEventListener("error", () => say("\u2013 watch has ended; this is what it said last"));
  for (const name of ["version", "advice"])
    events.addEventListener(name, (event) => {
      if (event.data !== shownId) refreshAll();
      else if (name === "advice") refreshAdvice();
    });
}

drawWatched(JSON.parse(document.getElementById("data").textContent));
listen();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
