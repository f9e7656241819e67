// order_dump NAME: the submissions of a case, for the original's runtime (README.md).
#include <algorithm>
#include <iostream>

#include "order.h"

int main(int argc, char** argv) {
  const auto& all = order_test::cases();
  const auto it = argc == 2 ? std::ranges::find(all, argv[1], &order_test::Case::name) : all.end();
  if (it == all.end()) {
    for (const auto& c : all) std::cout << c.name << "\n";
    return 2;
  }
  std::cout << order_test::Ordered(*it).submissions();
  return 0;
}
