// One answer on the page, as it is made.
class AnswerView {
  constructor() {
    this.text = element("div", { class: "text" });
    this.facts = element("div", { class: "facts" });
    this.root = element("article", { class: "turn assistant busy" }, this.text, this.facts);
    this.content = "";
    this.tokens = 0;
    this.began = performance.now();
  }

  thoughts() {
    if (!this.thought) {
      this.thought = element("div", { class: "text" });
      this.root.prepend(element("details", { class: "thoughts", open: "" }, element("summary", {}, "Thoughts"), this.thought));
    }
    return this.thought;
  }

  // A piece of text with the tokens that made it.
  add(text, tokens, where) {
    if (!this.first) this.first = performance.now();
    this.last = performance.now();
    this.tokens += Math.max(1, tokens.length);
    if (!text) return;
    const span = element("span", { class: "token" });
    span.textContent = text;
    if (tokens.length) {
      const surest = Math.min(...tokens.map((t) => Math.exp(t.logprob)));
      span.style.setProperty("--doubt", (0.45 * (1 - surest)).toFixed(3));
      span.tabIndex = -1;
      for (const come of ["mouseenter", "focus"]) span.addEventListener(come, () => showTip(span, tokens));
      for (const go of ["mouseleave", "blur"]) span.addEventListener(go, hideTip);
    }
    where.append(span);
  }
  addContent(text, tokens) {
    this.content += text;
    this.add(text, tokens, this.text);
  }

  showFacts(words = []) {
    const seconds = (this.last - this.first) / 1000;
    if (this.tokens > 1 && seconds > 0) words.unshift(`${((this.tokens - 1) / seconds).toFixed(1)} tokens/s`);
    if (this.first) words.push(`first after ${((this.first - this.began) / 1000).toFixed(2)} s`);
    this.facts.replaceChildren(...words.map((w) => element("span", {}, w)));
  }
  fail(message) {
    this.root.insertBefore(element("div", { class: "trouble", role: "alert" }, message), this.facts);
  }
  end() {
    this.root.classList.remove("busy");
  }
}
