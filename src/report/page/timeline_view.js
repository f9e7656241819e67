// The part of the run that is on screen. Several drawings may follow one view.
class TimeView {
  constructor(total) {
    this.total = total;
    this.low = 0;
    this.high = total;
    this.followers = [];
  }
  get span() {
    return this.high - this.low;
  }
  follow(changed) {
    this.followers.push(changed);
  }
  set(low, high) {
    const least = 1e-3; // one nanosecond
    const span = Math.min(this.total, Math.max(least, high - low));
    this.low = Math.min(Math.max(0, low), this.total - span);
    this.high = this.low + span;
    for (const changed of this.followers) changed();
  }
  reset() {
    this.set(0, this.total);
  }
  // Keeps the moment `at` where it is; a factor below 1 shows less, larger.
  zoom(at, factor) {
    this.set(at - (at - this.low) * factor, at + (this.high - at) * factor);
  }
  pan(us) {
    this.set(this.low + us, this.high + us);
  }
  // Shows a stretch of time with some room around it.
  frame(low, high) {
    const room = Math.max(high - low, this.total * 1e-6) * 0.75;
    this.set(low - room, high + room);
  }
}

// A wheel that began to turn while the page was scrolling goes on scrolling it: a tall drawing must
// not catch somebody who is only passing by.
let lastScroll = -Infinity;
window.addEventListener("scroll", () => (lastScroll = performance.now()), { passive: true });
const pageIsScrolling = () => performance.now() - lastScroll < 250;

// Wheel, drag and keys move the view. `left` is the gutter before moment `view.low`.
function steer(surface, view, left) {
  const canvas = surface.canvas;
  const width = () => Math.max(1, surface.width - left);
  const moment = (event) => view.low + ((event.offsetX - left) / width()) * view.span;
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (pageIsScrolling()) return;
      event.preventDefault();
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const turn = sideways ? event.deltaX || event.deltaY : event.deltaY;
      if (sideways) view.pan((turn / width()) * view.span);
      else view.zoom(moment(event), Math.exp(Math.max(-200, Math.min(200, turn)) * 0.002));
    },
    { passive: false },
  );

  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    grip = { x: event.clientX, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grip || event.clientX === grip.x) return;
    if (!grip.moved && Math.abs(event.clientX - grip.x) < 3) return;
    canvas.classList.add("dragging");
    view.pan((-(event.clientX - grip.x) / width()) * view.span);
    grip = { x: event.clientX, moved: true };
  });
  const release = () => {
    canvas.dataset.dragged = grip?.moved ? "yes" : "";
    grip = null;
    canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);

  canvas.addEventListener("keydown", (event) => {
    const middle = (view.low + view.high) / 2;
    const actions = {
      ArrowLeft: () => view.pan(-0.15 * view.span),
      ArrowRight: () => view.pan(0.15 * view.span),
      ArrowUp: () => view.zoom(middle, 0.7),
      ArrowDown: () => view.zoom(middle, 1 / 0.7),
      "+": () => view.zoom(middle, 0.7),
      "=": () => view.zoom(middle, 0.7),
      "-": () => view.zoom(middle, 1 / 0.7),
      0: () => view.reset(),
      Home: () => view.reset(),
    };
    if (event.ctrlKey || event.metaKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
}
