// The conversation: what was said, and the answer that is being made.
const said = [];  // {role, content}
let running = null;  // an AbortController

function greet() {
  byId("model").textContent = props.model;
  byId("fingerprint").textContent = props.system_fingerprint;
  document.title = props.model + " \u2013 Tilewright";
  byId("text").placeholder = props.chat ? "Message" : "The beginning of a text";
  showDefaults(props.defaults);
  if (!said.length) showEmpty();
}

function showEmpty() {
  byId("conversation").replaceChildren(element("div", { class: "empty" },
    element("h1", {}, props ? props.model : "Tilewright"),
    element("p", {}, props && !props.chat ? "This model has no chat format: it continues what you write. " : "Ask something. "),
    element("p", {}, element("kbd", {}, "Enter"), " sends, ", element("kbd", {}, "Shift Enter"), " breaks the line, ", element("kbd", {}, "Esc"), " stops.")));
}

// A part of either endpoint: its text, its thoughts, and its tokens.
function readPart(data) {
  const choice = data.choices[0];
  if (!choice) return null;
  const token = (t) => ({ text: t.token, logprob: t.logprob, best: (t.top_logprobs || []).map((o) => ({ text: o.token, logprob: o.logprob })) });
  if (choice.delta)
    return { content: choice.delta.content || "", thoughts: choice.delta.reasoning_content || "", finish: choice.finish_reason,
             tokens: choice.logprobs ? choice.logprobs.content.map(token) : [] };
  const lists = choice.logprobs;
  const tokens = lists ? lists.tokens.map((text, i) => ({ text, logprob: lists.token_logprobs[i],
    best: Object.entries(lists.top_logprobs[i]).map(([other, logprob]) => ({ text: other, logprob })) })) : [];
  return { content: choice.text, thoughts: "", finish: choice.finish_reason, tokens };
}

function requestBody() {
  const common = { stream: true, stream_options: { include_usage: true }, ...samplingFields() };
  if (!props.chat)
    return ["/v1/completions", { max_tokens: 4096, ...common, prompt: said.map((m) => m.content).join(""), logprobs: 5 }];
  const system = byId("system").value.trim();
  const messages = (system ? [{ role: "system", content: system }] : []).concat(said);
  if (!byId("thinking").checked) common.chat_template_kwargs = { enable_thinking: false };
  return ["/v1/chat/completions", { ...common, messages, logprobs: true, top_logprobs: 5 }];
}

const nearEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 80;

async function answer() {
  const view = new AnswerView(), box = byId("conversation");
  box.append(view.root);
  box.scrollTop = box.scrollHeight;
  running = new AbortController();
  showBusy();
  const facts = [];
  try {
    const [path, body] = requestBody();
    await stream(path, body, running.signal, (data) => {
      const follow = nearEnd(box), part = readPart(data);
      if (data.usage) facts.push(`${data.usage.prompt_tokens} + ${data.usage.completion_tokens} tokens`);
      if (data.usage && data.usage.prompt_tokens_details.cached_tokens)
        facts.push(`${data.usage.prompt_tokens_details.cached_tokens} cached`);
      view.seed = data.seed;
      if (!part) return;
      if (part.thoughts) view.add(part.thoughts, part.tokens, view.thoughts());
      else if (part.content || part.tokens.length) view.addContent(part.content, part.tokens);
      if (part.finish === "length") facts.push("token limit");
      view.showFacts();
      if (follow) box.scrollTop = box.scrollHeight;
    });
    facts.push(`seed ${view.seed}`);
  } catch (e) {
    if (e.name === "AbortError") facts.push("stopped");
    else view.fail(e.message);
  }
  running = null;
  if (!view.root.isConnected) return showBusy();  // another chat has begun
  said.push({ role: "assistant", content: view.content });
  view.end();
  view.showFacts(facts);
  for (const old of document.querySelectorAll(".again")) old.remove();
  view.facts.append(element("button", { class: "again", type: "button", onclick: regenerate, title: "answer anew" }, "Regenerate"));
  showBusy();
  askState();
}

function showBusy() {
  byId("send").textContent = running ? "Stop" : "Send";
  byId("send").classList.toggle("stop", !!running);
}

function regenerate() {
  if (running) return;
  said.pop();
  document.querySelector(".turn:last-child").remove();
  answer();
}

function say(text) {
  if (!said.length) byId("conversation").replaceChildren();
  said.push({ role: "user", content: text });
  const words = element("div", { class: "text" });
  words.textContent = text;
  byId("conversation").append(element("article", { class: "turn user" }, words));
  answer();
}
