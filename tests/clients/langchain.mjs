import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { tool } from "@langchain/core/tools";
import { assert, check, isForecast, question, schema } from "./check.mjs";

export async function testLangChain(baseURL, apiKey) {
  const options = { model: "any", apiKey, configuration: { baseURL }, maxRetries: 0 };
  const chat = (more = {}) => new ChatOpenAI({ ...options, maxTokens: 8, modelKwargs: { seed: 1 }, ...more });

  let text;
  await check("langchain: chat", async () => {
    const a = await chat().invoke(question);
    text = a.content;
    assert.notEqual(text, "");
    assert.equal(a.usage_metadata.output_tokens, 8);
  });
  await check("langchain: streaming", async () => {
    let all = "";
    for await (const part of await chat().stream(question)) all += part.content;
    assert.equal(all, text);
  });
  await check("langchain: tools", async () => {
    const forecast = tool(async () => "Rain", { name: "forecast", description: "the weather", schema });
    const a = await chat({ maxTokens: 100 }).bindTools([forecast], { tool_choice: "required" }).invoke(question);
    assert.equal(a.tool_calls[0].name, "forecast");
    isForecast(a.tool_calls[0].args);
  });
  await check("langchain: JSON schema", async () => {
    const structured = chat({ maxTokens: 100 }).withStructuredOutput({ title: "forecast", ...schema }, { method: "jsonSchema" });
    isForecast(await structured.invoke(question));
  });
  await check("langchain: logprobs", async () => {
    const a = await chat({ logprobs: true, topLogprobs: 2 }).invoke(question);
    assert.equal(a.response_metadata.logprobs.content.length, 8);
  });
  await check("langchain: embeddings", async () => {
    const vectors = await new OpenAIEmbeddings(options).embedDocuments(["a", "b"]);
    assert.equal(vectors.length, 2);
    assert.equal(vectors[0].length, vectors[1].length);
  });
  await check("langchain: abort", async () => {
    const controller = new AbortController();
    let parts = 0;
    await assert.rejects(async () => {
      for await (const part of await chat({ maxTokens: 400 }).stream(question, { signal: controller.signal }))
        if (++parts === 3) controller.abort();
    });
    assert.ok(parts < 20, String(parts));
  });
}
