import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embed, generateObject, generateText, jsonSchema, streamText, tool } from "ai";
import { assert, check, isForecast, question, schema } from "./check.mjs";

export async function testAi(baseURL, apiKey) {
  const provider = createOpenAICompatible({ name: "tilewright", baseURL, apiKey, includeUsage: true,
                                            supportsStructuredOutputs: true });
  const model = provider.chatModel("any");
  const common = { model, prompt: question, maxOutputTokens: 8, seed: 1, maxRetries: 0 };

  let text;
  await check("ai: chat", async () => {
    const a = await generateText(common);
    text = a.text;
    assert.notEqual(text, "");
    assert.equal(a.usage.outputTokens, 8);
    assert.equal(a.finishReason, "length");
  });
  await check("ai: streaming", async () => {
    const stream = streamText(common);
    let all = "";
    for await (const piece of stream.textStream) all += piece;
    assert.equal(all, text);
    assert.equal((await stream.usage).outputTokens, 8);
  });
  await check("ai: tools", async () => {
    const tools = { forecast: tool({ inputSchema: jsonSchema(schema) }) };
    const a = await generateText({ ...common, tools, toolChoice: "required", maxOutputTokens: 100 });
    assert.equal(a.toolCalls[0].toolName, "forecast");
    isForecast(a.toolCalls[0].input);
    const stream = streamText({ ...common, tools, toolChoice: "required", maxOutputTokens: 100 });
    isForecast((await stream.toolCalls)[0].input);
  });
  await check("ai: JSON schema", async () => {
    const a = await generateObject({ ...common, schema: jsonSchema(schema), maxOutputTokens: 100 });
    isForecast(a.object);
  });
  await check("ai: embeddings", async () => {
    const a = await embed({ model: provider.textEmbeddingModel("any"), value: "a" });
    assert.ok(Math.abs(a.embedding.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-5);
  });
  await check("ai: abort", async () => {
    const controller = new AbortController();
    const stream = streamText({ ...common, maxOutputTokens: 400, abortSignal: controller.signal, onError: () => {} });
    let parts = 0;
    for await (const piece of stream.fullStream)
      if (piece.type === "text-delta" && ++parts === 3) controller.abort();
    assert.ok(parts < 20, String(parts));
  });
}
