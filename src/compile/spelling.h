// What a help line tells the user to write, in the language of the program: C++ or Python. All
// other text of messages is the same in both.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/base/place.h"

namespace tilewright::compile {

enum class Phrase : uint8_t {
  OpenScope,     // around statements
  MakeTensor,    // in GM
  MakeAcc,       // a tile in the cube's accumulator
  DeclareState,  // a parameter that is read and written
  AutoScope,
  Guard,         // around a body that does not always run
  KeepNumber,    // beyond the loop that computes it
  AddProduct,    // to an accumulator
};

// `place`: what the message points to. Only places in program files have their text at hand.
std::string spelling(const Place& place, Phrase phrase);

}  // namespace tilewright::compile
