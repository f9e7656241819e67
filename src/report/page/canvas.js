// A canvas as wide as its place, sharp on every screen, painted again when its size or the colour
// scheme changes. Painting happens at most once per frame.
class Surface {
  // `paint(context, width, height)` gets CSS pixels.
  constructor(height, paint, properties = {}) {
    this.paint = paint;
    this.height = height;
    this.width = 0;
    this.canvas = make("canvas", { style: `height: ${height}px`, ...properties });
    this.element = make("div", { class: "surface" }, this.canvas);
    this.pending = false;
    this.frames = 0;
    new ResizeObserver(() => this.fit()).observe(this.element);
    schemeFollowers.add(() => this.refresh());
  }
  setHeight(height) {
    this.height = height;
    this.canvas.style.height = `${height}px`;
    this.fit();
  }
  fit() {
    this.width = this.element.clientWidth;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.draw(); // a resized canvas is empty: waiting for a frame would flicker
  }
  refresh() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }
  draw() {
    if (this.width <= 0) return;
    const context = this.canvas.getContext("2d");
    const scale = window.devicePixelRatio || 1;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.paint(context, this.width, this.height);
    ++this.frames;
  }
}

// The colours of theme.css, for canvases.
function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"),
    soft: of("soft"),
    faint: of("faint"),
    line: of("line"),
    track: of("track"),
    surface: of("surface"),
    accent: of("accent"),
    sans: of("sans"),
  };
}
