#include "tilewright/compile/spelling.h"

#include <algorithm>
#include <iterator>

#include "tilewright/base/check.h"

namespace tilewright::compile {
namespace {

struct Spelling {
  Phrase phrase;
  const char* cpp;
  const char* python;
};

constexpr Spelling kSpellings[] = {
    {Phrase::OpenScope, "auto core = p.incore(\"name\");",
     "with pl.at(level=pl.Level.CORE_GROUP):"},
    {Phrase::MakeTensor, "p.tensor", "pl.create_tensor"},
    {Phrase::MakeAcc, "p.accumulator", "pl.create_tile(..., target_memory=pl.MemorySpace.Acc)"},
    {Phrase::DeclareState, "Out, or InOut (p.state)", "pl.Out[...], or pl.InOut[...]"},
    {Phrase::AutoScope, "auto_incore", "pl.auto_incore()"},
    {Phrase::Guard, "when()", "an if"},
    {Phrase::KeepNumber, "keep the number in a scalar created by let before the loop",
     "assign the number to another name before the loop"},
    {Phrase::AddProduct, "matmul_acc", "pl.matmul_acc"},
};

}  // namespace

std::string spelling(const Place& place, Phrase phrase) {
  const Spelling* s = std::ranges::find(kSpellings, phrase, &Spelling::phrase);
  check(s != std::end(kSpellings), "a phrase without its spellings");
  return place.source ? s->python : s->cpp;
}

}  // namespace tilewright::compile
