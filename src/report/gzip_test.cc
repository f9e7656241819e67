#include "tilewright/report/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace tilewright::report {
namespace {

std::string unzipped(const std::string& bytes, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, ComesBackAsItWas) {
  std::string noise;  // does not fit into one piece of output
  for (uint32_t x = 1; noise.size() < 1'000'000; x = x * 1664525 + 1013904223)
    noise += static_cast<char>(x >> 24);
  for (const std::string& text :
       {std::string(), std::string("x"), std::string(3'000'000, 'a'), noise})
    EXPECT_EQ(unzipped(gzipped(text), text.size()), text);
  EXPECT_LT(gzipped(std::string(3'000'000, 'a')).size(), 10'000u);
}

}  // namespace
}  // namespace tilewright::report
