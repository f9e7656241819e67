// Models run from the command line: generate, chat, bench, sim of whole models.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "support.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cpu/instruction_set.h"

namespace tilewright::cli {
namespace {

using Json = nlohmann::json;

// A tiny model, made once.
const std::string& tiny() {
  static const TemporaryDirectory dir;
  static const std::string path = [] {
    EXPECT_EQ(call("make-model --shape tiny --seed 3 -o " + (dir / "tiny")).code, kFine);
    return dir / "tiny";
  }();
  return path;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Outcome talk(const std::string& lines, const std::string& flags = "") {
  std::istringstream in(lines);
  Terminal terminal;
  terminal.input = &in;
  return call("chat -n 12 --timings -m " + tiny() + " " + flags, {programs::tour()}, terminal);
}

Json generated(const std::string& flags) {
  const Outcome o = call("generate --json - -m " + tiny() + " -p then " + flags);
  EXPECT_EQ(o.code, kFine) << o.err;
  return Json::parse(o.out);
}

TEST(Generate, SaysWhenNoTokenHasText) {
  const std::string line = "generate --temp 0 --ignore-eos -m " + tiny();
  const Outcome silent = call(line + " -p a -n 1");
  EXPECT_EQ(silent.out, "a\n");
  EXPECT_TRUE(
      silent.err.starts_with("the only token has no text in this tokenizer\nprompt 1 token, "))
      << silent.err;
  EXPECT_FALSE(contains(call(line + " -p then -n 1").err, "no text"));
}

TEST(Generate, ContinuesTheText) {
  const Outcome o = call("generate -m " + tiny() + " -p then -n 9 --temp 0 --ignore-eos");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(o.out.starts_with("then")) << o.out;
  EXPECT_TRUE(contains(o.err, "prompt 3 tokens, ")) << o.err;
  EXPECT_TRUE(contains(o.err, "\ngenerated 9 tokens, ")) << o.err;
  EXPECT_TRUE(contains(o.err, "stopped at the token limit; ")) << o.err;
  const Json j = generated("-n 9 --temp 0 --ignore-eos");
  EXPECT_EQ(j["text"].get<std::string>() + "\n", o.out);
  EXPECT_EQ(j["tokens"].size(), 9u);
  EXPECT_EQ(j["prompt_tokens"], 3);
  EXPECT_EQ(j["ended"], "length");
  EXPECT_GT(j["first_token_seconds"], 0);
}

// Which sums a machine with AMX makes, the caller chooses; others make one kind.
TEST(Generate, ChoosesTheOrderOfSumsAndSaysIt) {
  const std::string flags = "-n 9 --temp 0 --ignore-eos ";
  const Json reproducible = generated(flags + "--sums reproducible");
  EXPECT_EQ(reproducible["sums"], "reproducible");
  const bool amx = !cpu::InstructionSet::fastest().adds_in_ascending_k();
  EXPECT_EQ(generated(flags + "--sums fastest")["sums"], amx ? "AMX" : "reproducible");
  EXPECT_EQ(generated(flags)["sums"], amx ? "AMX" : "reproducible");
  Terminal plain;
  plain.simd = "plain";
  const Outcome o = call("generate --json - --sums fastest -m " + tiny() + " -p then " + flags,
                         {programs::tour()}, plain);
  EXPECT_EQ(Json::parse(o.out)["sums"], "reproducible");
  EXPECT_EQ(Json::parse(o.out)["tokens"], reproducible["tokens"]);
  EXPECT_TRUE(contains(o.err, "; reproducible sums\n")) << o.err;
}

TEST(Generate, ASeedGivesTheSameTextForAnyThreads) {
  const std::string flags = "-n 30 --ignore-eos --temp 20 --top-k 400 --top-p 0.99 --min-p 0.001 ";
  const Json one = generated(flags + "-s 5 -t 1")["tokens"];
  EXPECT_EQ(generated(flags + "-s 5 -t 3")["tokens"], one);
  EXPECT_NE(generated(flags + "-s 6 -t 1")["tokens"], one);
  EXPECT_NE(generated(flags + "-s 5 -t 1 --presence-penalty 30")["tokens"], one);
}

TEST(Generate, SavesTheTextAndTakesItFromAFile) {
  const TemporaryDirectory dir;
  std::ofstream(dir / "prompt") << "then";
  const Outcome o = call("generate -m " + tiny() + " -f " + (dir / "prompt") + " -n 5 --temp 0 " +
                         "--ignore-eos --save " + (dir / "text"));
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_EQ(text_of(dir / "text"), o.out);
}

// Random weights write valid documents too, and the text ends with them.
TEST(Generate, WritesADocumentOfASchema) {
  const TemporaryDirectory dir;
  std::ofstream(dir / "schema.json")
      << R"({"type": "object", "properties": {"n": {"type": "integer", "maximum": 99},
             "kind": {"enum": ["cat", "dog"]}}, "required": ["n", "kind"]})";
  for (int seed = 0; seed < 8; ++seed) {
    const Json j = generated("-n 300 --temp 20 --top-k 0 --top-p 1 --json-schema " +
                             (dir / "schema.json") + " -s " + std::to_string(seed));
    if (j["ended"] == "length") continue;  // an integer may be long
    ASSERT_EQ(j["ended"], "stop");
    const Json document = Json::parse(j["text"].get<std::string>().substr(4));
    EXPECT_EQ(document.size(), 2u);
    EXPECT_LE(document["n"].get<double>(), 99);
    EXPECT_TRUE(document["kind"] == "cat" || document["kind"] == "dog");
  }
  const Json yes = generated(R"(--temp 0 --json-schema {"enum":["yes","no"]})");
  EXPECT_EQ(yes["ended"], "stop");
  EXPECT_TRUE(contains(yes["text"], "yes") || contains(yes["text"], "no")) << yes;
  EXPECT_EQ(generated(R"(--temp 0 --speculate 4 --json-schema {"enum":["yes","no"]})")["text"],
            yes["text"]);
}

TEST(Generate, TellsMistakesBeforeItStarts) {
  const auto told = [](const std::string& flags) {
    const Outcome o = call("generate -m " + tiny() + " -p then " + flags);
    EXPECT_EQ(o.code, kMistake);
    EXPECT_EQ(o.out, "");
    return o.err.substr(0, o.err.find('\n'));
  };
  EXPECT_EQ(told("-c 2"), "error: a prompt of 3 tokens does not fit into a context of 2");
  EXPECT_EQ(told("-c 50000"), "error: a context of 50000 tokens is not supported");
  EXPECT_EQ(told("-c 0"), "error: a context of 0 tokens");
  EXPECT_EQ(told("--temp hot"), "error: --temp \"hot\" is not a number");
  EXPECT_EQ(told("--top-p 1.5"), "error: top-p = 1.5 is not between 0 and 1");
  EXPECT_EQ(told("--save /nonexistent/text"),
            "error: cannot write \"/nonexistent/text\": No such file or directory");
  EXPECT_EQ(told("--sums exact"), "error: --sums exact");
  EXPECT_EQ(told("-f also"), "error: generate needs one text");
  EXPECT_EQ(told("-t 5000"), "error: --threads 5000 is not a number from 1 to 256");
  EXPECT_EQ(told("--json-schema {\"not\":{}}"), "error: keyword \"not\" is not supported");
  EXPECT_EQ(told("--json-schema {} --ignore-eos"), "error: --json-schema beside --ignore-eos");
  EXPECT_EQ(told("--json-schema /nonexistent"),
            "error: cannot read /nonexistent: No such file or directory");
}

// The tokens of a synthetic model are bytes, so that a stop text is spread over several.
TEST(Generate, EndsExactlyBeforeAStopText) {
  const std::string flags = "-n 60 --temp 20 --top-k 400 --top-p 1 --ignore-eos -s 3 ";
  const std::string whole = generated(flags)["text"];
  ASSERT_GT(whole.size(), 30u);
  // A piece of the answer that calls can pass: no white space.
  std::size_t at = 10;
  const auto plain = [](char c) { return c > ' ' && c <= '~' && c != '"'; };
  while (at + 2 < whole.size() && !(plain(whole[at]) && plain(whole[at + 1]))) ++at;
  ASSERT_LT(at + 2, whole.size()) << whole;
  const std::string stop = whole.substr(at, 2);
  const std::string expected = whole.substr(0, whole.find(stop, 4));
  const Json cut = generated(flags + "--stop " + stop);
  EXPECT_EQ(cut["text"], expected);
  EXPECT_EQ(cut["ended"], "stop");
  EXPECT_LT(cut["tokens"].size(), 60u);
  EXPECT_EQ(generated(flags + "--speculate 4 --stop " + stop)["tokens"], cut["tokens"]);
  EXPECT_EQ(generated(flags + "--stop none-such --stop " + stop)["text"], expected);
  EXPECT_EQ(generated(flags + "--stop none-such")["text"], whole);
  const Outcome o = call("generate -m " + tiny() + " -p then " + flags + "--stop " + stop);
  EXPECT_EQ(o.out, expected + "\n");
  EXPECT_TRUE(contains(o.err, "; stopped at a stop text; ")) << o.err;
}

TEST(Generate, GoesOnUntilTheContextIsFull) {
  const Json j = generated("-n -1 -c 50 --temp 0 --ignore-eos");
  EXPECT_EQ(j["ended"], "context");
  EXPECT_EQ(j["tokens"].size(), 50u - 3 + 1);
  EXPECT_EQ(call("generate -m " + tiny() + " -p then -n -2").code, kMistake);
}

TEST(Generate, GuessesGiveTheSameText) {
  const std::string flags = "-n 80 --ignore-eos --temp 0 ";
  const Json plain = generated(flags), guessed = generated(flags + "--speculate 5");
  EXPECT_EQ(guessed["tokens"], plain["tokens"]);
  EXPECT_EQ(plain["guesses"], 0);
  EXPECT_GT(guessed["guesses"], 0);
  EXPECT_GE(guessed["guesses"], guessed["right_guesses"]);
  EXPECT_EQ(call("generate -m " + tiny() + " -p then --speculate 65").code, kMistake);
}

// The prompt becomes a message in the model's format; what is printed is the answer.
TEST(Generate, AnswersWithASystemPrompt) {
  const std::string flags = "-n 20 --temp 20 --top-k 400 --top-p 1 --ignore-eos ";
  const Json plain = generated(flags), answer = generated(flags + "--system brief");
  EXPECT_GT(answer["prompt_tokens"], 3 + 5);
  EXPECT_FALSE(answer["text"].get<std::string>().starts_with("then"));
  EXPECT_NE(generated(flags + "--system long")["tokens"], answer["tokens"]);
}

TEST(Generate, ReadsNoTextFromADirectory) {
  const TemporaryDirectory dir;
  std::ofstream(dir / "empty") << "";
  const auto told = [&](const std::string& file) {
    const Outcome o = call("generate -m " + tiny() + " -f " + file);
    EXPECT_EQ(o.code, kMistake);
    return o.err.substr(0, o.err.find('\n'));
  };
  EXPECT_EQ(told(dir.path.string()), "error: cannot read " + dir.path.string() + ": it is a directory");
  EXPECT_EQ(told(dir / "none"), "error: cannot read " + (dir / "none") + ": No such file or directory");
  EXPECT_EQ(told(dir / "empty"), "error: the prompt is empty");
}

TEST(Generate, WithoutNewTokensItTellsHowFastThePromptIsRead) {
  const Outcome o = call("generate -m " + tiny() + " -p then -n 0");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_EQ(o.out, "then\n");
  EXPECT_FALSE(contains(o.err, "prompt 3 tokens, 0.0 t/s")) << o.err;
  EXPECT_TRUE(contains(o.err, "generated 0 tokens")) << o.err;
}

// Takes so many bytes, as a disk that is then full.
class FullBuffer : public std::streambuf {
 public:
  explicit FullBuffer(std::streamsize room) : room_(room) {}

 protected:
  int_type overflow(int_type c) override { return room_-- > 0 ? c : traits_type::eof(); }

 private:
  std::streamsize room_;
};

// A text that nobody can read is not made to its end.
TEST(Generate, EndsWhenItsTextCannotBeWritten) {
  FullBuffer buffer(40);
  std::ostream out(&buffer);
  std::ostringstream err;
  const std::vector<std::string> words{"generate", "-m",  tiny(),   "-p", "then",
                                       "-n",       "900", "--temp", "0",  "--ignore-eos"};
  EXPECT_EQ(run_cli(words, {programs::tour()}, out, err, {}), kMistake);
  EXPECT_TRUE(err.str().starts_with("error: the output could not be written: ")) << err.str();
}

// A limit on the size of files stands for a full disk.
TEST(Generate, TellsAFullDiskBeforeItStarts) {
  const TemporaryDirectory dir;
  (void)tiny();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{200, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string line = "generate -m " + tiny() + " -p then --temp 0 --save " + (dir / "text");
  const Outcome full = call(line);
  const Outcome fits = call(line + " -n 9");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(full.code, kMistake);
  EXPECT_EQ(full.out, "");
  EXPECT_TRUE(contains(full.err, "cannot write")) << full.err;
  EXPECT_EQ(fits.code, kFine) << fits.err;
}

// Ctrl-C, as soon as somebody listens to it.
TEST(Generate, StopsAtCtrlCAndKeepsTheText) {
  const TemporaryDirectory dir;
  std::atomic<bool> heard{false};
  const auto before = std::signal(SIGINT, SIG_IGN);
  std::thread user([&] {
    // The handler of a command that runs is not ours; one signal is enough for it.
    while (!heard) {
      struct sigaction now {};
      sigaction(SIGINT, nullptr, &now);
      if (now.sa_handler != SIG_IGN) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ::kill(::getpid(), SIGINT);
        return;
      }
      std::this_thread::yield();
    }
  });
  const Outcome o = call("generate -m " + tiny() + " -p then -n 40000 -c 40960 --temp 0 " +
                         "--ignore-eos --save " + (dir / "text"));
  heard = true;
  user.join();
  std::signal(SIGINT, before);
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_TRUE(o.out.starts_with("then")) << o.out;
  EXPECT_TRUE(contains(o.err, "stopped by Ctrl-C; ")) << o.err;
  EXPECT_EQ(text_of(dir / "text"), o.out);
}

TEST(Perplexity, CountsTheSecondHalves) {
  const std::string line = "perplexity -m " + tiny() + " -p then,there,then,there ";
  const Outcome o = call(line + "-c 6 --sums reproducible");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(o.out.starts_with("perplexity ")) << o.out;
  EXPECT_TRUE(contains(o.out, " chunks of 6 tokens, reproducible sums\n")) << o.out;
  const Json j = Json::parse(call(line + "-c 6 --json -").out);
  EXPECT_EQ(j["tokens"], 2 * j["chunks"].get<int64_t>());
  EXPECT_GT(j["perplexity"], 1);
}

TEST(Perplexity, TellsMistakes) {
  const auto told = [](const std::string& flags) {
    const Outcome o = call("perplexity -m " + tiny() + " " + flags);
    EXPECT_EQ(o.code, kMistake);
    return o.err.substr(0, o.err.find('\n'));
  };
  EXPECT_EQ(told("-p a"), "error: a text of 1 token");
  EXPECT_EQ(told("-p then -c 3"), "error: a text of 3 tokens");
  EXPECT_EQ(told("-p then,then -c 3"), "error: a context below 4 tokens");
  EXPECT_EQ(told(""), "error: perplexity needs one text");
}

TEST(Chat, KeepsWhatItHasRead) {
  const Outcome o = talk("hello\nand then\n");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_EQ(std::ranges::count(o.out, '\n') >= 2, true) << o.out;
  // The second turn reads what came since, not the whole conversation.
  int64_t first = 0, second = 0;
  ASSERT_EQ(std::sscanf(o.err.c_str(), "%ld new prompt tokens", &first), 1) << o.err;
  const std::string rest = o.err.substr(o.err.find('\n') + 1);
  ASSERT_EQ(std::sscanf(rest.c_str(), "%ld new prompt tokens", &second), 1) << o.err;
  const int64_t whole = std::stoll(talk("hello\n").err);
  EXPECT_EQ(first, whole);
  EXPECT_LT(second, first + 12);
  EXPECT_GT(second, 0);
}

TEST(Chat, EndsAtExitAndSkipsEmptyLines) {
  EXPECT_EQ(talk("\n\n/exit\nhello\n").out, "");
  EXPECT_EQ(talk("").code, kFine);
}

TEST(Chat, AnswersOneMessage) {
  const std::string line = "chat -n 12 --temp 20 -m " + tiny();
  const Outcome one = call(line + " -p hello");
  EXPECT_EQ(one.code, kFine) << one.err;
  EXPECT_EQ(one.out, talk("hello\nand more\n", "--temp 20").out.substr(0, one.out.size()));
  EXPECT_EQ(call(line + " -c 40 -p " + std::string(100, 'x')).code, kMistake);
  // A message, not a command.
  EXPECT_EQ(call(line + " -p /nonsense").code, kFine);
}

TEST(Chat, ObeysCommands) {
  const Outcome help = talk("/help\n");
  EXPECT_EQ(help.code, kFine);
  EXPECT_EQ(help.out, "");
  for (const char* command : {"/help", "/system TEXT", "/save FILE", "/clear", "/exit"})
    EXPECT_TRUE(contains(help.err, std::string("  ") + command + " ")) << help.err;
  const Outcome told = talk("/system brief and kind\nhello\n", "--temp 20");
  const Outcome plain = talk("hello\n", "--temp 20");
  EXPECT_EQ(told.code, kFine) << told.err;
  EXPECT_GT(std::stoll(told.err), std::stoll(plain.err));
  EXPECT_EQ(talk("/system brief and kind\n/system\nhello\n", "--temp 20").out, plain.out);
}

TEST(Chat, RefusesUnknownCommands) {
  const Outcome o = talk("/quit now\nhello\n", "--temp 20");
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(o.err.starts_with("error: unknown command /quit\n")) << o.err;
  EXPECT_TRUE(contains(o.err, "the commands are /help, /system, /save, /clear, /exit\n")) << o.err;
  EXPECT_EQ(o.out, talk("hello\n", "--temp 20").out);  // the conversation goes on
  EXPECT_TRUE(contains(talk("/clear all\n").err, "error: /clear takes no text\n"));
  EXPECT_TRUE(contains(talk("/save\n").err, "error: /save without a file\n"));
  EXPECT_EQ(talk("/save /nonexistent/chat.json\n").code, kMistake);
  EXPECT_TRUE(contains(talk("/system " + std::string(50, 'x') + "\n", "-c 40").err,
                       "error: the system prompt has 50 tokens, but the context holds 40\n"));
  // A path and a message with a space before it are none.
  EXPECT_EQ(talk("/usr/bin is what?\n /quit\n").code, kFine);
}

TEST(Chat, SavesTheConversation) {
  const TemporaryDirectory dir;
  const std::string file = dir / "chat.json";
  const Outcome o = talk("/system brief\nhello\nso\n/save " + file + "\n/clear\n", "--temp 20");
  EXPECT_EQ(o.code, kFine) << o.err;
  const Json messages = Json::parse(text_of(file))["messages"];
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_EQ(messages[0], Json({{"role", "system"}, {"content", "brief"}}));
  EXPECT_EQ(messages[3], Json({{"role", "user"}, {"content", "so"}}));
  const std::string first = messages[2]["content"], second = messages[4]["content"];
  EXPECT_EQ(o.out, first + "\n" + second + "\n");
}

// A conversation that no longer fits is told, and can be begun anew.
TEST(Chat, GoesOnWhenTheContextIsFull) {
  const Outcome full = talk("hello\nand then\n", "--temp 20 -c 40");
  EXPECT_EQ(full.code, kMistake);  // a message stayed without an answer
  EXPECT_TRUE(contains(full.err, "error: the conversation needs ")) << full.err;
  EXPECT_TRUE(contains(full.err, " tokens with this message, but the context holds 40\n"))
      << full.err;
  EXPECT_TRUE(contains(full.err, "/clear")) << full.err;
  const Outcome cleared = talk("hello\nand then\n/clear\nhello\n", "--temp 20 -c 40");
  const std::string once = talk("hello\n", "--temp 20 -c 40").out;
  EXPECT_GT(once.size(), 1u);
  EXPECT_EQ(cleared.out, once + once);
  // A message that is too long leaves the conversation as it was.
  const std::string longer = std::string(100, 'x') + "\n";
  EXPECT_EQ(talk("hello\n" + longer + "so\n", "--temp 20 -c 90").out,
            talk("hello\nso\n", "--temp 20 -c 90").out);
}

TEST(Chat, SaysWhenAnAnswerEndsForWantOfContext) {
  const Outcome o = talk("hello\n", "-c 30");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.err, "the context of 30 tokens is full")) << o.err;
  EXPECT_FALSE(contains(talk("hello\n").err, "is full"));
}

TEST(Chat, SaysTheSameAgain) {
  const std::string lines = "hello\nthere\n";
  EXPECT_EQ(talk(lines, "--temp 20 -t 1").out, talk(lines, "--temp 20 -t 2").out);
  EXPECT_NE(talk(lines, "--temp 20 -s 1").out, talk(lines, "--temp 20 -s 2").out);
}

// So hot that hardly a token is better than any other: what is said follows from the random numbers
// almost alone, and an answer does not begin with those of the one before.
TEST(Chat, DrawsNewNumbersForEveryAnswer) {
  const std::string hot = "--temp 100 --top-k 0 --top-p 1 --min-p 0 -s 5";
  const std::string one = talk("hello\n", hot).out;
  const std::string both = talk("hello\nhello\n", hot).out;
  ASSERT_GT(one.size(), 3u);
  EXPECT_TRUE(both.starts_with(one));
  EXPECT_NE(both, one + one);
  EXPECT_EQ(talk("hello\n/clear\nhello\n", hot).out, one + one);
}

TEST(Chat, TellsOfALongSystemPromptBeforeItLoads) {
  const Outcome o = talk("hello\n", "-c 40 --system " + std::string(50, 'x'));
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(
      o.err.starts_with("error: the system prompt has 50 tokens, but the context holds 40\n"))
      << o.err;
}

TEST(Chat, NeedsATemplate) {
  const TemporaryDirectory dir;
  fs::copy(tiny(), dir / "plain", fs::copy_options::recursive);
  fs::remove(dir / "plain/tokenizer_config.json");
  const Outcome o = call("chat -m " + (dir / "plain"));
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(contains(o.err, "has no chat template")) << o.err;
}

TEST(Bench, HasTheColumnsAndTheLimits) {
  const TemporaryDirectory dir;
  const Outcome o = call("bench -m " + tiny() + " -p 20 -n 6 -d 4 --npl 1,3 --npp 8 --ntg 4 -r 2 " +
                         "--json " + (dir / "b.json"));
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "| test         |              t/s |")) << o.out;
  EXPECT_TRUE(contains(o.out, "| pp20         |")) << o.out;
  EXPECT_TRUE(contains(o.out, "| tg6 @ d4     |")) << o.out;
  EXPECT_TRUE(contains(o.out, "|    PP |     TG |    B |   N_KV |")) << o.out;
  EXPECT_TRUE(contains(o.out, "|     8 |      4 |    3 |     36 |")) << o.out;
  EXPECT_TRUE(contains(o.out, "limits in this run: ")) << o.out;
  const Json j = Json::parse(text_of(dir / "b.json"));
  EXPECT_EQ(j["single"].size(), 2u);
  EXPECT_EQ(j["batched"].size(), 2u);
  for (const Json& row : j["single"]) {
    EXPECT_GT(row["reach"], 0.0);
  }
}

TEST(Bench, FitsAShortContext) {
  const TemporaryDirectory dir;
  const fs::path model = fs::path(dir / "short");
  fs::copy(tiny(), model, fs::copy_options::recursive);
  Json config = Json::parse(text_of(model / "config.json"));
  config["max_position_embeddings"] = 40;
  std::ofstream(model / "config.json") << config.dump();
  const Outcome o = call("bench -m " + model.string() + " --npl 1 -r 1");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "| pp40         |")) << o.out;
  EXPECT_TRUE(contains(o.out, "|    20 |     20 |    1 |     40 |")) << o.out;
}

TEST(Bench, RefusesListsThatAreNone) {
  const Outcome o = call("bench -m " + tiny() + " --npl 1,x");
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(contains(o.err, "--npl \"1,x\"")) << o.err;
}

TEST(Bench, RefusesWhatCannotBeMeasured) {
  const auto told = [](const std::string& flags) {
    const Outcome o = call("bench -m " + tiny() + " " + flags);
    EXPECT_EQ(o.code, kMistake) << flags;
    EXPECT_FALSE(contains(o.err, " -c")) << "a flag bench does not have\n" << o.err;
    return o.err.substr(0, o.err.find('\n'));
  };
  EXPECT_EQ(told("-p 0 -n 0 --npl 0"), "error: nothing to measure");
  EXPECT_EQ(told("-p 50000"), "error: a context of 50000 tokens is not supported");
  EXPECT_TRUE(told("--npl 4096 -n 40000").starts_with("error: the model needs "));
}

TEST(SimModel, PredictsTokensPerSecond) {
  const auto ask = [](const std::string& flags) {
    const Outcome o = call("sim --json - " + flags, builtin_catalog());
    EXPECT_EQ(o.code, kFine) << o.err;
    return Json::parse(o.out);
  };
  const Json by_name = ask("--shape tiny --batch 4 --ctx 60");
  const Json by_files = ask("-m " + tiny() + " --batch 4 --ctx 60");
  EXPECT_EQ(by_name["step_us"], by_files["step_us"]);
  EXPECT_DOUBLE_EQ(by_name["step_us"],
                   2 * by_name["layer_us"].get<double>() + by_name["head_us"].get<double>());
  EXPECT_DOUBLE_EQ(by_name["tokens_per_second"], 4e6 / by_name["step_us"].get<double>());
  // More context takes longer, more sequences give more tokens.
  EXPECT_GT(ask("--shape qwen3-0.6b --ctx 4096")["step_us"],
            ask("--shape qwen3-0.6b --ctx 512")["step_us"]);
  EXPECT_GT(ask("--shape qwen3-0.6b --batch 16")["tokens_per_second"],
            ask("--shape qwen3-0.6b --batch 1")["tokens_per_second"]);
  // The layer is the program of that name, as it is predicted alone.
  const Json layer = Json::parse(
      call("sim qwen3/decode-best --shape qwen3-0.6b --set batch=16 --set ctx=4096 --json -",
           builtin_catalog())
          .out);
  EXPECT_EQ(ask("--shape qwen3-0.6b --batch 16 --ctx 4096")["layer_us"],
            layer["total_test_time_us"]);
}

TEST(SimModel, ShowsWhatGenerateRunsBesideTheBestKnown) {
  for (const std::string platform : {"a2a3sim", "a5sim"})
    for (const std::string& model :
         {"-m " + tiny(), std::string("--shape qwen3-0.6b --batch 16")}) {
      SCOPED_TRACE(platform + " " + model);
      const std::string line = "sim -p " + platform + " " + model;
      const Json j = Json::parse(call(line + " --json -", builtin_catalog()).out);
      for (const char* schedule : {"generate", "best"}) {
        const Json& p = j[schedule];
        const double layers = j["layers"].get<double>(), layer = p["layer_us"].get<double>();
        EXPECT_DOUBLE_EQ(p["step_us"], layers * layer + p["head_us"].get<double>());
        EXPECT_LE(p["roofline_us"].get<double>(), p["step_us"].get<double>());
        EXPECT_DOUBLE_EQ(p["roofline_fraction"],
                         p["roofline_us"].get<double>() / p["step_us"].get<double>());
        EXPECT_LE(p["step_us_without"][p["bound_by"].get<std::string>()], p["step_us"]);
      }
      EXPECT_EQ(j["best"]["step_us"], j["step_us"]);
      EXPECT_EQ(j["best"]["tokens_per_second"], j["tokens_per_second"]);
      std::istringstream lines(call(line, builtin_catalog()).out);
      std::string text;
      std::getline(lines, text);  // the path, as long as it is
      while (std::getline(lines, text)) EXPECT_LE(text.size(), 80u) << text;
    }
}

// A machine with hardly any memory: told in four lines for what generate runs.
TEST(SimModel, AModelThatNothingFitsFails) {
  const TemporaryDirectory dir;
  const std::string file = dir / "small.json";
  std::ofstream(file) << R"({"extends": "a2a3", "name": "small", "memories": {"Right": {"physical":
    {"value": 512, "standing": "assumed", "source": "test"}}}})";
  const Outcome o = call("sim --shape qwen3-0.6b -p " + file, builtin_catalog());
  EXPECT_EQ(o.code, kFailed) << o.out;
  EXPECT_TRUE(contains(o.err, "error: Right buffer overflow in scope")) << o.err;
  EXPECT_TRUE(contains(o.err, "help:")) << o.err;
}

// A path is bytes, not text; JSON says what can be said of it.
TEST(Models, APathNeedNotBeUtf8) {
  const TemporaryDirectory dir;
  const std::string path = dir / "bad\xff";
  fs::copy(tiny(), path);
  for (const std::string& line :
       {"sim --json - -m " + path, "bench -p 4 -n 2 --npl 0 -r 1 --json - -m " + path}) {
    const Outcome o = call(line, builtin_catalog());
    EXPECT_EQ(o.code, kFine) << o.err;
    EXPECT_TRUE(Json::parse(o.out).is_object());
  }
}

TEST(SimModel, RefusesWhatItWouldIgnore) {
  const auto told = [](const std::string& flags) {
    const Outcome o = call("sim " + flags, builtin_catalog());
    EXPECT_EQ(o.code, kMistake);
    return o.err.substr(0, o.err.find('\n'));
  };
  EXPECT_EQ(told("qwen3/decode --batch 4"), "error: --batch together with a program");
  EXPECT_EQ(told("--shape tiny --set batch=4"), "error: --set without a program");
  EXPECT_EQ(told("-m x --shape tiny"), "error: -m and --shape together");
  EXPECT_EQ(told("--shape tiny --batch 0"), "error: --batch 0");
  EXPECT_EQ(told("-m " + tiny() + " --ctx 50000"),
            "error: a context of 50000 tokens is not supported");
}

}  // namespace
}  // namespace tilewright::cli
