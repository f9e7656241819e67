import OpenAI from "openai";
import { assert, check, isForecast, question, schema } from "./check.mjs";

export async function testOpenAI(baseURL, apiKey) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const messages = [{ role: "user", content: question }];
  const model = (await client.models.list()).data[0].id;
  const ask = (more = {}) => client.chat.completions.create({ model, messages, max_tokens: 8, seed: 1, ...more });
  const tools = [{ type: "function", function: { name: "forecast", parameters: schema } }];

  await check("openai: models", async () => assert.equal((await client.models.retrieve(model)).id, model));
  await check("openai: chat", async () => {
    const a = await ask();
    assert.equal(a.choices[0].message.role, "assistant");
    assert.equal(a.usage.completion_tokens, 8);
    assert.notEqual(a.choices[0].message.content, "");
    assert.match(a.system_fingerprint, /^fp_/);
    assert.deepEqual((await ask()).choices, a.choices);
  });
  await check("openai: streaming", async () => {
    let text = "", usage;
    for await (const part of await ask({ stream: true, stream_options: { include_usage: true } })) {
      text += part.choices[0]?.delta.content ?? "";
      usage = part.usage ?? usage;
    }
    assert.equal(text, (await ask()).choices[0].message.content);
    assert.equal(usage.completion_tokens, 8);
  });
  await check("openai: the helper of streams", async () => {
    const stream = client.chat.completions.stream({ model, messages, max_tokens: 8, seed: 1 });
    assert.equal(await stream.finalContent(), (await ask()).choices[0].message.content);
  });
  await check("openai: tools", async () => {
    for (const tool_choice of ["required", { type: "function", function: { name: "forecast" } }]) {
      const a = await ask({ tools, tool_choice, max_tokens: 100, parallel_tool_calls: false });
      assert.equal(a.choices[0].finish_reason, "tool_calls");
      const [call] = a.choices[0].message.tool_calls;
      assert.equal(call.function.name, "forecast");
      isForecast(JSON.parse(call.function.arguments));
      await client.chat.completions.create({ model, max_tokens: 4, tools, messages: [...messages, a.choices[0].message,
        { role: "tool", tool_call_id: call.id, content: "Rain" }] });
    }
  });
  await check("openai: streamed tools", async () => {
    const stream = client.chat.completions.stream({ model, messages, tools, tool_choice: "required", max_tokens: 100, seed: 2,
      parallel_tool_calls: false });
    const final = await stream.finalChatCompletion();
    isForecast(JSON.parse(final.choices[0].message.tool_calls[0].function.arguments));
  });
  await check("openai: JSON schema", async () => {
    const response_format = { type: "json_schema", json_schema: { name: "forecast", strict: true, schema } };
    isForecast(JSON.parse((await ask({ response_format, max_tokens: 100 })).choices[0].message.content));
  });
  await check("openai: logprobs", async () => {
    const a = await ask({ logprobs: true, top_logprobs: 3 });
    const { content } = a.choices[0].logprobs;
    assert.equal(content.length, 8);
    for (const token of content) assert.ok(token.logprob <= 0 && token.top_logprobs.length === 3);
    const c = await client.completions.create({ model, prompt: "Once", max_tokens: 4, logprobs: 2 });
    assert.equal(c.choices[0].logprobs.tokens.length, 4);
  });
  await check("openai: embeddings", async () => {
    const a = await client.embeddings.create({ model, input: ["a", "b"] });  // base64 by default
    const b = await client.embeddings.create({ model, input: "a", encoding_format: "float" });
    assert.deepEqual(Array.from(a.data[0].embedding), Array.from(Float32Array.from(b.data[0].embedding)));
  });
  await check("openai: abort", async () => {
    const stream = await ask({ stream: true, max_tokens: 400 });
    let parts = 0;
    for await (const part of stream) if (++parts === 3) stream.controller.abort();
    assert.ok(parts < 10, String(parts));
  });
  await check("openai: errors", async () => {
    await assert.rejects(ask({ temperature: -1 }), (e) => e instanceof OpenAI.BadRequestError && e.param === "temperature");
    await assert.rejects(new OpenAI({ baseURL, apiKey: "wrong", maxRetries: 0 }).models.list(), OpenAI.AuthenticationError);
  });
}
