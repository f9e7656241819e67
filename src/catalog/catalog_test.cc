#include "tilewright/catalog/catalog.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/program.h"

namespace tilewright::catalog {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

ProgramDef named(std::string name) {
  ProgramDef def;
  def.name = std::move(name);
  def.shapes = {"small", "large"};
  def.keys = [](const std::string& shape, const Machine&) {
    return std::vector<Key>{{"rows", shape == "large" ? 16 : 4, "rows of the batch", 1, 64},
                            {"n_tile", 128, "columns per task"}};
  };
  def.build = [](const Config&) { return ir::Program{}; };
  return def;
}

TEST(Config, ShapesChooseTheDefaultsOfKeys) {
  const ProgramDef def = named("p");
  EXPECT_EQ(configure(def, "", {}).shape(), "small");
  EXPECT_EQ(configure(def, "", {})["rows"], 4);
  EXPECT_EQ(configure(def, "large", {})["rows"], 16);
  EXPECT_EQ(error_of([&] { configure(def, "lrge", {}); }),
            "error: program p has no shape \"lrge\"; did you mean 'large'?\n"
            "  in --shape lrge\n"
            "  a shape is selected by name\n"
            "  help: its shapes are: small, large\n");
}

TEST(Config, SetChecksNameAndRange) {
  Config c = configure(named("p"), "", {});
  c.set("rows", 64);
  EXPECT_EQ(c["rows"], 64);
  EXPECT_EQ(error_of([&] { c.set("row", 3); }),
            "error: unknown key \"row\"; did you mean 'rows'?\n"
            "  in --set row=3\n"
            "  only the keys that the program declares can be set\n"
            "  help: its keys are: rows, n_tile\n");
  EXPECT_EQ(error_of([&] { c.set("rows", 65); }),
            "error: key rows = 65 is outside its range, 1 to 64\n"
            "  in --set rows=65\n"
            "  rows is: rows of the batch\n"
            "  help: the default is 64\n");
  EXPECT_NE(error_of([&] { c.set("n_tile", 0); }).find("at least 1"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)c["depth"]; }).find("no key \"depth\""), std::string::npos);
}

TEST(Catalog, FindsByNameOrSuggests) {
  const Catalog c{named("qwen3/decode"), named("tour")};
  EXPECT_EQ(c.find("tour").name, "tour");
  EXPECT_EQ(c.names(), (std::vector<std::string>{"qwen3/decode", "tour"}));
  EXPECT_NE(error_of([&] { c.find("tuor"); }).find("did you mean 'tour'?"), std::string::npos);
}

TEST(Catalog, RefusesIncompleteOrDoubleDefinitions) {
  const auto why = [](const Catalog& c) { return error_of([&] { c.validate(); }); };
  EXPECT_EQ(why({named("a"), named("b")}), "no error");
  EXPECT_NE(why({named("a"), named("a")}).find("\"a\" is defined twice"), std::string::npos);
  EXPECT_NE(why({named("")}).find("has no name"), std::string::npos);
  ProgramDef empty;
  empty.name = "b";
  EXPECT_NE(why({empty}).find("has no build function"), std::string::npos);
}

TEST(ProgramDef, ToleranceByNameThenForAllThenTheDefault) {
  ProgramDef def;
  EXPECT_EQ(def.tolerance("out").rtol, 1e-5);
  def.tolerances = {{"", {1e-3, 2e-3}}, {"out", {3e-3, 4e-3}}};
  EXPECT_EQ(def.tolerance("out").atol, 4e-3);
  EXPECT_EQ(def.tolerance("other").atol, 2e-3);
}

TEST(Arrays, UnknownNameIsTheUsersMistake) {
  Arrays a;
  a.add("hidden", HostArray(DType::F32, {2}));
  a.add("hidden", HostArray(DType::F32, {3}));
  EXPECT_EQ(a["hidden"].size(), 3);
  EXPECT_NE(error_of([&] { a["hiden"]; }).find("did you mean 'hidden'?"), std::string::npos);
}

struct Moments {
  double mean = 0, deviation = 0, low = INFINITY, high = -INFINITY;
};

Moments moments(const HostArray& a) {
  Moments m;
  double squares = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double v = a.at(i);
    m.mean += v / static_cast<double>(a.size());
    squares += v * v / static_cast<double>(a.size());
    m.low = std::min(m.low, v);
    m.high = std::max(m.high, v);
  }
  m.deviation = std::sqrt(squares - m.mean * m.mean);
  return m;
}

HostArray filled(DType t, Shape shape, const Init& init, uint64_t seed = 1) {
  HostArray a(t, std::move(shape));
  Rng rng(seed);
  init(a, rng);
  return a;
}

TEST(Inits, UniformHasItsMeanSpreadAndEnds) {
  for (DType t : {DType::F32, DType::BF16, DType::F16}) {
    const Moments m = moments(filled(t, {100001}, uniform(-0.5, 1.5)));
    EXPECT_NEAR(m.mean, 0.5, 0.01);
    EXPECT_NEAR(m.deviation, 2 / std::sqrt(12.0), 0.01);
    EXPECT_GE(m.low, -0.5);
    EXPECT_LE(m.high, 1.5);
    EXPECT_GT(m.high, 1.49);
  }
}

TEST(Inits, NormalHasItsMeanAndSpread) {
  for (DType t : {DType::F32, DType::BF16}) {
    const Moments m = moments(filled(t, {100001}, normal(0.25)));
    EXPECT_NEAR(m.mean, 0.0, 0.005);
    EXPECT_NEAR(m.deviation, 0.25, 0.005);
    EXPECT_GT(m.high, 0.75);
    EXPECT_LT(m.high, 0.25 * 6.7);
  }
}

TEST(Inits, IntegersReachBothEnds) {
  for (DType t : {DType::I32, DType::I64, DType::U8}) {
    const HostArray a = filled(t, {1000}, integers(3, 7));
    std::set<double> seen;
    for (int64_t i = 0; i < a.size(); ++i) seen.insert(a.at(i));
    EXPECT_EQ(seen, (std::set<double>{3, 4, 5, 6}));
  }
}

TEST(Inits, ConstantFillsEveryElement) {
  for (DType t : {DType::F32, DType::BF16, DType::I64, DType::U8, DType::Bool}) {
    const Moments m = moments(filled(t, {7, 13}, constant(1)));
    EXPECT_EQ(m.low, 1);
    EXPECT_EQ(m.high, 1);
  }
  EXPECT_EQ(filled(DType::F32, {3}, constant(-INFINITY)).at(2), -INFINITY);
  EXPECT_EQ(filled(DType::F32, {0}, constant(1)).size(), 0);
}

TEST(Inits, SameSeedSameBits) {
  EXPECT_TRUE(
      filled(DType::BF16, {999}, normal(1), 7).same_bits(filled(DType::BF16, {999}, normal(1), 7)));
  EXPECT_FALSE(
      filled(DType::BF16, {999}, normal(1), 7).same_bits(filled(DType::BF16, {999}, normal(1), 8)));
}

TEST(Inits, ValuesThatDoNotFitAreRefused) {
  EXPECT_NE(error_of([] {
              filled(DType::U8, {4}, integers(0, 300));
            }).find("values from 0 to 299 do not fit UINT8, which holds 0 to 255"),
            std::string::npos);
  EXPECT_NE(error_of([] { filled(DType::F16, {4}, uniform(0, 1e6)); }).find("do not fit FP16"),
            std::string::npos);
  EXPECT_NE(error_of([] { filled(DType::I64, {1}, constant(0x1p63)); }).find("do not fit"),
            std::string::npos);
  EXPECT_NE(error_of([] { filled(DType::F32, {1}, constant(NAN)); }).find("do not fit"),
            std::string::npos);
  EXPECT_NE(error_of([] { filled(DType::I32, {1}, normal(1)); }).find("use integers"),
            std::string::npos);
  EXPECT_NE(error_of([] { integers(5, 5); }).find("not a range"), std::string::npos);
  EXPECT_NE(error_of([] { integers(INT64_MIN, INT64_MAX); }).find("not a range"),
            std::string::npos);
  EXPECT_NE(error_of([] { uniform(1, 0); }).find("empty range"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::catalog
