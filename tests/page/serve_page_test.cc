// The chat page of `tilewright serve` in a headless Chromium: it is typed into and clicked like any
// page.
#include <chrono>
#include <thread>

#include "../watch/watching.h"
#include "page_fixture.h"

namespace tilewright::page {
namespace {

class ServePage : public Page {
 protected:
  void SetUp() override {
    Page::SetUp();
    if (!browser_) return;
    const std::string model = directory_ / "model";
    std::ostringstream out, err;
    ASSERT_EQ(cli::run_cli({"make-model", "--shape", "tiny", "-o", model}, cli::builtin_catalog(),
                           out, err, {}),
              cli::kFine)
        << err.str();
    // Random weights have one favourite, which is no text: a high temperature makes them write.
    server_.emplace(std::vector<std::string>{"-m", model, "--port", "0", "--parallel", "2",
                                             "--temp", "30"},
                    "serve");
    address_ = server_->address();
    ASSERT_NE(address_, "");
    browser_->open(address_);
    ASSERT_TRUE(wait_for("document.querySelectorAll('.slots i').length === 2"));
  }
  void TearDown() override {
    if (browser_) browser_->open("about:blank");
    Page::TearDown();
  }
  bool wait_for(const std::string& expression) {
    for (int i = 0; i < 400; ++i) {
      if (browser_->evaluate(expression).get<bool>()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  void set(const std::string& id, const std::string& value) {
    browser_->evaluate("(() => { const f = document.getElementById('" + id + "'); f.value = '" +
                       value + "'; f.dispatchEvent(new Event('input')); })()");
  }
  void click(const std::string& selector) {
    const Json at = browser_->evaluate(
        "(() => { const r = document.querySelector('" + selector +
        "').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()");
    browser_->move(at[0].get<double>(), at[1].get<double>());
    browser_->press(at[0].get<double>(), at[1].get<double>());
    browser_->release(at[0].get<double>(), at[1].get<double>());
  }
  void send(const std::string& message) {
    set("text", message);
    browser_->evaluate("document.getElementById('text').focus()");
    browser_->key("Enter");
  }
  bool idle() {
    return wait_for(
        "document.querySelectorAll('.busy').length === 0 && "
        "document.querySelectorAll('.again').length === 1");
  }
  std::string answer() {
    return text("[...document.querySelectorAll('.assistant > .text')].pop().textContent");
  }

  std::optional<Watching> server_;
  std::string address_;
};

TEST_F(ServePage, AnswersStreamAndCanBeMadeAnew) {
  set("seed", "3");
  set("max_tokens", "30");
  send("Hello");
  ASSERT_TRUE(idle());
  EXPECT_EQ(text("document.querySelector('.user .text').textContent"), "Hello");
  const std::string first = answer();
  EXPECT_GT(number("document.querySelectorAll('.token').length"), 5);
  const std::string facts = text("document.querySelector('.facts').textContent");
  EXPECT_NE(facts.find("tokens/s"), std::string::npos) << facts;
  EXPECT_NE(facts.find("seed 3"), std::string::npos) << facts;
  click(".again");
  ASSERT_TRUE(idle());
  EXPECT_EQ(answer(), first);  // the same seed gives the same bytes
  EXPECT_EQ(number("document.querySelectorAll('.turn').length"), 2);
  send("And then?");
  ASSERT_TRUE(idle());
  EXPECT_EQ(number("document.querySelectorAll('.turn').length"), 4);
  click("#clear");
  EXPECT_EQ(number("document.querySelectorAll('.turn').length"), 0);
}

TEST_F(ServePage, ProbabilitiesOfATokenUnderTheMouse) {
  set("max_tokens", "20");
  send("Hello");
  ASSERT_TRUE(idle());
  const Json at = browser_->evaluate(
      "(() => { const r = document.querySelector('.token').getBoundingClientRect();"
      "return [r.x + r.width / 2, r.y + r.height / 2]; })()");
  browser_->move(at[0].get<double>(), at[1].get<double>());
  ASSERT_TRUE(wait_for("!document.getElementById('tip').hidden"));
  EXPECT_GE(number("document.querySelectorAll('#tip tr').length"), 5);
  EXPECT_EQ(number("document.querySelectorAll('#tip tr.chosen').length"), 1);
  browser_->move(5, 5);
  EXPECT_TRUE(wait_for("document.getElementById('tip').hidden"));
}

TEST_F(ServePage, EscapeStopsAnAnswer) {
  set("max_tokens", "450");
  send("Hello");
  ASSERT_TRUE(wait_for("document.querySelectorAll('.token').length > 2"));
  EXPECT_EQ(text("document.getElementById('send').textContent"), "Stop");
  browser_->key("Escape");
  ASSERT_TRUE(idle());
  const std::string facts = text("document.querySelector('.facts').textContent");
  EXPECT_TRUE(facts.find("stopped") != std::string::npos ||
              facts.find("token limit") != std::string::npos)
      << facts;
  EXPECT_TRUE(
      wait_for("document.querySelectorAll('.slots i.writing').length === 0"));  // its slot is free
}

TEST_F(ServePage, MistakesAreShown) {
  set("temperature", "-1");
  send("Hello");
  ASSERT_TRUE(wait_for("document.querySelectorAll('.trouble').length === 1"));
  EXPECT_NE(text("document.querySelector('.trouble').textContent").find("temperature"),
            std::string::npos);
  browser_->forgive();  // a browser reports every answer with 400
}

TEST_F(ServePage, FitsPhonesAndTheDark) {
  set("max_tokens", "60");
  send("Hello");
  ASSERT_TRUE(idle());
  for (const bool dark : {false, true}) {
    browser_->dark(dark);
    for (const int width : {390, 1360}) {
      browser_->size(width, 800);
      browser_->settle();
      EXPECT_LE(number("document.documentElement.scrollWidth"), width);
      EXPECT_LE(number("document.getElementById('send').getBoundingClientRect().bottom"), 800);
    }
  }
  click("#open-settings");
  EXPECT_GT(number("document.getElementById('settings').getBoundingClientRect().height"), 100);
}

}  // namespace
}  // namespace tilewright::page
