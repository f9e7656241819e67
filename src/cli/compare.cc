#include "tilewright/cli/context.h"
namespace tilewright::cli {
int compare_command(const Context&) { return kMistake; }
}  // namespace tilewright::cli
