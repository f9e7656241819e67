// The one tooltip of the page: a title and named facts beside the pointer, inside the window.
class Tooltip {
  constructor() {
    this.element = make("div", { id: "tooltip", role: "status" });
    document.getElementById("tooltip")?.remove();
    document.body.append(this.element);
  }
  // `facts` is a list of [name, text]; empty texts are left out.
  show(event, title, facts) {
    const list = make("dl");
    for (const [name, text] of facts)
      if (text) list.append(make("dt", {}, name), make("dd", {}, text));
    this.element.replaceChildren(make("div", { class: "title" }, title), list);
    const { width, height } = this.element.getBoundingClientRect();
    const right = event.clientX + 16 + width < window.innerWidth;
    const x = right ? event.clientX + 16 : event.clientX - 16 - width;
    const y = Math.min(event.clientY + 16, window.innerHeight - height - 8);
    this.element.style.transform = `translate(${Math.max(8, x)}px, ${Math.max(8, y)}px)`;
    this.element.style.visibility = "visible";
  }
  hide() {
    this.element.style.visibility = "hidden";
  }
  // For elements of a drawing: `facts` is called when the pointer comes.
  attach(element, title, facts) {
    element.addEventListener("pointermove", (event) => this.show(event, title, facts()));
    element.addEventListener("pointerleave", () => this.hide());
  }
}
