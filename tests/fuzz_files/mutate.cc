// Changed files without a fuzzing engine: bytes are altered, cut, repeated and spliced at random,
// by seed. Runs everywhere as a test; libfuzzer.cc is the thorough one.
//
//   files_fuzz [--rounds N] [--seed N] [--target NAME]
//                                          N changed files for every target, or for one
//   files_fuzz --write DIR                 the seeds as files, for libFuzzer
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "targets.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"

namespace fuzz_files {
namespace {

namespace fs = std::filesystem;
using tilewright::Rng;

std::size_t below(Rng& rng, std::size_t n) { return static_cast<std::size_t>(rng.next() % n); }

void change(std::string& s, Rng& rng, const std::vector<std::string>& seeds) {
  static constexpr std::string_view kTelling[] = {"\xFF\xFF\xFF\xFF",
                                                  "-1",
                                                  "0",
                                                  "99999999999999999999",
                                                  "{",
                                                  "}",
                                                  "\"",
                                                  "[",
                                                  "null",
                                                  "{{",
                                                  "{%",
                                                  "%}",
                                                  "e308"};
  const std::size_t at = below(rng, s.size() + 1);
  const std::size_t length = std::min(below(rng, 17), s.size() - at);
  switch (below(rng, 6)) {
    case 0:
      if (at < s.size()) s[at] = static_cast<char>(rng.next());
      break;
    case 1: s.erase(at, length); break;
    case 2: s.insert(at, s.substr(below(rng, s.size() + 1), length)); break;
    case 3: s.insert(at, kTelling[below(rng, std::size(kTelling))]); break;
    case 4: {
      const std::string& other = seeds[below(rng, seeds.size())];
      s.replace(at, length, other.substr(below(rng, other.size() + 1), length));
      break;
    }
    default:
      if (at < s.size()) s[at] = static_cast<char>(s[at] ^ (1 << below(rng, 8)));
  }
}

void run(const Target& target, uint64_t seed, uint64_t rounds) {
  uint64_t accepted = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    Rng rng(tilewright::seed_for(seed + round, target.name.c_str()));
    std::string bytes = target.seeds[below(rng, target.seeds.size())];
    if (round > 0)
      for (std::size_t n = 1 + below(rng, 5); n > 0; --n) change(bytes, rng, target.seeds);
    try {
      target.run(bytes);
      ++accepted;
    } catch (const tilewright::UserError&) {
      if (round == 0) throw;  // the seed itself
    } catch (const std::exception&) {
      std::cerr << fmt::format("again: files_fuzz --target {} --seed {} --rounds 2\n", target.name,
                               seed + round - 1);
      throw;
    }
  }
  std::cout << fmt::format("{}: {} files, {} accepted\n", target.name, rounds, accepted);
}

void write_seeds(const fs::path& directory) {
  for (const Target& t : targets()) {
    fs::create_directories(directory / t.name);
    for (std::size_t i = 0; i < t.seeds.size(); ++i)
      std::ofstream(directory / t.name / std::to_string(i), std::ios::binary) << t.seeds[i];
  }
}

}  // namespace
}  // namespace fuzz_files

int main(int argc, char** argv) {
  uint64_t rounds = 2000, seed = 1;
  std::string wanted;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--write") {
      fuzz_files::write_seeds(argv[i + 1]);
      return 0;
    }
    if (flag == "--target")
      wanted = argv[i + 1];
    else
      (flag == "--seed" ? seed : rounds) = std::stoull(argv[i + 1]);
  }
  for (const fuzz_files::Target& t : fuzz_files::targets())
    if (wanted.empty() || wanted == t.name) fuzz_files::run(t, seed, rounds);
}
