// Cores over time: wheel zooms, dragging pans, hovering tells about a task, a click keeps it.
class Timeline {
  constructor(data, palette, tooltip, view = new TimeView(data.all.total_us)) {
    this.tasks = new Tasks(data);
    this.lanes = new Lanes(data, this.tasks);
    this.data = data;
    this.view = view;
    this.tooltip = tooltip;
    this.path = decodeColumn(data.path.task);
    this.onPath = new Uint8Array(this.tasks.count);
    for (const i of this.path) this.onPath[i] = 1;
    this.palette = palette;
    this.hovered = -1;
    this.chosen = -1;
    this.kernel = -1; // the one the legend points out
    this.pathOnly = false;
    this.label = data.measured ? "measured" : "predicted";
    this.peer = null; // another run of the same tasks
    this.surface = new Surface(lanesTop + this.lanes.height + 2, (c, w, h) => this.paint(c, w, h), {
      tabindex: 0,
      "aria-label": "cores over time",
    });
    this.overview = new Surface(46, (c, w, h) => this.paintOverview(c, w, h));
    this.busy = busyShares(this.tasks, this.lanes, 600);
    pickFrom(this.overview, view);
    view.follow(() => {
      this.surface.refresh();
      this.overview.refresh();
    });
    steer(this.surface, view, gutter);
    this.listen();
    this.details = make(
      "div",
      { class: "task-details soft" },
      "Hover over a task to read it; click to keep it here.",
    );
    this.element = make(
      "div",
      { class: "timeline" },
      this.controls(),
      this.legend(),
      this.overview.element,
      this.surface.element,
      this.details,
    );
  }

  strength(kernel, task = -1) {
    if (this.kernel >= 0 && kernel !== this.kernel) return 0.12;
    if (this.pathOnly && !(task >= 0 && this.onPath[task])) return 0.15;
    return 1;
  }
  paint(context, width, height) {
    this.colours = themeColours();
    paintTimeline(context, this, width, height);
    paintPath(context, this, width, height);
    const task = this.hovered >= 0 ? this.hovered : this.chosen;
    if (task >= 0) paintNeighbours(context, this, task, width, height);
    if (task >= 0 && this.peer) paintGhost(context, this, task, width, height);
  }
  paintOverview(context, width, height) {
    paintBusy(context, this.busy, this.tasks.total, this.view, width, height, themeColours());
  }

  controls() {
    const pathButton = make(
      "button",
      {
        "aria-pressed": "false",
        onclick: () => {
          const pathOnly = !this.pathOnly;
          pathButton.setAttribute("aria-pressed", pathOnly);
          for (const timeline of this.both()) {
            timeline.pathOnly = pathOnly;
            timeline.surface.refresh();
          }
        },
      },
      "Critical path only",
    );
    const middle = () => (this.view.low + this.view.high) / 2;
    return make(
      "div",
      { class: "bar-row" },
      make("button", { onclick: () => this.view.reset() }, "Whole run"),
      make(
        "button",
        { onclick: () => this.view.zoom(middle(), 0.5), "aria-label": "zoom in" },
        "+",
      ),
      make(
        "button",
        { onclick: () => this.view.zoom(middle(), 2), "aria-label": "zoom out" },
        "\u2212",
      ),
      pathButton,
      make(
        "span",
        { class: "soft small" },
        "wheel zooms, drag pans; keys ",
        make("kbd", {}, "\u2190"),
        " ",
        make("kbd", {}, "\u2192"),
        " ",
        make("kbd", {}, "+"),
        " ",
        make("kbd", {}, "-"),
        " ",
        make("kbd", {}, "0"),
        ". Outlined in ink: the critical path.",
      ),
    );
  }
  legend() {
    this.buttons = this.data.stages.map((s) =>
      make(
        "button",
        {
          "aria-pressed": "false",
          onclick: () => this.pointOut(this.kernel === s.kernel ? -1 : s.kernel),
        },
        chip(this.palette, s.kernel),
        this.data.kernels[s.kernel].name,
      ),
    );
    return make("div", { class: "legend" }, this.buttons);
  }
  // Two runs of the same tasks: what is pointed at in one is pointed at in the other.
  pair(other) {
    [this.peer, other.peer] = [other, this];
  }
  both() {
    return this.peer ? [this, this.peer] : [this];
  }
  facts(task) {
    return [...taskFacts(this.tasks, this.data, task, this.onPath), ...peerFacts(this, task)];
  }
  // Shows one kernel alone; -1 shows all.
  pointOut(kernel) {
    for (const timeline of this.both()) timeline.showKernel(kernel);
  }
  showKernel(kernel) {
    this.kernel = kernel;
    this.data.stages.forEach((s, i) =>
      this.buttons[i].setAttribute("aria-pressed", s.kernel === kernel),
    );
    this.surface.refresh();
  }

  listen() {
    const canvas = this.surface.canvas;
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => {
      this.pointAt(-1);
      this.tooltip.hide();
    });
    // Not the hovered one: a move with the button held down hovers over nothing.
    canvas.addEventListener("click", (event) => {
      if (canvas.dataset.dragged) return;
      this.choose(this.taskUnder(event));
    });
    canvas.addEventListener("dblclick", () => {
      if (this.chosen >= 0)
        this.view.frame(this.tasks.start[this.chosen], this.tasks.end[this.chosen]);
    });
  }
  taskUnder(event) {
    const perPixel = this.view.span / Math.max(1, this.surface.width - gutter);
    const us = this.view.low + (event.offsetX - gutter) * perPixel;
    return this.lanes.taskAt(this.lanes.laneAt(event.offsetY - lanesTop), us, 3 * perPixel);
  }
  hover(event) {
    const task = event.buttons ? -1 : this.taskUnder(event);
    this.pointAt(task);
    if (task < 0) this.tooltip.hide();
    else this.tooltip.show(event, this.tasks.name(task), this.facts(task));
  }
  pointAt(task) {
    for (const timeline of this.both()) {
      if (timeline.hovered === task) continue;
      timeline.hovered = task;
      timeline.surface.refresh();
    }
  }
  choose(task) {
    for (const timeline of this.both()) timeline.keep(task);
  }
  keep(task) {
    this.chosen = task;
    this.surface.refresh();
    if (task < 0) {
      this.details.textContent = "Hover over a task to read it; click to keep it here.";
      return;
    }
    const facts = this.facts(task).filter(([, text]) => text);
    this.details.replaceChildren(
      make("strong", {}, this.tasks.name(task)),
      make(
        "div",
        { class: "facts" },
        facts.map(([name, text]) => `${name}: ${text}`).join("  \u00b7  "),
      ),
    );
  }
}
