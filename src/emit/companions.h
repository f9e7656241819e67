// What lies beside the sources: the names of functions by number, a driver in Python, a README.
#pragma once

#include <string>
#include <vector>

#include "tilewright/emit/emit.h"
#include "tilewright/emit/kernel_list.h"

namespace tilewright::emit {

std::string name_map(const ir::Plan& plan, const std::vector<Function>& functions);
std::string driver(const ir::Plan& plan, const Options& options,
                   const std::vector<Function>& functions);
std::string readme(const ir::Plan& plan, const Options& options,
                   const std::vector<Function>& functions);

}  // namespace tilewright::emit
