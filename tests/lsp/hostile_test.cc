// Sessions of the fuzzer's corpus, changed at random: whatever comes, the server answers or
// refuses, and can still be used afterwards.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "../seeds.h"
#include "conversation.h"
#include "tilewright/lsp/framing.h"

namespace tilewright::lsp_test {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(TILEWRIGHT_SOURCE "/tests/fuzz/lsp_corpus")) {
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    out.push_back(text.str());
  }
  return out;
}

std::vector<std::string> messages_of(const std::string& bytes) {
  lsp::FrameReader frames;
  frames.feed(bytes);
  std::vector<std::string> out;
  try {
    while (auto m = frames.next()) out.push_back(std::move(*m));
  } catch (const lsp::FramingError&) {}
  return out;
}

std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t i = 1 + below(3); i-- > 0 && !text.empty();) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, 1 + below(10)); break;
      case 2: text.insert(at, text.substr(below(text.size()), below(20))); break;
      default: text[at] = "0123456789[]{}()\"\\\n:,"[below(21)];
    }
  }
  return text;
}

TEST(Hostile, ChangedSessionsNeverEndTheServer) {
  const std::vector<std::string> sessions = corpus();
  ASSERT_GE(sessions.size(), 9u);
  std::mt19937_64 random(first_seed());
  for (int round = 0; round < 150; ++round) {
    Conversation c;
    c.initialize({{"adviceSeconds", 0.05}});
    for (const std::string& m : messages_of(sessions[random() % sessions.size()]))
      if (m.find("\"exit\"") == std::string::npos && m.find("\"shutdown\"") == std::string::npos)
        c.send_text(random() % 2 ? mutated(m, random) : m);
    c.notify("workspace/didChangeConfiguration", {{"settings", {{"adviceSeconds", 0.05}}}});
    c.open("file:///w/last.py", small_program());
    EXPECT_EQ(c.diagnostics("file:///w/last.py"), Json::array());
  }
}

TEST(Hostile, AFileThatNeverEndsIsStoppedByTheNextEdit) {
  Conversation c;
  c.initialize();
  c.open(kUri, "n = 0\nwhile n < 10 ** 9:\n    n = n + 1\n" + small_program());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it is at work by then
  const auto start = std::chrono::steady_clock::now();
  c.change(kUri, small_program(), 2);
  EXPECT_EQ(c.diagnostics(kUri, 2), Json::array());
  // By itself the evaluation is given up after some ten seconds.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Hostile, AProgramOfMillionsOfTasksIsStoppedByTheNextEdit) {
  Conversation c;
  c.initialize();
  c.open(kUri, replaced(small_program(), "pl.parallel(64 // ROWS)", "pl.range(9000000)"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  c.change(kUri, small_program(), 2);
  EXPECT_EQ(c.diagnostics(kUri, 2), Json::array());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace tilewright::lsp_test
