#include "tilewright/lsp/places.h"

#include <gtest/gtest.h>

namespace tilewright::lsp {
namespace {

const std::set<std::string> kFiles{"/w/a.py", "/w/a.py.py", "/w x/b.py"};

Place at(const std::string& file, uint32_t line, uint32_t column) {
  Place p;
  p.file = file;
  p.line = line;
  p.column = column;
  return p;
}

TEST(Places, AreTheFieldsOfAMessage) {
  Diagnostic d;
  d.where = "words are not read: /w/a.py:1:1";
  d.help = "nor these: /w/a.py:2:1";
  d.place = at("/w/a.py", 20, 24);
  d.related = {{at("/w x/b.py", 22, 43), "the other place"},
               {at("/elsewhere/c.cc", 5, 0), "of no known file"},
               {at("/w/a.py", 20, 24), "where it stands already"},
               {at("/w/a.py", 31, 0), "alive at the peak: b"}};
  const auto places = places_of(d, kFiles);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0], (NamedPlace{"/w/a.py", 20, 24, ""}));
  EXPECT_EQ(places[1], (NamedPlace{"/w x/b.py", 22, 43, ""}));
  EXPECT_EQ(places[1].words, "the other place");
  EXPECT_EQ(places[2], (NamedPlace{"/w/a.py", 31, 0, ""}));
  EXPECT_EQ(places[2].words, "alive at the peak: b");
}

TEST(Places, OfAMessageWithoutFieldsAreInItsWords) {
  Diagnostic d;
  d.where = "at /w/a.py:20:24 and /w x/b.py:22:43, program P, scope \"s\"";
  const auto places = places_of(d, kFiles);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0], (NamedPlace{"/w/a.py", 20, 24, ""}));
  EXPECT_EQ(places[1], (NamedPlace{"/w x/b.py", 22, 43, ""}));
}

TEST(Places, InTheLawOfAMessage) {
  Diagnostic d;
  d.place = at("/w/a.py", 20, 17);
  d.law =
      "sizes are evaluated before programs are read: K comes from an import, made at "
      "/w/a.py:16:18 -> size at /w/a.py:20:39";
  const auto places = places_of(d, kFiles);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[1].line, 16u);
  EXPECT_EQ(places[1].words, "made");
  EXPECT_EQ(places[2].words, "size");
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
