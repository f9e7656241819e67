// session.mjs ADDRESS KEY all|short: every client that must work, or one of them.
import { end } from "./check.mjs";
import { testOpenAI } from "./openai.mjs";

const [address, key, part] = process.argv.slice(2);
await testOpenAI(address, key);
if (part === "all") {
  await (await import("./ai.mjs")).testAi(address, key);
  await (await import("./langchain.mjs")).testLangChain(address, key);
}
end();
