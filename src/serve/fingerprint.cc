#include "tilewright/serve/fingerprint.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "tilewright/base/rng.h"
#include "tilewright/checkpoint/weights.h"

namespace tilewright::serve {
namespace {

uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

// Four chains side by side, so that a machine reads faster than it mixes.
uint64_t digest(std::span<const std::byte> bytes) {
  uint64_t chains[4] = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32)
    for (std::size_t c = 0; c < 4; ++c) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + at + 8 * c, 8);
      chains[c] = mixed(chains[c], word);
    }
  uint64_t hash = bytes.size();
  for (const uint64_t chain : chains) hash = mixed(hash, chain);
  for (; at < bytes.size(); ++at) hash = mixed(hash, static_cast<uint64_t>(bytes[at]));
  return Rng(hash).next();
}

uint64_t digest(std::string_view text) { return digest(std::as_bytes(std::span(text))); }

// Large tensors in parts, one for each thread at a time.
constexpr std::size_t kPart = std::size_t{16} << 20;

}  // namespace

std::string fingerprint_of(const checkpoint::Checkpoint& model, std::string_view settings,
                           cpu::Pool& pool) {
  uint64_t hash = mixed(digest(settings), digest(checkpoint::config_to_json(model.config, "", {})));
  std::vector<std::span<const std::byte>> parts;
  model.for_each_weight([&](const checkpoint::TensorView& t) {
    hash = mixed(hash, digest(t.name));
    hash = mixed(hash, static_cast<uint64_t>(t.type));
    for (std::size_t at = 0; at < t.bytes.size(); at += kPart)
      parts.push_back(std::as_bytes(t.bytes).subspan(at, std::min(kPart, t.bytes.size() - at)));
  });
  std::vector<uint64_t> digests(parts.size());
  const auto threads = static_cast<std::size_t>(pool.threads());
  pool.run([&](int thread) {
    for (auto i = static_cast<std::size_t>(thread); i < parts.size(); i += threads)
      digests[i] = digest(parts[i]);
  });
  for (const uint64_t d : digests) hash = mixed(hash, d);
  model.for_each_weight(
      [](const checkpoint::TensorView& t) { checkpoint::release_pages(t.bytes); });
  return fmt::format("fp_{:016x}", hash);
}

}  // namespace tilewright::serve
