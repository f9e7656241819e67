// Flags that several commands have. One that a single command has stands in that command's file.
#pragma once

#include "tilewright/cli/commands.h"

namespace tilewright::cli {

// No brackets, colons or quotes in the texts of flags: the zsh completion gives them a meaning.
inline constexpr Flag kPlatform{"-p", "--platform", "NAME",
                                "cpu by default, a2a3sim, a5sim or FILE.json"};
inline constexpr Flag kShape{"", "--shape", "NAME", "named problem size, the first by default"};
inline constexpr Flag kSet{"", "--set", "KEY=VALUE", "sets a size or tiling constant; repeatable",
                           true};
inline constexpr Flag kArg{"", "--arg", "NAME=VALUE", "sets a number of a program file; repeatable",
                           true};
inline constexpr Flag kPath{"", "--path", "DIR", "where modules are looked for; repeatable", true};
inline constexpr Flag kReference{"", "--reference", "NAME",
                                 "program whose formula and inputs a file is run with"};
inline constexpr Flag kSeed{"", "--seed", "N", "seed of the generated inputs, 1 by default"};
inline constexpr Flag kBudget{"", "--budget", "LIMITS",
                              "bytes per operand, as in vector=2048,cube=16384"};
inline constexpr Flag kJson{"", "--json", "FILE",
                            "writes the result as JSON; - is stdout, for it alone"};
inline constexpr Flag kRules{"", "--rules", "NAME", "ordering rules of another runtime"};
inline constexpr Flag kMachine{"-p", "--platform", "NAME",
                               "a2a3sim by default, a5sim or FILE.json"};
inline constexpr Flag kOverride{"", "--override", "PATH=NUMBER",
                                "another value for a number of the platform", true};
inline constexpr Flag kIdeal{"", "--ideal", "WHAT",
                             "leaves out runtime, hbm, latency, cube or vector", true};
inline constexpr Flag kExtern{"", "--extern", "NAME=US",
                              "time of a block of an external kernel; repeatable", true};
inline constexpr Flag kUnprofiled{"", "--unprofiled", "",
                                  "without the cost of recording every task"};
inline constexpr Flag kTiling{"", "--tiling", "FILE", "keys from a file that tune wrote"};
inline constexpr Flag kModel{"-m", "--model", "DIR", "Hugging Face directory, or a .gguf file"};
inline constexpr Flag kContext{"-c", "--ctx-size", "N",
                               "tokens of context, at most 4096 by default"};
inline constexpr Flag kPrompt{"-p", "--prompt", "TEXT", "the text", false, true};
inline constexpr Flag kTextFile{"-f", "--file", "FILE", "takes the text from a file; - is stdin"};
inline constexpr Flag kEngineThreads{"-t", "--threads", "N", "one per core by default"};
inline constexpr Flag kTemp{"", "--temp", "T", "temperature; 0 takes the best token always"};
inline constexpr Flag kTopK{"", "--top-k", "N", "chooses among the N best; 0 is all"};
inline constexpr Flag kTopP{"", "--top-p", "P", "the fewest best that together have probability P"};
inline constexpr Flag kMinP{"", "--min-p", "P",
                            "those with this share of the probability of the best"};
inline constexpr Flag kRepeat{"", "--repeat-penalty", "X", "of tokens seen before; 1 is none"};
inline constexpr Flag kPresence{"", "--presence-penalty", "X",
                                "of tokens in the answer; 0 is none"};
inline constexpr Flag kTokenSeed{"-s", "--seed", "N", "seed of the choices, 0 by default"};
inline constexpr Flag kHelp{"-h", "--help", "", "shows this help"};

}  // namespace tilewright::cli
