#include "tilewright/lsp/places.h"

#include <gtest/gtest.h>

namespace tilewright::lsp {
namespace {

const std::set<std::string> kFiles{"/w/a.py", "/w/a.py.py", "/w x/b.py"};

TEST(Places, BothSidesOfARace) {
  Diagnostic d;
  d.what = "p and q race on y";
  d.where = "at /w/a.py:20:24 and /w x/b.py:22:43, program P, scope \"s\"";
  const auto places = places_of(d, kFiles);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0], (NamedPlace{"/w/a.py", 20, 24, ""}));
  EXPECT_EQ(places[1], (NamedPlace{"/w x/b.py", 22, 43, ""}));
}

TEST(Places, TheWayOfAnUndefinedValue) {
  Diagnostic d;
  d.where = "at /w/a.py:20:17, program P";
  d.law =
      "no output depends on elements nobody wrote: [8:16, 0:64] of padded, made at "
      "/w/a.py:16:18 -> load at /w/a.py:20:39 -> store at /w/a.py:20:17";
  const auto places = places_of(d, kFiles);
  ASSERT_EQ(places.size(), 3u);  // the last is where it stands already
  EXPECT_EQ(places[1].line, 16u);
  EXPECT_EQ(places[1].words, "made");
  EXPECT_EQ(places[2].words, "load");
}

TEST(Places, WhatIsAliveAtThePeak) {
  Diagnostic d;
  d.where = "at /w/a.py:42:9, program P, tile a";
  d.excerpt =
      "    42 | a = 1\n       | ^\n    alive at the peak  tile  bytes  place\n"
      "    a   [16 x 8192] f32  524288  /w/a.py:42:9\n    b   [16 x 128] f32  8192  /w/a.py:31\n";
  const auto places = places_of(d, kFiles);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[1].line, 31u);
  EXPECT_EQ(places[1].column, 0u);
  EXPECT_EQ(places[1].words, "alive at the peak: b [16 x 128] f32 8192");
}

TEST(Places, TheLongestNameCounts) {
  const auto places = places_in("see /w/a.py.py:3", kFiles);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].file, "/w/a.py.py");
  EXPECT_TRUE(places_in("/w/a.py and /w/a.py: and /w/a.py:x", kFiles).empty());
}

TEST(Places, NamesAreCutToTheirLastPart) {
  EXPECT_EQ(with_short_names("at /w/a.py:3 and /w x/b.py:4", kFiles), "at a.py:3 and b.py:4");
}

}  // namespace
}  // namespace tilewright::lsp
