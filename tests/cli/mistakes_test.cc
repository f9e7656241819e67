// What goes wrong on the command line, whose fault it is, and how it is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "plus_one.h"
#include "support.h"
#include "tilewright/base/check.h"

namespace tilewright::cli {
namespace {

TEST(Mistakes, AreToldInFourLines) {
  EXPECT_EQ(call("run tour --shap wide").err,
            "error: unknown flag --shap of run; did you mean '--shape'?\n"
            "  in: tilewright run tour --shap wide\n"
            "  every word of the command line must be a known command, flag or value; none is "
            "ignored\n"
            "  help: tilewright help run lists the flags\n");
  EXPECT_EQ(call("rum tour").err,
            "error: unknown command \"rum\"; did you mean 'run'?\n"
            "  in: tilewright rum tour\n"
            "  every word of the command line must be a known command, flag or value; none is "
            "ignored\n"
            "  help: tilewright help lists the commands\n");
  EXPECT_EQ(call("run tuor").err,
            "error: unknown program \"tuor\"; did you mean 'tour'?\n"
            "  in: tilewright run tuor\n"
            "  a program is a .py file or a name that list prints\n"
            "  help: the programs are: tour\n");
}

// What the user wrote is quoted, not the flag that would have meant the same.
TEST(Mistakes, AreFoundWhereTheyWereWritten) {
  EXPECT_TRUE(contains(call("platform a2a3si").err, "  in: tilewright platform a2a3si\n"));
  EXPECT_TRUE(contains(call("run tour -p a2a3si").err, "  in --platform a2a3si\n"));
  EXPECT_TRUE(contains(call("compare tour tour@n_til=3").err, "  in tour@n_til=3\n"));
  EXPECT_TRUE(contains(call("compare tour tour@n_til=3").err, "did you mean 'n_tile'?"));
  EXPECT_TRUE(contains(call("compare tour tour@shape=wid").err, "  in tour@shape=wid\n"));
  EXPECT_TRUE(contains(call("compare tour tour --set n_til=3").err, "  in --set n_til=3\n"));
  EXPECT_TRUE(contains(call("tune tour --space n_til=3").err, "  in --space n_til=3\n"));
}

TEST(Mistakes, AFileThatIsNoProgramIsCalledSo) {
  const TemporaryDirectory dir;
  const std::string text = dir / "notes.md";
  std::ofstream(text) << "notes\n";
  EXPECT_TRUE(call("check " + text).err.starts_with("error: " + text + " does not end in .py\n"));
  EXPECT_TRUE(call("check " + dir.path.string())
                  .err.starts_with("error: " + dir.path.string() + " is a directory\n"));
}

TEST(Mistakes, AModelIsNamedByItsFlag) {
  const Outcome o = call("info stories");
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(o.err.starts_with("error: unexpected word \"stories\" after info\n")) << o.err;
  EXPECT_TRUE(o.err.ends_with("  help: a model is named by -m: tilewright info -m stories\n"));
  EXPECT_TRUE(call("generate -m stories hi")
                  .err.ends_with("  help: the input text is given by -p: tilewright generate -m DIR "
                                 "-p hi\n"));
  EXPECT_TRUE(call("bench -m stories hi").err.ends_with("  help: tilewright help bench lists the flags\n"));
}

// A flag of files says how a C++ program is told the same, where it can be told.
TEST(Mistakes, FlagsOfFilesAreRefusedForOtherPrograms) {
  const auto helped = [](const std::string& line) {
    const Outcome o = call(line);
    EXPECT_EQ(o.code, kMistake) << line;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
    EXPECT_TRUE(contains(o.err, " does not apply to tour\n")) << o.err;
    return o.err.substr(o.err.find("  help: "));
  };
  for (const char* command : {"run", "check", "sim", "show", "list", "tune", "advise", "profile"})
    EXPECT_EQ(helped(std::string(command) + " tour --arg n_tile=128"),
              "  help: use --set n_tile=128\n");
  EXPECT_EQ(helped("compare tour tour@n_tile=64 --arg n_tile=128"), "  help: use --set n_tile=128\n");
  EXPECT_EQ(helped("sim --arg n_tile=128"), "  help: use --set n_tile=128\n");
  EXPECT_TRUE(helped("run tour --arg x=3").starts_with("  help: --set sets a key; the keys are: "));
  EXPECT_EQ(helped("check tour --path /"), "  help: omit --path\n");
  EXPECT_EQ(helped("check tour --reference nope"),
            "  help: omit --reference: tour has a formula of its own\n");

  const TemporaryDirectory dir;
  const std::string file = dir / "layer.py";
  std::ofstream(file) << "K_TILE = 32\n" << call("show tour").out;
  EXPECT_EQ(call("compare tour " + file + " --arg K_TILE=64").code, kFine);
  EXPECT_EQ(call("compare " + file + "@K_TILE=64 tour --reference tour").code, kFine);
}

// A report that is written over the program is the end of the program.
TEST(Mistakes, WhatIsReadIsNotOverwritten) {
  const TemporaryDirectory dir;
  const std::string program = dir / "layer.py", other = dir / "other.py";
  const std::string text = call("show tour").out;
  for (const std::string& file : {program, other}) std::ofstream(file) << text;
  for (const std::string& line :
       {"profile " + program + " -o " + program, "sim " + program + " --trace " + program,
        "check " + program + " --json " + program, "check " + program + "::tour --json " + program,
        "advise " + program + " --apply -o " + program,
        "compare " + program + " " + other + " -o " + other,
        "compare " + program + " " + other + "@k_tile=64 -o " + other,
        "tune " + program + " -o " + program,
        "check " + program + " --json " + (dir.path / "." / "layer.py").string()}) {
    const Outcome o = call(line);
    EXPECT_EQ(o.code, kMistake) << line;
    EXPECT_TRUE(contains(o.err, "would be overwritten\n")) << line << "\n" << o.err;
    for (const std::string& file : {program, other}) {
      std::ifstream in(file);
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text) << line;
    }
  }
  EXPECT_EQ(call("check " + program + " --json " + (dir / "layer.json")).code, kFine);
}

// Nobody else can tell which files of its directory a model needs.
TEST(Mistakes, FilesOfAModelAreNotOverwritten) {
  const TemporaryDirectory dir;
  const std::string model = dir / "tiny";
  ASSERT_EQ(call("make-model --shape tiny -o " + model).code, kFine);
  const auto text_of = [](const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const std::string& line :
       {"generate -m " + model + " -p hi -n 1 --save " + model + "/config.json",
        "generate -m " + model + "/ -p hi -n 1 --json " + model + "/tokenizer.json",
        "perplexity -m " + model + " -p hi --json " + model + "/model.safetensors",
        "info -m " + model + " --json " + model + "/../tiny/config.json",
        "bench -m " + model + " --json " + model + "/config.json",
        "quantize -m " + model + " --type Q8_0 -o " + (dir / "q.gguf") + " --json " + model +
            "/config.json",
        "sim -m " + model + " --json " + model + "/config.json"}) {
    const std::string written = line.substr(line.rfind(' ') + 1), before = text_of(written);
    const Outcome o = call(line);
    EXPECT_EQ(o.code, kMistake) << line;
    EXPECT_TRUE(contains(o.err, "would be overwritten\n")) << line << "\n" << o.err;
    EXPECT_EQ(text_of(written), before) << line;
  }
  EXPECT_NE(call("quantize -m " + model + " --type Q8_0 -o " + model + "/config.json").code, kFine);
  EXPECT_EQ(call("make-model --shape tiny -o " + model).code, kMistake);
  EXPECT_EQ(call("generate -m " + model + " -p hi -n 1 --save " + model + "/story.txt").code, kFine);
  // What a model in a directory does not read may be made again.
  const std::string again = "quantize -m " + model + " --type Q8_0 -o " + model + "/q.gguf";
  EXPECT_EQ(call(again).code, kFine);
  EXPECT_EQ(call(again).code, kFine);

  for (const char* part : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"})
    std::ofstream(dir / part) << "GGUF\n";
  const Outcome o =
      call("info -m " + (dir / "m-00001-of-00002.gguf") + " --json " + (dir / "m-00002-of-00002.gguf"));
  EXPECT_TRUE(contains(o.err, "m-00002-of-00002.gguf would be overwritten\n")) << o.err;
}

TEST(Mistakes, ADirectoryThatIsNoModelSaysWhatItHolds) {
  const TemporaryDirectory dir;
  for (const char* name : {"a", "b", "words"}) fs::create_directory(dir.path / name);
  for (const char* name : {"a/config.json", "b/config.json", "c.gguf", "words/tokenizer.json"})
    std::ofstream(dir.path / name) << "{}\n";
  const std::string models = dir.path.string();
  Outcome o = call("generate -p hi -m " + models);
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(o.err.starts_with("error: " + models + " holds models, and is none: a, b, c.gguf\n"))
      << o.err;
  EXPECT_TRUE(o.err.ends_with("  help: name one of them: -m " + (dir / "a") + "\n")) << o.err;
  o = call("generate -p hi -m " + (dir / "words"));
  EXPECT_TRUE(o.err.starts_with("error: " + (dir / "words") + " has a tokenizer, but no model\n"))
      << o.err;
}

TEST(Mistakes, AReportIsAPage) {
  const TemporaryDirectory dir;
  for (const char* line : {"profile tour -o ", "compare tour tour@n_tile=64 -o "}) {
    const Outcome o = call(line + (dir / "report.pdf"));
    EXPECT_EQ(o.code, kMistake) << line;
    EXPECT_TRUE(contains(o.err, "report.pdf does not end in .html\n")) << o.err;
    EXPECT_TRUE(o.err.ends_with("  help: write it with -o " + (dir / "report.html") + "\n"));
    EXPECT_FALSE(fs::exists(dir / "report.pdf"));
  }
}

// The page shows what the command line says.
TEST(Mistakes, ExamplesOfThePageAreTrue) {
  std::ifstream in(TILEWRIGHT_SOURCE "/docs/errors.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  for (const char* line :
       {"run tour --sed 3", "run tuor", "check tour --shape smal",
        "check tour --set rows=99999999999", "run tour -p a2a3", "run tour --device 3",
        "sim tour --override timing", "sim tour --ideal hmb", "check tour --rules april",
        "show tour --after alocate"}) {
    const Outcome o = ask(line);
    EXPECT_TRUE(contains(page, "```\n" + o.err + "```\n")) << o.err;
  }
}

struct Mistake {
  const char* line;
  const char* what;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, ExitWithTwoAndFourLines) {
  const Outcome o = call(GetParam().line);
  EXPECT_EQ(o.code, kMistake);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(o.err.starts_with(std::string("error: ") + GetParam().what)) << o.err;
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{"advise tour -o faster.py", "--output without --apply"},
        Mistake{"run tour --shape wid", "program tour has no shape \"wid\"; did you mean 'wide'?"},
        Mistake{"run tour --set n_til=3", "unknown key \"n_til\"; did you mean 'n_tile'?"},
        Mistake{"run tour --set n_tile", "--set \"n_tile\" is not KEY=VALUE"},
        Mistake{"run tour --set n_tile=x", "--set \"n_tile=x\" is not KEY=VALUE"},
        Mistake{"run tour --set =3", "--set \"=3\" is not KEY=VALUE"},
        Mistake{"run tour --set n_tile=99999999999999999999", "--set \"n_tile=9"},
        Mistake{"run tour --set rows=1 --set rows=2", "key rows is set more than once"},
        Mistake{"run tour --set hidden=0", "key hidden = 0 is outside its range, 1 to 65536"},
        Mistake{"run tour --sums", "flag --sums needs a value"},
        Mistake{"run tour --sums golden", "--sums golden"},
        Mistake{"run tour -p a2a3sim --sums fastest", "--sums on a simulated platform"},
        Mistake{"run tour --seed", "flag --seed needs a value"},
        Mistake{"run tour --shape=", "flag --shape needs a value"},
        Mistake{"run tour --seed 1 --seed 2", "flag --seed is given more than once"},
        Mistake{"run tour --seed -1", "--seed \"-1\" is not a whole number"},
        Mistake{"run tour --seed 1.5", "--seed \"1.5\" is not a whole number"},
        Mistake{"run tour --expect", "flag --expect needs a value"},
        Mistake{"run tour --expect none", "there is no directory \"none\""},
        Mistake{"run tour --order-seed x", "--order-seed \"x\" is not a whole number"},
        Mistake{"run tour extra", "unexpected word \"extra\" after run"},
        Mistake{"run tour -p a2a3", "no a2a3 device is attached"},
        Mistake{"run tour -p a2a3si", "unknown platform \"a2a3si\""},
        Mistake{"run tour -p none.json", "cannot read the platform file"},
        Mistake{"run tour -d 1", "no device 1 is attached"},
        Mistake{"run tour -d 0", "no device 0 is attached"},
        Mistake{"check tour --help=no", "flag --help takes no value"},
        Mistake{"bench --stages=3", "flag --stages takes no value"},
        Mistake{"--version=1", "flag --version takes no value"},
        Mistake{"run tour --frob=3", "unknown flag --frob of run"},
        Mistake{"check tour --rules april", "unknown runtime rules \"april\"; did you mean"},
        Mistake{"check tour --budget vectr=1", "unknown limit \"vectr\" in --budget; did you mean"},
        Mistake{"check tour --budget vector", "--budget \"vector\" is not a number of bytes"},
        Mistake{"check tour --budget cube=0", "--budget \"cube=0\" is not a number of bytes"},
        Mistake{"check tour --budget cube=1,cube=2", "limit cube is given more than once"},
        Mistake{"show tour --after outlin", "unknown pass \"outlin\"; did you mean"},
        Mistake{"completion", "completion needs the name of a shell"},
        Mistake{"completion tcsh", "unknown shell \"tcsh\""},
        Mistake{"help rum", "unknown command \"rum\"; did you mean 'run'?"},
        Mistake{"check layer.cc", "layer.cc is a C++ file"},
        Mistake{"generate -m model -n 5 -ngl 99", "unknown flag -ngl of generate"},
        Mistake{"check layer.py --path nowhere", "there is no directory \"nowhere\""},
        Mistake{"check tour --rules 2026-13-45", "unknown runtime rules \"2026-13-45\"\n"},
        Mistake{"check tour --rules 2020-01-01", "unknown runtime rules \"2020-01-01\"\n"},
        Mistake{"sim tour --override timing.gm.l1_latency_ns=1e300",
                "field timing.gm.l1_latency_ns.value is 1e+300\n"
                "  in --override timing.gm.l1_latency_ns=1e300\n"},
        Mistake{"sim tour --ideal hmb", "unknown ideal \"hmb\"; did you mean 'hbm'?"},
        Mistake{"version", "unknown command \"version\"; did you mean '--version'?"},
        Mistake{"-v", "unknown flag -v; did you mean '--version'?"},
        Mistake{"generate --temperature 0",
                "unknown flag --temperature of generate; did you mean '--temp'?"},
        Mistake{"sim tour --override a.b=3", "a.b is not a number of the platform\n"},
        Mistake{"sim tour --override timing.gm.l1_latency=3",
                "timing.gm.l1_latency is not a number of the platform; did you mean "
                "'timing.gm.l1_latency_ns'?\n"},
        Mistake{"run tour -t 257", "--threads 257 is not a number from 1 to 256\n"},
        Mistake{"tune tour -t 257", "--threads 257 is not a number from 1 to 256\n"},
        Mistake{"run tour -t 0", "--threads 0 is not a number from 1 to 256\n"},
        Mistake{"generate -m model -f none.txt",
                "cannot read none.txt: No such file or directory\n  in --file none.txt\n"},
        Mistake{"list --arg x=3", "--arg without a program\n"},
        Mistake{"list tuor", "unknown program \"tuor\"; did you mean 'tour'?"}));

TEST(Mistakes, CatalogsAreCheckedInside) {
  const Outcome o = call("list", {plus_one("a"), plus_one("a")});
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(contains(o.err, "program \"a\" is defined twice"));
}

TEST(Mistakes, TooLittleMemoryIsTheUsers) {
  ProgramDef def = plus_one("huge");
  def.formula = [](const Config&, Arrays&) { throw std::bad_alloc(); };
  const Outcome o = call("run", {def});
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(o.err.starts_with("error: not enough memory for this request\n"));
}

TEST(Bugs, ExitWithThreeAndAskForAReport) {
  for (const bool ours : {true, false}) {
    ProgramDef def = plus_one("broken");
    def.formula = [ours](const Config&, Arrays&) {
      if (ours) bug("the impossible happened");
      throw std::runtime_error("something else");
    };
    const Outcome o = call("run", {def});
    EXPECT_EQ(o.code, kBug);
    EXPECT_TRUE(o.err.starts_with("internal error: ")) << o.err;
    EXPECT_TRUE(contains(o.err, ours ? "the impossible happened" : "something else"));
    EXPECT_TRUE(contains(o.err, "help: report it with this message"));
  }
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  EXPECT_EQ(run_cli({"list"}, {programs::tour()}, full, err), kMistake);
  EXPECT_TRUE(contains(err.str(), "the output could not be written"));
}

}  // namespace
}  // namespace tilewright::cli
