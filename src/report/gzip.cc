#include "tilewright/report/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::report {

std::string gzipped(std::string_view text) {
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header in place of zlib's
  constexpr int kMemory = 8;      // zlib's default
  z_stream stream{};
  check(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib has the memory that it needs");
  std::string out;
  std::string piece(1 << 18, '\0');
  int state = Z_OK;
  while (state == Z_OK) {
    // zlib counts in 32 bits, so the text goes in parts.
    const std::size_t part = std::min<std::size_t>(text.size(), 1 << 28);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(part);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = deflate(&stream, part == text.size() ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(part - stream.avail_in);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  check(state == Z_STREAM_END, "all of the text was compressed");
  return out;
}

}  // namespace tilewright::report
