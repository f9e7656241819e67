// The dictionary in the header of a .npy file, a literal of Python:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <string>
#include <string_view>

#include "tilewright/data/npy_header.h"

namespace tilewright::data {

// UserError unless the text is such a dictionary, with these three entries and no other.
NpyHeader parse_npy_dict(std::string_view text, const std::string& origin);

}  // namespace tilewright::data
