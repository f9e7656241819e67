// The page of a device's profile: alone, and beside the prediction of its program.
#include <cmath>

#include "page_fixture.h"

namespace tilewright::page {
namespace {

class MeasuredPage : public Page {
 protected:
  // The files of a run that another machine was predicted to make.
  std::string recording(const std::string& flags) {
    const std::string path = directory_ / "recording";
    std::istringstream words("sim qwen3/scope3 --records " + path + " " + flags);
    std::vector<std::string> args;
    for (std::string word; words >> word;) args.push_back(word);
    std::ostringstream out, err;
    EXPECT_EQ(cli::run_cli(args, cli::builtin_catalog(), out, err, {}), cli::kFine) << err.str();
    return path;
  }
};

constexpr const char* kOther =
    "--override timing.core.kernel_ns=900 --override runtime.dispatch_ns=600";

TEST_F(MeasuredPage, DrawsBothRunsInLightAndDark) {
  const std::string files = recording(kOther);
  for (const bool dark : {false, true}) {
    browser_->dark(dark);
    show("measured " + files + " qwen3/scope3");
    EXPECT_GT(colours(kTimelineCanvas), 8);
    EXPECT_GT(colours("tilewright.timeline.peer.surface.canvas"), 8);
    EXPECT_GT(colours("document.querySelector('#runtime canvas')"), 4);
    for (const char* id : {"headline", "timeline", "runtime", "beside", "stages", "kernels",
                           "traffic", "transfers", "roofline", "source"})
      EXPECT_GT(number("document.getElementById('" + std::string(id) +
                       "').getBoundingClientRect().height"),
                100)
          << id;
    const std::string verdict = text("document.querySelector('.verdict').textContent");
    EXPECT_NE(verdict.find("predicted too short"), std::string::npos) << verdict;
    picture(dark ? "measured_dark" : "measured_light");
  }
}

TEST_F(MeasuredPage, OneTimeAxisAndOneChosenTask) {
  show("measured " + recording(kOther) + " qwen3/scope3");
  EXPECT_TRUE(browser_->evaluate(
      "tilewright.timeline.view === tilewright.timeline.peer.view && "
      "tilewright.timeline.view.total >= tilewright.data.predicted.all.total_us"));
  browser_->evaluate("(tilewright.timeline.choose(900), tilewright.timeline.pointAt(900))");
  EXPECT_EQ(number("tilewright.timeline.chosen"), 900);
  EXPECT_EQ(number("tilewright.timeline.peer.chosen"), 900);
  const std::string facts = text("document.querySelector('.task-details').textContent");
  EXPECT_NE(facts.find("predicted: "), std::string::npos) << facts;
  picture("measured_chosen");
}

TEST_F(MeasuredPage, WithoutAProgramItIsAViewerOfProfiles) {
  show("measured " + recording("--records-level 2"));
  EXPECT_GT(colours(kTimelineCanvas), 8);
  for (const char* id :
       {"runtime", "beside", "kernels", "traffic", "transfers", "roofline", "source"})
    EXPECT_TRUE(browser_->evaluate("document.getElementById('" + std::string(id) + "') === null"))
        << id;
  picture("measured_viewer");
}

TEST_F(MeasuredPage, SaysWhatALevelDoesNotHold) {
  show("measured " + recording("--records-level 1") + " qwen3/scope3");
  EXPECT_NE(text("document.getElementById('limits').textContent").find("level 1 has the times"),
            std::string::npos);
  EXPECT_EQ(text("document.querySelector('#stages table').textContent").find("latency"),
            std::string::npos);
}

TEST_F(MeasuredPage, FitsNarrowAndWideWindows) {
  show("measured " + recording(kOther) + " qwen3/scope3");
  for (const int width : {390, 800, 1360, 2200}) {
    browser_->size(width, 900);
    browser_->settle();
    EXPECT_LE(number("document.documentElement.scrollWidth"), width);
    if (width == 390) picture("measured_phone");
  }
}

}  // namespace
}  // namespace tilewright::page
