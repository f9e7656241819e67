// Finds kernels and tasks by name, and tasks by number. The key / begins a search.
const mostHits = 12;

class Search {
  constructor(timeline, inside, palette) {
    Object.assign(this, { timeline, inside, palette, hits: [], at: 0 });
    this.list = make("ul", { class: "hits", role: "listbox", hidden: "" });
    this.input = make("input", {
      id: "search",
      type: "search",
      placeholder: "Kernel or task",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "find a kernel or a task by name or number",
      oninput: () => this.look(),
      onfocus: () => this.look(),
      onblur: () => this.close(),
      onkeydown: (event) => this.key(event),
    });
    this.element = make("div", { class: "search" }, this.input, make("kbd", {}, "/"), this.list);
  }

  // Kernels first; then the task of that number; then tasks in their order.
  find(text) {
    const { tasks, data } = this.timeline;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const matches = (name) => words.every((w) => name.toLowerCase().includes(w));
    const hits = data.stages
      .filter((s) => matches(data.kernels[s.kernel].name))
      .map((s) => ({ kernel: s.kernel, tasks: s.tasks }));
    const number = /^#?(\d+)$/.exec(text.trim());
    if (number && Number(number[1]) < tasks.count) hits.push({ task: Number(number[1]) });
    for (let i = 0; i < tasks.count && hits.length < mostHits; ++i)
      if (matches(tasks.name(i)) && hits.every((h) => h.task !== i)) hits.push({ task: i });
    return hits.slice(0, mostHits);
  }

  look() {
    this.hits = this.find(this.input.value);
    this.at = 0;
    this.draw();
  }
  draw() {
    const { tasks, data } = this.timeline;
    const row = (hit, i) => {
      const isTask = hit.task !== undefined;
      const kernel = isTask ? tasks.kernel[hit.task] : hit.kernel;
      return make(
        "li",
        {
          role: "option",
          "aria-selected": String(i === this.at),
          // Before the input loses the focus, which closes the list.
          onpointerdown: (event) => {
            event.preventDefault();
            this.go(hit);
          },
        },
        make("span", { class: "chip", style: `background: ${this.palette.of(kernel)}` }),
        make("span", { class: "name" }, isTask ? tasks.name(hit.task) : data.kernels[kernel].name),
        make("span", { class: "soft" }, isTask ? `task ${hit.task}` : counted(hit.tasks, "task")),
      );
    };
    const asked = this.input.value.trim() !== "";
    const rows = this.hits.map(row);
    this.list.replaceChildren(
      ...(asked && !rows.length ? [make("li", { class: "soft" }, "nothing of that name")] : rows),
    );
    this.list.hidden = !asked;
  }
  close() {
    this.list.hidden = true;
  }
  key(event) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && this.hits.length) {
      this.at = (this.at + move + this.hits.length) % this.hits.length;
      this.draw();
    } else if (event.key === "Enter" && this.hits.length) {
      this.go(this.hits[this.at]);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.input.blur();
    } else {
      return;
    }
    event.preventDefault();
  }

  go({ kernel, task }) {
    const { timeline } = this;
    if (task === undefined) {
      timeline.pointOut(kernel);
      this.inside?.showKernel(kernel);
    } else {
      timeline.choose(task);
      timeline.view.frame(timeline.tasks.start[task], timeline.tasks.end[task]);
    }
    this.input.blur();
    document.getElementById("timeline").scrollIntoView({ block: "start" });
  }
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const input = document.getElementById("search");
  if (!input) return;
  event.preventDefault();
  input.focus();
  input.select();
});
