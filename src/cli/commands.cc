#include "tilewright/cli/commands.h"

namespace tilewright::cli {
namespace {

// No brackets, colons or quotes in these texts: the zsh completion gives them a meaning.
constexpr Flag kPlatform{"-p", "--platform", "NAME", "cpu by default, a2a3sim, a5sim or FILE.json"};
constexpr Flag kDevice{"-d", "--device", "N", "number of the attached device; there is none yet"};
constexpr Flag kShape{"", "--shape", "NAME", "named problem size, the first by default"};
constexpr Flag kSet{"", "--set", "KEY=VALUE", "sets a size or tiling constant; repeatable", true};
constexpr Flag kArg{"", "--arg", "NAME=VALUE", "sets a number of a program file; repeatable", true};
constexpr Flag kReference{"", "--reference", "NAME", "program whose formula and inputs a file is run with"};
constexpr Flag kSeed{"", "--seed", "N", "seed of the generated inputs, 1 by default"};
constexpr Flag kBudget{"", "--budget", "LIMITS", "bytes per operand, as in vector=2048,cube=16384"};
constexpr Flag kJson{"", "--json", "FILE", "writes the result as JSON; - is stdout, for it alone"};
constexpr Flag kRules{"", "--rules", "NAME", "ordering rules of another runtime"};
constexpr Flag kAfter{"", "--after", "PASS", "shows the plan after this pass"};
constexpr Flag kOrderSeed{"", "--order-seed", "N", "runs the tasks in a random legal order"};
constexpr Flag kExplore{"", "--explore", "N", "also tries N orders that --rules leave legal"};
constexpr Flag kSaveData{"", "--save-data", "DIR", "saves inputs, outputs and expected values"};
constexpr Flag kReplay{"", "--replay", "DIR", "takes inputs and expected values from saved data"};
constexpr Flag kMachine{"-p", "--platform", "NAME", "a2a3sim by default, a5sim or FILE.json"};
constexpr Flag kMachineOrCpu{"-p", "--platform", "NAME", "a2a3sim by default, a5sim, cpu or FILE.json"};
constexpr Flag kOverride{"", "--override", "PATH=NUMBER",
                         "another value for a number of the platform", true};
constexpr Flag kIdeal{"", "--ideal", "WHAT",
                      "leaves out runtime, hbm, latency, cube or vector", true};
constexpr Flag kTrace{"", "--trace", "FILE", "writes a timeline that Perfetto and Chrome open"};
constexpr Flag kOutput{"-o", "--output", "FILE", "the page; a name made from the program by default"};
constexpr Flag kPage{"-o", "--output", "FILE", "also writes a page to look at"};
constexpr Flag kFit{"", "--fit", "ROUNDS", "first searches the fitted numbers of the platform"};
constexpr Flag kUnprofiled{"", "--unprofiled", "", "without the cost of recording every task"};
constexpr Flag kTiling{"", "--tiling", "FILE", "keys from a file that tune wrote"};
constexpr Flag kTuneBudget{"", "--budget", "AMOUNT", "60s of time by default, or a number of candidates"};
constexpr Flag kSpace{"", "--space", "KEY=V,V,...", "searches this key and these values; repeatable",
                      true};
constexpr Flag kTuned{"-o", "--output", "FILE", "where the best tiling is written"};
constexpr Flag kApply{"", "--apply", "", "prints the program with every mechanical change"};
constexpr Flag kApplied{"-o", "--output", "FILE", "where --apply writes the program"};
constexpr Flag kThreads{"-t", "--threads", "N", "candidates judged at once, all cores by default"};
constexpr Flag kRunThreads{"-t", "--threads", "N", "threads of -p cpu, one per core by default"};
constexpr Flag kSearchSeed{"", "--seed", "N", "seed of the search, 1 by default"};
constexpr Flag kModel{"-m", "--model", "DIR", "Hugging Face directory, or a .gguf file"};
constexpr Flag kContext{"-c", "--ctx-size", "N", "tokens of context, at most 4096 by default"};
constexpr Flag kPrompt{"-p", "--prompt", "TEXT", "the text"};
constexpr Flag kTextFile{"-f", "--file", "FILE", "takes the text from a file; - is stdin"};
constexpr Flag kIds{"", "--ids", "", "prints the ids alone, as a list"};
constexpr Flag kShowCount{"", "--show-count", "", "also prints how many tokens there are"};
constexpr Flag kNoBos{"", "--no-bos", "", "without the begin token that the model asks for"};
constexpr Flag kNoSpecial{"", "--no-parse-special", "", "special tokens in the text are text"};
constexpr Flag kModelShape{"", "--shape", "NAME", "size of the model, qwen3-0.6b or another"};
constexpr Flag kWeightSeed{"", "--seed", "N", "seed of the weights, 1 by default"};
constexpr Flag kWeightType{"", "--type", "TYPE", "bf16 by default, f16 or f32"};
constexpr Flag kModelOutput{"-o", "--output", "DIR", "where the model is written"};
constexpr Flag kEngineThreads{"-t", "--threads", "N", "one per core by default"};
constexpr Flag kCount{"-n", "--n-predict", "N", "new tokens at most, 128 by default"};
constexpr Flag kTemp{"", "--temp", "T", "temperature; 0 takes the best token always"};
constexpr Flag kTopK{"", "--top-k", "N", "chooses among the N best; 0 is all"};
constexpr Flag kTopP{"", "--top-p", "P", "the fewest best that together have probability P"};
constexpr Flag kMinP{"", "--min-p", "P", "those with this share of the probability of the best"};
constexpr Flag kRepeat{"", "--repeat-penalty", "X", "of tokens seen before; 1 is none"};
constexpr Flag kPresence{"", "--presence-penalty", "X", "of tokens in the answer; 0 is none"};
constexpr Flag kTokenSeed{"-s", "--seed", "N", "seed of the choices, 0 by default"};
constexpr Flag kIgnoreEos{"", "--ignore-eos", "", "goes on where the model would stop"};
constexpr Flag kSave{"", "--save", "FILE", "also writes the text to a file"};
constexpr Flag kBenchPrompt{"-p", "--n-prompt", "N", "tokens of the prompt, 512 by default"};
constexpr Flag kBenchGen{"-n", "--n-gen", "N", "tokens made one by one, 128 by default"};
constexpr Flag kBenchDepth{"-d", "--n-depth", "N", "tokens in the context before these, 0 by default"};
constexpr Flag kRepeats{"-r", "--repetitions", "N", "measurements of each, 3 by default"};
constexpr Flag kNpl{"", "--npl", "N,N,...", "sequences at once, 1,4,16 by default; 0 is none"};
constexpr Flag kNpp{"", "--npp", "N", "prompt of each of them, 128 by default"};
constexpr Flag kNtg{"", "--ntg", "N", "tokens made for each of them, 32 by default"};
constexpr Flag kStages{"", "--stages", "", "also where the time of the threads goes"};
constexpr Flag kAnswer{"-n", "--n-predict", "N", "tokens of an answer at most"};
constexpr Flag kSystem{"", "--system-prompt", "TEXT", "what the model is told first"};
constexpr Flag kThink{"", "--think", "", "asks for thinking, where the template knows it"};
constexpr Flag kNoThink{"", "--no-think", "", "asks for none"};
constexpr Flag kTimings{"", "--timings", "", "after every answer, tokens and tokens per second"};
constexpr Flag kSimModel{"-m", "--model", "DIR", "a whole model instead of a program"};
constexpr Flag kSimBatch{"", "--batch", "N", "of a whole model, sequences at once, 1 by default"};
constexpr Flag kSimContext{"", "--ctx", "N", "and tokens in the context of each, 4096 by default"};
constexpr Flag kHelp{"-h", "--help", "", "shows this help"};

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands{
      {"list",
       "[PROGRAM]",
       "the programs, or the shapes and keys of one",
       {kPlatform, kShape, kArg, kJson, kHelp},
       {"list", "list tour -p a2a3sim", "list layer.py"}},
      {"check",
       "PROGRAM",
       "checks a program for a platform without running it",
       {kPlatform, kShape, kSet, kArg, kReference, kTiling, kSeed, kBudget, kRules, kJson, kHelp},
       {"check tour -p a2a3sim", "check tour --rules april-2026",
        "check layer.py --arg hidden_size=5120",
        "check tour --budget vector=2048,cube=16384"}},
      {"show",
       "PROGRAM",
       "prints a program, or its plan after a pass",
       {kAfter, kPlatform, kShape, kSet, kArg, kReference, kTiling, kSeed, kBudget, kHelp},
       {"show tour", "show tour --after outline_scopes -p a5sim"}},
      {"run",
       "PROGRAM",
       "runs a program and compares its outputs with the formula",
       {kPlatform, kDevice, kShape, kSet, kArg, kReference, kTiling, kSeed, kBudget, kRunThreads,
        kOrderSeed, kRules, kExplore, kSaveData, kReplay, kJson, kHelp},
       {"run tour", "run tour --set n_tile=128 --json result.json", "run tour --save-data data",
        "run tour --replay data", "run tour --explore 20 --rules april-2026",
        "run layer.py --reference qwen3/decode"}},
      {"sim",
       "PROGRAM",
       "predicts the time of a program on a machine, without data",
       {kMachine, kShape, kSimModel, kSimBatch, kSimContext, kSet, kArg, kReference, kTiling, kSeed,
        kRules, kOverride, kIdeal, kUnprofiled, kTrace, kJson, kHelp},
       {"sim qwen3/scope3", "sim qwen3/scope3 --ideal runtime",
        "sim tour --override timing.gm.l1_latency_ns=400 --trace trace.json",
        "sim --shape qwen3-8b --batch 16 --ctx 4096", "sim -m out/models/random -p a5sim"},
       "With -m DIR, or --shape NAME and no program, a decode step of a whole model."},
      {"profile",
       "PROGRAM",
       "writes a page to look at: a prediction, or a run here",
       {kMachineOrCpu, kOutput, kShape, kSet, kArg, kReference, kTiling, kSeed, kRules, kOverride, kIdeal,
        kUnprofiled, kJson, kHelp},
       {"profile qwen3/scope3 -o report.html", "profile tour -p a5sim --set n_tile=128",
        "profile qwen3/decode -p cpu"}},
      {"compare",
       "PROGRAM PROGRAM",
       "two programs, or one under two settings, side by side",
       {kMachine, kPage, kShape, kSet, kArg, kReference, kSeed, kRules, kOverride, kIdeal, kUnprofiled,
        kJson, kHelp},
       {"compare qwen3/scope3-before qwen3/scope3", "compare qwen3/scope3 qwen3/scope3@mlp_n=128,mlp_k=256",
        "compare qwen3/scope3@shape=tiny qwen3/scope3 -o compare.html"},
       "PROGRAM@KEY=VALUE,KEY=VALUE sets keys of that side only; shape=NAME its size."},
      {"advise",
       "PROGRAM",
       "finds what costs time in a program, and what to change",
       {kMachine, kShape, kSet, kArg, kReference, kTiling, kSeed, kRules, kOverride, kApply, kApplied, kJson, kHelp},
       {"advise qwen3/scope3-before --shape tiny", "advise qwen3/scope1 --apply -o faster.py"}},
      {"tune",
       "PROGRAM",
       "searches the keys of a program for the least time",
       {kMachine, kShape, kSet, kArg, kReference, kTiling, kTuneBudget, kSpace, kSearchSeed, kThreads, kRules,
        kOverride, kTuned, kJson, kHelp},
       {"tune qwen3/scope1 -o scope1.json", "run qwen3/scope1 -p a2a3sim --tiling scope1.json",
        "tune qwen3/scope3 --budget 200 --space mlp_n=64,128,256"}},
      {"history",
       "",
       "the way from the first published scope 3 to the best layer",
       {kMachine, kShape, kRules, kOverride, kHelp},
       {"history", "history --shape qwen3-32b", "history -p a5sim"}},
      {"calibrate",
       "",
       "predictions beside published measurements",
       {kMachine, kOverride, kIdeal, kFit, kJson, kHelp},
       {"calibrate", "calibrate --fit 20"}},
      {"platform",
       "[NAME]",
       "the machines, or every number of one with its source",
       {kJson, kHelp},
       {"platform", "platform a2a3sim", "platform my_chip.json --json -"}},
      {"info",
       "",
       "what a model is, its sizes, and the memory it will take",
       {kModel, kContext, kJson, kHelp},
       {"info -m qwen3-0.6b", "info -m model.gguf -c 8192"}},
      {"tokenize",
       "",
       "shows the tokens of a text",
       {kModel, kPrompt, kTextFile, kIds, kShowCount, kNoBos, kNoSpecial, kHelp},
       {"tokenize -m qwen3-0.6b -p 'Hello, world!'", "tokenize -m qwen3-0.6b -f story.txt --ids"}},
      {"make-model",
       "",
       "writes a model with random weights, for benchmarks",
       {kModelShape, kWeightSeed, kWeightType, kModelOutput, kHelp},
       {"make-model --shape qwen3-0.6b -o models/random", "info -m models/random"}},
      {"generate",
       "",
       "continues a text with a model",
       {kModel, kPrompt, kTextFile, kCount, kContext, kEngineThreads, kTemp, kTopK, kTopP, kMinP,
        kRepeat, kPresence, kTokenSeed, kIgnoreEos, kSave, kJson, kHelp},
       {"generate -m out/models/stories15M -p 'Once upon a time'",
        "generate -m qwen3-0.6b -f question.txt -n 256 --temp 0.7 -s 1"},
       "Sampling is the model's own suggestion, as far as no flag says otherwise.\n"
       "Ctrl-C ends the text and keeps it; the exit code is then 130."},
      {"chat",
       "",
       "talks with a model in its own format",
       {kModel, kSystem, kThink, kNoThink, kAnswer, kContext, kEngineThreads, kTemp, kTopK, kTopP,
        kMinP, kRepeat, kPresence, kTokenSeed, kTimings, kHelp},
       {"chat -m qwen3-0.6b", "chat -m qwen3-0.6b --no-think --system-prompt 'Answer briefly.'",
        "chat -m out/models/minimind2-small < questions.txt"},
       "A line is a message; /exit or the end of the input ends the conversation, /clear\n"
       "begins a new one, Ctrl-C ends an answer. A message that the context has no room\n"
       "for is not answered; it leaves the conversation as it was."},
      {"bench",
       "",
       "measures a model beside the limits of this machine",
       {kModel, kBenchPrompt, kBenchGen, kBenchDepth, kNpl, kNpp, kNtg, kRepeats, kEngineThreads,
        kStages, kJson, kHelp},
       {"bench -m qwen3-0.6b", "bench -m qwen3-0.6b -p 0 -n 0 --npl 1,2,4,8,16 --npp 512"},
       "reach is the least time for the bytes and multiply-adds, at the best rates that\n"
       "this run measured for reading memory and for products, by the best time\n"
       "measured. fma compares the multiply-adds with what fma gives at best: above\n"
       "100 % where AMX makes the products."},
      {"help", "[COMMAND]", "explains the commands", {kHelp}, {"help run"}},
      {"completion",
       "bash|zsh",
       "prints a completion script for a shell",
       {kHelp},
       {"completion bash > tilewright.bash"}},
  };
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const Command& c : commands())
    if (c.name == name) return &c;
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : commands()) names.emplace_back(c.name);
  return names;
}

}  // namespace tilewright::cli
