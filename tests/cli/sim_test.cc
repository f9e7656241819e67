// Predictions as a user meets them: sim, compare, calibrate, platform, explored orders, traces.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support.h"
#include "tilewright/cli/builtin.h"

namespace tilewright::cli {
namespace {

using Json = nlohmann::json;

Json asked(const std::string& line) { return Json::parse(ask(line + " --json -").out); }

TEST(Sim, HasTheKeysOfRunInAllAndPerStage) {
  const Json sim = asked("sim qwen3/decode --shape tiny");
  const Json run = asked("run qwen3/decode --shape tiny -p a2a3sim");
  for (const char* key : {"total_test_time_us", "mean_latency_us", "mean_exec_us", "gm_read_bytes",
                          "gm_write_bytes", "roofline_us", "roofline_fraction"}) {
    ASSERT_TRUE(sim.contains(key)) << key;
    EXPECT_EQ(sim[key], run[key]) << key;
    for (const Json& stage : sim["stages"]) EXPECT_TRUE(stage.contains(key)) << key;
  }
  EXPECT_EQ(sim["stages"], run["stages"]);
  EXPECT_EQ(sim["tasks"], 94);
  int64_t tasks = 0;
  for (const Json& stage : sim["stages"]) tasks += stage["tasks"].get<int64_t>();
  EXPECT_EQ(tasks, 94);
}

TEST(Sim, TextFitsEightyColumns) {
  const Outcome o = ask("sim qwen3/decode --shape tiny");
  EXPECT_EQ(o.code, kFine);
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

// input_norm keeps tiles apart that do not live at the same time.
TEST(Sim, AndCheckTellBytesAliveFromTheHighestAddress) {
  const Outcome check = ask("check qwen3/scope1 -p a2a3sim");
  EXPECT_TRUE(contains(check.out, "memory     alive   highest ")) << check.out;
  EXPECT_TRUE(contains(check.out, "Vec     16.2 KiB  20.2 KiB  184 KiB")) << check.out;
  const Outcome sim = ask("sim qwen3/scope1");
  EXPECT_TRUE(contains(sim.out, "highest address  in\n  Vec                    20.2 KiB  input_norm"))
      << sim.out;
}

TEST(Sim, TellsWhatItAssumesOfLoopsThatDataDecides) {
  const std::string cases = TILEWRIGHT_SOURCE "/tests/error/cases/scalars/";
  const Outcome o = ask("sim " + cases + "trip_count_that_a_minimum_bounds/bad.py");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "note: device data decide the trip count of the loop over i"))
      << o.out;
  EXPECT_TRUE(contains(o.out, "a prediction assumes 12 trips")) << o.out;
  EXPECT_FALSE(contains(ask("sim " + cases + "trip_count_that_a_minimum_bounds/good.py --arg lens=3").out,
                        "note:"));
}

TEST(Sim, OfSeveralRanksEachIsPredictedAndLinksAreFree) {
  const std::string program = TILEWRIGHT_SOURCE "/tests/error/cases/ranks/own_part_is_added_first/good.py";
  const Outcome o = ask("sim " + program);
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "3 ranks, each predicted separately: transfers between ranks")) << o.out;
  const Outcome run = ask("run " + program);
  EXPECT_EQ(run.code, kMistake);
  EXPECT_TRUE(contains(run.err, "host runs on 3 ranks, but only one device can be executed"))
      << run.err;
}

// The name that is read stands for an input in the first trip, and for what a task wrote later.
constexpr const char* kCountsOfTasks = R"(
import pypto.language as pl

@pl.jit
def demo(lens: pl.Tensor[[4], pl.INT32], y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    counts = lens
    for t in pl.range(2):
        for i in pl.range(pl.tensor.read(counts, [2])):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
                y = pl.assemble(y, pl.full([16, 64], dtype=pl.FP32, value=1.0), [i * 16, 0])
        more = pl.create_tensor([4], dtype=pl.INT32)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="count"):
            more = pl.assemble(more, pl.add(pl.slice(counts, [4], [0]), 3), [0])
        counts = more
)";

// With lens = 1 the trips submit 1 and 4 tasks, and each one more that counts.
TEST(Sim, OfTasksThatDependOnDataANumberIsAssumedAndRunReadsIt) {
  const TemporaryDirectory dir;
  std::ofstream(dir / "counts.py") << kCountsOfTasks;
  const std::string program = (dir / "counts.py") + " --arg lens=1";
  const Outcome o = ask("sim " + program);
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "note: the orchestrator reads counts, which tasks write")) << o.out;
  EXPECT_TRUE(contains(o.out, "1 is assumed here")) << o.out;
  EXPECT_EQ(asked("sim " + program)["tasks"], 4) << o.out;
  for (const char* command : {"run ", "run -p a2a3sim ", "profile -p cpu -o " }) {
    const bool page = std::string_view(command).ends_with("-o ");
    const Outcome run = ask(command + (page ? (dir / "page.html") + " " : "") + program);
    EXPECT_EQ(run.code, kFine) << command << run.err;
    EXPECT_TRUE(contains(run.out, "7 tasks")) << run.out;
  }
}

TEST(Sim, IdealsAndOverridesChangeTheTime) {
  const auto time = [](const std::string& flags) {
    return asked("sim qwen3/scope3 --shape tiny" + flags)["total_test_time_us"].get<double>();
  };
  const double plain = time("");
  EXPECT_LT(time(" --ideal runtime"), plain / 2);
  EXPECT_LT(time(" --ideal latency"), plain);
  EXPECT_LT(time(" --ideal cube"), plain);
  EXPECT_LT(time(" --ideal vector"), plain);
  EXPECT_LT(time(" --unprofiled"), plain);
  EXPECT_GT(time(" --override runtime.dispatch_ns=4000"), plain);
  const auto rows = [](const std::string& flags) {
    return asked("sim qwen3/scope3 --shape tiny" + flags)["cube_row_utilisation"];
  };
  EXPECT_EQ(rows(" --ideal cube"), rows(""));  // what is computed stays the same
}

TEST(Sim, WhatDoesNotFitIsToldWithItsTile) {
  const Outcome o = ask("sim qwen3/scope1 --set q_n=8192");
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(contains(o.err, "Mat buffer overflow in scope \"q_proj\"")) << o.err;
  EXPECT_TRUE(contains(o.err, "[128 x 8192] bf16 = 2 MiB")) << o.err;
}

// A chip's name decides nothing: the same machine under another name has the same defaults.
TEST(Sim, AMachineUnderAnotherNameHasTheSameKeysAndTimes) {
  const TemporaryDirectory dir;
  const std::string file = dir / "mine.json";
  for (const char* base : {"a2a3", "a5"}) {
    std::ofstream(file) << R"({"extends": ")" << base << R"(", "name": "mine"})";
    for (const char* program : {"qwen3/decode-best", "qwen3/scope3-best", "qwen3/decode"}) {
      const std::string line = std::string(program) + " -p ";
      const Json mine = asked("list " + line + file), known = asked("list " + line + base + "sim");
      EXPECT_EQ(mine["programs"], known["programs"]) << base << " " << program;
      EXPECT_EQ(asked("sim " + line + file)["total_test_time_us"],
                asked("sim " + line + base + "sim")["total_test_time_us"]);
    }
  }
  // What is left out of a machine's costs does not make it another machine.
  EXPECT_EQ(asked("sim qwen3/decode-best --ideal hbm")["keys"],
            asked("sim qwen3/decode-best")["keys"]);
}

TEST(Sim, BrokenMachinesNameTheField) {
  const TemporaryDirectory dir;
  const std::string file = dir / "chip.json";
  const auto with = [&](const std::string& fields) {
    std::ofstream(file) << R"({"extends": "a2a3", "name": "x", )" << fields << "}";
    return ask("sim tour -p " + file);
  };
  const std::string why = R"("standing": "spec", "source": "s"})";
  struct Bad {
    std::string fields, what;
  };
  for (const Bad& b : {
           Bad{R"("timing": {"memory": {"hbm_gb_per_s": {"value": 0, )" + why + "}}",
               "field timing.memory.hbm_gb_per_s.value is 0"},
           Bad{R"("memories": {"Vec": {"physical": {"value": -4, )" + why + "}}",
               "field memories.Vec.physical.value is -4"},
           Bad{R"("cores": {"cube": {"value": 0, )" + why + "}", "field cores.cube.value is 0"},
           Bad{R"("timing": {"gm": {"l1_latency": {"value": 3, )" + why + "}}",
               "field timing.gm.l1_latency is not known"},
       }) {
    const Outcome o = with(b.fields);
    EXPECT_EQ(o.code, kMistake) << b.fields;
    EXPECT_TRUE(contains(o.err, b.what)) << b.fields << "\n" << o.err;
  }
}

TEST(Sim, AMachineThatAProgramDoesNotFitRefusesTheProgram) {
  const TemporaryDirectory dir;
  const std::string file = dir / "chip.json";
  std::ofstream(file) << R"({"extends": "a2a3", "name": "x", "routes": {"value":
      ["GM->Vec", "Vec->GM"], "standing": "spec", "source": "s"}})";
  const Outcome o = ask("sim tour -p " + file);
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(contains(o.err, "load from GM into Mat")) << o.err;
}

TEST(Sim, TraceOfALayerIsCompactAndGzipWhenNamedSo) {
  const TemporaryDirectory dir;
  ASSERT_EQ(ask("sim qwen3/scope3 --trace " + (dir / "t.json")).code, kFine);
  ASSERT_EQ(ask("sim qwen3/scope3 --trace " + (dir / "t.json.gz")).code, kFine);
  EXPECT_LT(fs::file_size(dir / "t.json"), 25'000'000u);
  EXPECT_LT(fs::file_size(dir / "t.json.gz"), 2'500'000u);
  std::ifstream in(dir / "t.json.gz", std::ios::binary);
  EXPECT_EQ(in.get(), 0x1f);
  EXPECT_EQ(in.get(), 0x8b);
}

TEST(Sim, TraceHasATrackPerPipeAndProperlyNestedSlices) {
  const TemporaryDirectory dir;
  const std::string file = dir / "trace.json";
  ASSERT_EQ(ask("sim qwen3/decode --shape tiny --trace " + file).code, kFine);
  std::ifstream in(file);
  const Json trace = Json::parse(in);
  using Track = std::pair<int, int>;
  struct Slice {
    double begin, end;
  };
  std::map<Track, std::vector<Slice>> tracks;
  std::map<Track, std::string> names;
  for (const Json& e : trace.at("traceEvents")) {
    const Track track{e["pid"], e.value("tid", -1)};
    if (e["ph"] == "X") {
      const double ts = e["ts"], dur = e["dur"];
      EXPECT_GE(dur, 0);
      tracks[track].push_back({ts, ts + dur});
    } else if (e["name"] == "thread_name") {
      names[track] = e["args"]["name"];
    }
  }
  constexpr double kPicosecond = 1e-6;
  for (auto& [track, slices] : tracks) {
    ASSERT_TRUE(names.contains(track));
    std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Slice> open;
    for (const Slice& s : slices) {
      while (!open.empty() && open.back().end <= s.begin + kPicosecond) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(s.end, open.back().end + kPicosecond) << names[track];
      }
      open.push_back(s);
    }
  }
  const auto named = [&](const std::string& part) {
    return std::ranges::any_of(names, [&](const auto& n) { return contains(n.second, part); });
  };
  for (const char* pipe : {"MTE2", "MTE1", "FIXP", "MTE3"}) EXPECT_TRUE(named(pipe)) << pipe;
}

TEST(Compare, TheTwoSidesOfScope3AndTheirLikeForLikePair) {
  const Outcome o = ask("compare qwen3/scope3-before qwen3/scope3 -p a2a3sim");
  EXPECT_EQ(o.code, kFine);
  for (const char* part :
       {"33411", "1651", "the two sides have different sizes: hidden 5120 and 8192",
        "like for like"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  const Json j = asked("compare qwen3/scope3-before qwen3/scope3 -p a2a3sim");
  EXPECT_NEAR(j["speedup"].get<double>(), 63044.26 / 3284.44, 0.1 * 63044.26 / 3284.44);
  EXPECT_GT(j["speedup_like_for_like"], j["speedup"]);
  EXPECT_EQ(j["a_at_sizes_of_b"]["shape"], j["b"]["shape"]);
}

TEST(Compare, SidesOfOneSizeHaveNoThird) {
  const Json j = asked("compare qwen3/scope3 qwen3/scope3-fused --shape tiny");
  EXPECT_TRUE(j["size_differences"].empty());
  EXPECT_TRUE(j["speedup_like_for_like"].is_null());
  EXPECT_EQ(ask("compare qwen3/scope3 qwen3/scope3-fused --set nothing=1").code, kMistake);
  EXPECT_EQ(ask("compare qwen3/scope3").code, kMistake);
}

TEST(Compare, SaysWhenAFusionLaunchesMore) {
  const std::string line =
      "compare qwen3/decode@form=1251 qwen3/decode-fused-qkrope@form=1359 --shape qwen3-32b-wide";
  EXPECT_TRUE(contains(ask(line + " --set ctx=4096").out, "B launches 108 more tasks than A"));
  EXPECT_FALSE(
      contains(ask("compare qwen3/scope3 qwen3/scope3-fused --shape tiny").out, "launches"));
}

TEST(Tune, FindsFilesAndRefusals) {
  const TemporaryDirectory dir;
  const std::string file = dir / "tiling.json";
  const Outcome o = ask("tune qwen3/scope1 --shape tiny --budget 30 -o " + file);
  ASSERT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "30 candidates judged"));
  const Json tiling = Json::parse(std::ifstream(file));
  EXPECT_EQ(tiling["program"], "qwen3/scope1");
  EXPECT_EQ(asked("sim qwen3/scope1 --tiling " + file)["total_test_time_us"].get<double>(),
            tiling["time_us"].get<double>());
  EXPECT_EQ(ask("run qwen3/scope1 --tiling " + file).code, kFine);
  EXPECT_EQ(ask("run qwen3/scope3 --tiling " + file).code, kMistake);
  EXPECT_EQ(ask("tune qwen3/scope1 --shape tiny --budget 3x").code, kMistake);
  EXPECT_EQ(ask("tune tour --set n_tile=64 --set k_tile=128").code, kMistake) << "nothing is left to search";
  EXPECT_EQ(ask("tune qwen3/scope1 --shape tiny -p cpu --budget 3").code, kFine);
  EXPECT_EQ(ask("tune qwen3/scope1 --shape tiny -p cpu --override runtime.submit_ns=1").code,
            kMistake);
}

TEST(Advise, TellsFindingsAndAppliesThem) {
  const Json j = asked("advise qwen3/scope3-before --shape tiny");
  ASSERT_FALSE(j["findings"].empty());
  double last = 1e9;
  for (const Json& f : j["findings"]) {
    const double gain = f["now_us"].get<double>() - f["after_us"].get<double>();
    EXPECT_LE(gain, last) << "the largest first";
    last = gain;
  }
  const Outcome o = ask("advise qwen3/scope3-before --shape tiny --apply");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.err, "out: PASS"));
  EXPECT_TRUE(o.out.starts_with("# tilewright: program qwen3/scope3-before"));
  EXPECT_EQ(ask("advise qwen3/scope1 --set q_n=8192").code, kFailed);
  const Outcome refused = ask("advise qwen3/scope1 --set q_n=8192 --apply");
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_EQ(refused.out, "") << "no program is printed";
  EXPECT_EQ(ask("tune qwen3/scope1 --space q_n=64,x").code, kMistake);
}

std::string small_file(const TemporaryDirectory& dir) {
  const std::string file = dir / "small.py";
  fs::copy_file(fs::path(TILEWRIGHT_SOURCE) / "examples/tutorial/small.py", file);
  return file;
}

TEST(Advise, AndTuneTellOfRaces) {
  const std::string race = "warning: rules april-2026 leave ";
  EXPECT_TRUE(contains(ask("advise qwen3/scope2-before --shape tiny").out, race));
  const Outcome applied = ask("advise qwen3/scope2-before --shape tiny --apply");
  EXPECT_TRUE(contains(applied.err, race)) << applied.err;
  EXPECT_TRUE(contains(applied.err, "\n  in program qwen3/scope2-before\n")) << applied.err;
  EXPECT_FALSE(contains(applied.out, race)) << "stdout is the program";
  const Outcome tuned = ask("tune qwen3/scope2-before --shape tiny --budget 2");
  EXPECT_TRUE(contains(tuned.out, race)) << tuned.out;
  const TemporaryDirectory dir;
  EXPECT_FALSE(contains(ask("advise " + small_file(dir)).out, "warning: "));
}

// Who tunes such a program tunes another one than was meant.
TEST(Advise, AndSimTellOfWorkInVain) {
  const TemporaryDirectory dir;
  const std::string file = small_file(dir);
  std::ifstream in(file);
  std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string sum = "pl.matmul_acc(acc, left, right)";
  text.replace(text.find(sum), sum.size(), "pl.matmul(left, right)");
  std::ofstream(file) << text;
  for (const char* command : {"advise ", "sim ", "profile --no-advice -o /dev/null "})
    EXPECT_TRUE(contains(ask(command + file).out,
                         "warning: 62 of 63 values of acc are overwritten before anything reads"))
        << command;
}

TEST(Advise, AndTuneWriteWhatTheEndingSays) {
  const TemporaryDirectory dir;
  const std::string file = small_file(dir);
  for (const std::string& command :
       {"tune " + file + " --budget 2", "advise " + file + " --apply"}) {
    const Outcome o = ask(command + " -o " + (dir / "x.txt"));
    EXPECT_EQ(o.code, kMistake) << command;
    EXPECT_TRUE(contains(o.err, command.starts_with("tune")
                                    ? "x.txt has none of the endings .py, .json, .diff and .patch"
                                    : "x.txt has none of the endings .py, .diff and .patch"));
    EXPECT_TRUE(contains(o.err, "-o " + (dir / "x.py") + "\n")) << o.err;
    EXPECT_FALSE(fs::exists(dir / "x.txt"));
  }
  EXPECT_EQ(ask("advise " + file + " --apply -o " + (dir / "x.json")).code, kMistake);
  EXPECT_EQ(ask("advise qwen3/scope1 --shape tiny --apply -o " + (dir / "x.diff")).code, kMistake);

  const Outcome tuned = ask("tune " + file + " --budget 5 -o " + (dir / "tuned.py"));
  EXPECT_TRUE(contains(tuned.out, "--- " + file + "\n+++ " + (dir / "tuned.py") + "\n"))
      << tuned.out;
  const Outcome applied = ask("advise " + file + " --apply -o " + (dir / "x.diff"));
  ASSERT_EQ(applied.code, kFine) << applied.err;
  EXPECT_TRUE(contains(applied.out, "--- " + file + ", as show lists it\n")) << applied.out;
  const std::string patch = "patch -s -p0 -d / < " + (dir / "x.diff");
  ASSERT_EQ(std::system(patch.c_str()), 0);
  EXPECT_EQ(ask("check " + file + " -p a2a3sim").code, kFine);
  EXPECT_TRUE(contains(ask("show " + file).out, "pl.pipeline("));
}

TEST(Tune, SaysWhenNothingIsBetter) {
  const TemporaryDirectory dir;
  const std::string tune = "tune " + small_file(dir) + " --budget 2 --space N_TILE=32,33";
  const Outcome o = ask(tune);
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, ", 1 key to choose: N_TILE ")) << o.out;
  EXPECT_TRUE(contains(o.out, "nothing better found: predicted ")) << o.out;
  EXPECT_FALSE(contains(o.out, "times faster"));
  const std::string file = dir / "tuned.py";
  const Outcome saved = ask(tune + " -o " + file);
  EXPECT_EQ(saved.code, kFine) << saved.err;
  EXPECT_TRUE(saved.out.ends_with("no file was written: nothing better was found\n")) << saved.out;
  EXPECT_FALSE(fs::exists(file));
}

// As ./dev run calls it: the executable is not on the path.
TEST(Tune, ProposesCommandsThatCanBeTyped) {
  const TemporaryDirectory dir;
  Terminal terminal;
  terminal.called = "./dev run";
  const std::string file = dir / "tuned.py";
  const Outcome o =
      call("tune " + small_file(dir) + " --budget 30 -o " + file, builtin_catalog(), terminal);
  EXPECT_TRUE(contains(o.out, "saved " + file + "; next: ./dev run check " + file)) << o.out;
}

TEST(Arg, OfAnotherTypeIsAMistakeOfTheRequest) {
  const TemporaryDirectory dir;
  const std::string file = small_file(dir);
  const Outcome o = ask("check " + file + " --arg N_TILE=abc");
  EXPECT_EQ(o.code, kMistake);
  EXPECT_EQ(o.err,
            "error: N_TILE is an integer, 'abc' is not\n"
            "  in --arg N_TILE=abc\n"
            "  the value of --arg has the type of the value that it replaces\n"
            "  help: write for example --arg N_TILE=32\n");
  EXPECT_EQ(ask("check " + file + " --arg N_TILE=1.5").code, kMistake);
  EXPECT_EQ(ask("check " + file + " --arg N_TILE=64").code, kFine);
}

TEST(Calibrate, SaysHowFarItIsAndFailsWhenTooFar) {
  const Outcome o = ask("calibrate");
  EXPECT_EQ(o.code, kFine) << o.out;
  EXPECT_TRUE(o.out.ends_with("PASS\n")) << o.out;
  EXPECT_TRUE(contains(o.out, "each thread predicted with numbers fitted to the others")) << o.out;
  const Outcome far = ask("calibrate --override timing.memory.hbm_gb_per_s=300 --json -");
  EXPECT_EQ(far.code, kFailed);
  const Json j = Json::parse(far.out);
  EXPECT_FALSE(j["passed"].get<bool>());
  EXPECT_GT(j["left_out"]["median_error"], 0);
}

TEST(Sim, EveryPredictionHasAnInterval) {
  const Json a2a3 = asked("sim qwen3/scope3 --shape tiny");
  const Json a5 = asked("sim qwen3/scope3 --shape tiny -p a5sim");
  const auto width = [](const Json& j) {
    const double us = j["total_test_time_us"];
    const Json& i = j["total_test_time_interval_us"];
    EXPECT_LT(i[0], us);
    EXPECT_GT(i[1], us);
    return i[1].get<double>() / i[0].get<double>();
  };
  EXPECT_GT(width(a2a3), 1.1);
  EXPECT_GT(width(a5), width(a2a3)) << "nothing has been measured on a5";
  EXPECT_TRUE(contains(ask("sim qwen3/scope3 --shape tiny").out, "80 % interval"));
}

TEST(Sim, TheCriticalPathAddsUpToTheWholeTime) {
  for (const char* program : {"tour", "qwen3/scope3 --shape tiny", "qwen3/decode --shape tiny",
                              "qwen3/scope3-before --shape tiny", "qwen3/stack --shape tiny"}) {
    const Json j = asked(std::string("sim ") + program);
    const Json& path = j["critical_path"];
    EXPECT_NEAR(path["exec_us"].get<double>() + path["dispatch_us"].get<double>() +
                    path["submission_us"].get<double>(),
                j["total_test_time_us"].get<double>(), 1e-3)
        << program;
    for (const Json& step : path["steps"]) EXPECT_GE(step["overhead_us"], 0) << program;
  }
}

TEST(Sim, WarnsOfARaceUnderTheRulesThatLeaveIt) {
  EXPECT_TRUE(contains(ask("sim qwen3/scope2-before --shape tiny --rules april-2026").out,
                       "warning: rules april-2026 leave"));
  EXPECT_FALSE(contains(ask("sim qwen3/scope2-before --shape tiny --rules exact").out, "warning:"));
}

TEST(Sim, BothRooflinesAreNamed) {
  const Outcome o = ask("sim qwen3/scope3 --shape tiny");
  EXPECT_TRUE(contains(o.out, "GB/s, the rate that programs reach (fitted): reached")) << o.out;
  EXPECT_TRUE(contains(o.out, "GB/s, the specified peak: reached")) << o.out;
  const Json j = asked("sim qwen3/scope3 --shape tiny");
  EXPECT_LT(j["peak_roofline_us"], j["roofline_us"]);
}

// A number that does not matter is not among those that the time hangs on; one that binds is.
TEST(Sim, WhySaysWhatContributesAndWhatTheTimeHangsOn) {
  const Json why = asked("sim qwen3/scope3 --shape tiny --why")["why"];
  std::map<std::string, double> without;
  for (const Json& w : why["without"]) without[w["name"]] = w["total_us"];
  for (const char* name : {"HBM", "latency", "dispatch", "dependences", "runtime.dispatch_ns"})
    EXPECT_TRUE(without.contains(name)) << name;
  EXPECT_LT(without["dispatch"], without["runtime.dispatch_ns"]) << "all costs, and one of them";
  std::set<std::string> numbers;
  for (const Json& n : why["hangs_on"]) numbers.insert(n["number"].get<std::string>());
  EXPECT_TRUE(numbers.contains("runtime.dispatch_ns"));
  EXPECT_FALSE(numbers.contains("timing.vector.sort.bias_cycles"));
  EXPECT_TRUE(contains(ask("sim tour --why").out, "what it hangs on")) ;
}

TEST(Compare, SaysWhenTwoProgramsCannotBeToldApart) {
  const Outcome same = ask("compare tour tour --override runtime.submit_ns=500");
  EXPECT_TRUE(contains(same.out, "as fast as")) << same.out;
  const Outcome near = ask("compare qwen3/scope3 qwen3/scope3@norm_k=256");
  EXPECT_TRUE(contains(near.out, "cannot be told apart")) << near.out;
  const Outcome far = ask("compare qwen3/scope3 qwen3/scope3@mlp_n=128,mlp_k=256");
  EXPECT_TRUE(contains(far.out, "times faster than")) << far.out;
  EXPECT_TRUE(contains(far.out, "80 % interval 1.")) << far.out;
}

TEST(Explore, ARaceShowsUnderTheRulesThatLeaveIt) {
  const Outcome april = ask("run qwen3/scope2-before --shape tiny --explore 5 --rules april-2026");
  EXPECT_EQ(april.code, kFailed);
  EXPECT_TRUE(contains(april.out, "orders: FAIL (5 of 5 legal under april-2026 give other bits)"))
      << april.out;
  const Outcome exact = ask("run qwen3/scope2-before --shape tiny --explore 5 --rules exact");
  EXPECT_EQ(exact.code, kFine) << exact.out;
  EXPECT_TRUE(
      contains(exact.out, "orders: PASS (5 orders legal under exact, the same bits in all)"));
  EXPECT_EQ(ask("run tour --rules exact").code, kMistake);
  EXPECT_EQ(ask("run tour --explore 2 --rules exakt").code, kMistake);
}

TEST(PlatformCommand, ListsMachinesAndTheirNumbers) {
  EXPECT_TRUE(contains(ask("platform").out, "april-2026"));
  const Json j = asked("platform a2a3sim");
  EXPECT_GT(j["platforms"][0]["numbers"].size(), 100u);
  for (const Json& n : j["platforms"][0]["numbers"]) EXPECT_NE(n["source"], "") << n["path"];
  EXPECT_EQ(ask("platform a2a4sim").code, kMistake);
}

}  // namespace
}  // namespace tilewright::cli
