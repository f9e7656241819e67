// Flags that several commands share. A flag of one command is declared in that command's file.
#pragma once

#include "tilewright/cli/commands.h"

namespace tilewright::cli {

// No square brackets, colons or quotes in the texts of flags: the zsh completion interprets them.
inline constexpr Flag kPlatform{"-p", "--platform", "NAME",
                                "cpu (default), a2a3sim, a5sim or FILE.json"};
inline constexpr Flag kShape{"", "--shape", "NAME", "named problem size (default the first)"};
inline constexpr Flag kSet{"", "--set", "KEY=VALUE",
                           "sets a key; in a .py file, a constant; repeatable", true};
inline constexpr Flag kArg{"", "--arg", "NAME=VALUE",
                           "sets a constant of a .py file, as --set does", true};
inline constexpr Flag kPath{"", "--path", "DIR", "searches DIR for imported modules; repeatable", true};
inline constexpr Flag kReference{"", "--reference", "NAME",
                                 "uses the formula and inputs of program NAME"};
inline constexpr Flag kSeed{"", "--seed", "N", "seed of the generated inputs (default 1)"};
inline constexpr Flag kBudget{"", "--budget", "LIMITS",
                              "byte limits per operand, e.g. vector=2048,cube=16384"};
inline constexpr Flag kJson{"", "--json", "FILE",
                            "writes JSON to FILE; - writes only JSON to stdout"};
inline constexpr Flag kRules{"", "--rules", "NAME",
                             "rules of a runtime, e.g. exact or august-2026"};
inline constexpr Flag kMachine{"-p", "--platform", "NAME",
                               "a2a3sim (default), a5sim or FILE.json"};
inline constexpr Flag kOverride{"", "--override", "PATH=NUMBER",
                                "changes a number, which then counts as assumed", true};
inline constexpr Flag kIdeal{"", "--ideal", "WHAT",
                             "sets runtime, hbm, latency, cube or vector cost to 0", true};
inline constexpr Flag kExtern{"", "--extern", "NAME=US",
                              "us per block of an external kernel; repeatable", true};
inline constexpr Flag kUnprofiled{"", "--unprofiled", "",
                                  "predicts a run that does not record each task"};
inline constexpr Flag kTiling{"", "--tiling", "FILE", "reads keys from a file that tune wrote"};
inline constexpr Flag kModel{"-m", "--model", "DIR", "Hugging Face directory or .gguf file"};
inline constexpr Flag kContext{"-c", "--ctx-size", "N",
                               "context size in tokens (default at most 4096)"};
inline constexpr Flag kPrompt{"-p", "--prompt", "TEXT", "input text", false, true};
inline constexpr Flag kTextFile{"-f", "--file", "FILE", "reads the input text from FILE; - is stdin"};
inline constexpr Flag kSystem{"", "--system", "TEXT", "system prompt, in the chat format", false, true};
inline constexpr Flag kEngineThreads{"-t", "--threads", "N", "number of threads (default one per core)"};
inline constexpr Flag kSums{"", "--sums", "ORDER",
                            "reproducible on every machine, or fastest (AMX)"};
inline constexpr Flag kCacheType{"", "--cache-type", "TYPE",
                                 "KV cache in f32, f16 or bf16 (default by weights)"};
inline constexpr Flag kTemp{"", "--temp", "T", "sampling temperature; 0 always takes the top token"};
inline constexpr Flag kTopK{"", "--top-k", "N", "keeps the N most likely tokens; 0 keeps all"};
inline constexpr Flag kTopP{"", "--top-p", "P", "keeps the smallest top set with total probability P"};
inline constexpr Flag kMinP{"", "--min-p", "P",
                            "keeps tokens of at least P x the top probability"};
inline constexpr Flag kRepeat{"", "--repeat-penalty", "X", "penalty for tokens seen before; 1 turns it off"};
inline constexpr Flag kPresence{"", "--presence-penalty", "X",
                                "penalty for tokens in the answer; 0 turns it off"};
inline constexpr Flag kFrequency{"", "--frequency-penalty", "X",
                                 "the same for each time a token is in the answer"};
inline constexpr Flag kSpeculate{"", "--speculate", "N",
                                 "guesses N tokens a step; same text (default 0)"};
inline constexpr Flag kTokenSeed{"-s", "--seed", "N", "sampling seed (default 0)"};
inline constexpr Flag kHelp{"-h", "--help", "", "shows this help"};

}  // namespace tilewright::cli
