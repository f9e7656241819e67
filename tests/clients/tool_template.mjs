// Gives a synthetic model a chat template that knows tools, in the form of Qwen.
import { readFileSync, writeFileSync } from "node:fs";

const file = process.argv[2] + "/tokenizer_config.json";
const config = JSON.parse(readFileSync(file, "utf8"));
config.chat_template =
  "{%- if tools %}<|im_start|>system\n" +
  "{%- for tool in tools %}{{ tool | tojson }}\n{%- endfor %}" +
  "Calls are written <tool_call>\n{\"name\": N, \"arguments\": A}\n</tool_call><|im_end|>\n{%- endif %}" +
  "{%- for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}" +
  "{%- for call in message.tool_calls or [] %}<tool_call>{{ call.function.name }} {{ call.function.arguments | tojson }}" +
  "</tool_call>{%- endfor %}<|im_end|>\n{%- endfor %}" +
  "{%- if add_generation_prompt %}<|im_start|>assistant\n{%- endif %}";
writeFileSync(file, JSON.stringify(config));
