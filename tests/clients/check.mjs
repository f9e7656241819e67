// What the tests of the clients share.
import assert from "node:assert/strict";

export { assert };
let failures = 0;

export async function check(name, test) {
  try {
    await test();
    console.log("ok      " + name);
  } catch (e) {
    ++failures;
    console.log("FAILED  " + name + "\n" + (e.stack ?? e));
  }
}
export const end = () => process.exit(failures ? 1 : 0);

// Bounded, so that random weights come to an end.
export const schema = {
  type: "object",
  properties: { city: { enum: ["Lima", "Oslo"] }, days: { type: "integer", minimum: 1, maximum: 9 } },
  required: ["city", "days"],
  additionalProperties: false,
};
export function isForecast(value) {
  assert.ok(["Lima", "Oslo"].includes(value.city), JSON.stringify(value));
  assert.ok(value.days >= 1 && value.days <= 9, JSON.stringify(value));
}
export const question = "What is the weather?";
