#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"

int main(int argc, char** argv) {
  return tilewright::cli::main(argc, argv, tilewright::cli::builtin_catalog());
}
