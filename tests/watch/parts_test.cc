// The parts of `watch` on their own: who was saved, and work that is given up.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "../temporary_directory.h"
#include "tilewright/cli/watch/background.h"
#include "tilewright/cli/watch/watched_files.h"
#include "tilewright/ir/program.h"
#include "watching.h"

namespace tilewright::cli {
namespace {

using namespace std::chrono_literals;

TEST(WatchedFiles, ASaveIsToldOnceAndWhenItHasSettled) {
  TemporaryDirectory d;
  const std::string file = d / "a";
  write_file(file, "one");
  WatchedFiles files;
  files.add({file, d / "not_there"});
  EXPECT_FALSE(files.saved());
  write_file(file, "longer");
  EXPECT_FALSE(files.saved());  // the writer may go on
  EXPECT_TRUE(files.saved());
  EXPECT_FALSE(files.saved());
  save_by_rename(file, "longer");
  EXPECT_FALSE(files.saved());
  EXPECT_TRUE(files.saved());
  write_file(d / "not_there", "now it is");
  EXPECT_FALSE(files.saved());
  EXPECT_TRUE(files.saved());
}

TEST(WatchedFiles, AFileThatIsAwayForAMomentIsWaitedFor) {
  TemporaryDirectory d;
  const std::string file = d / "a";
  write_file(file, "one");
  WatchedFiles files;
  files.add({file});
  std::filesystem::remove(file);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(files.saved());
  write_file(file, "two");
  EXPECT_FALSE(files.saved());
  EXPECT_TRUE(files.saved());
  std::filesystem::remove(file);
  int asked = 1;
  for (; asked < 100 && !files.saved(); ++asked) {}
  EXPECT_LT(asked, 100);  // and in the end it is told
}

// A writer that is held up between emptying a file and filling it.
TEST(WatchedFiles, AFileThatIsEmptyForAMomentIsWaitedFor) {
  const TemporaryDirectory dir;
  const std::string path = dir / "a.py";
  std::ofstream(path) << "one";
  WatchedFiles files;
  files.add({path});
  std::ofstream(path).flush();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(files.saved()) << i;
  std::ofstream(path) << "two";
  EXPECT_FALSE(files.saved());
  EXPECT_TRUE(files.saved());
  std::ofstream(path).flush();  // and stays so
  int asked = 0;
  while (!files.saved() && asked < 100) ++asked;
  EXPECT_LT(asked, 100);
}

TEST(WatchedFiles, AWriterThatNeverRestsIsToldAllTheSame) {
  TemporaryDirectory d;
  WatchedFiles files;
  files.add({d / "a"});
  bool told = false;
  for (int i = 0; i < 100 && !told; ++i) {
    write_file(d / "a", std::string(static_cast<std::size_t>(i), 'x'));
    told = files.saved();
  }
  EXPECT_TRUE(told);
}

TEST(Background, OnlyTheNewestIsFinishedAndTheEndWaitsForNothing) {
  std::atomic<int> finished = 0, given_up = 0;
  const auto work = [&](const Background::GivenUp& flag) {
    for (int i = 0; i < 2000 && !*flag; ++i) std::this_thread::sleep_for(1ms);
    ++(*flag ? given_up : finished);
  };
  const auto start = std::chrono::steady_clock::now();
  {
    Background background;
    background.start(work);
    std::this_thread::sleep_for(50ms);
    background.start(work);
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(given_up, 2);
  EXPECT_EQ(finished, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
}

TEST(Background, ADefinitionThatWasGivenUpThrows) {
  const auto flag = std::make_shared<std::atomic<bool>>(false);
  catalog::ProgramDef def;
  def.scalars = [](const catalog::Config&) { return std::map<std::string, double>{{"n", 1}}; };
  const catalog::ProgramDef patient = until_given_up(def, flag);
  EXPECT_FALSE(patient.inputs);  // what it lacks it still lacks
  const catalog::Config config("default", {}, {});
  EXPECT_EQ(patient.scalars(config).size(), 1u);
  *flag = true;
  EXPECT_THROW(patient.scalars(config), GaveUp);
}

}  // namespace
}  // namespace tilewright::cli
