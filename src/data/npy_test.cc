// .npy files against the format's definition, in both directions, and files that are none.
#include "tilewright/data/npy.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/data/npy_header.h"

namespace tilewright::data {
namespace {

namespace fs = std::filesystem;

class Npy : public testing::Test {
 protected:
  Npy() {
    std::string name = (fs::temp_directory_path() / "tilewright-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~Npy() override { fs::remove_all(directory_); }

  fs::path file() const { return directory_ / "x.npy"; }
  std::string written(const HostArray& array) const {
    write_npy(file(), array);
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path directory_;
};

HostArray read_from(const std::string& bytes, DType dtype, const Shape& shape) {
  std::istringstream in(bytes);
  return read_npy(in, "x.npy", dtype, shape);
}

std::string what_is_wrong(const std::string& bytes, DType dtype = DType::F32,
                          const Shape& shape = {2}) {
  try {
    read_from(bytes, dtype, shape);
  } catch (const UserError& e) {
    return e.diagnostic().code + ": " + e.diagnostic().what;
  }
  return "nothing";
}

// A file with this dictionary, written by hand.
std::string file_with(const std::string& dict, const std::string& elements, char major = 1) {
  std::string out = "\x93NUMPY";
  out += {major, '\0'};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    out += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
  return out + dict + elements;
}

template <class T>
std::string bytes_of_values(std::initializer_list<T> values, bool big_endian = false) {
  std::string out;
  for (T v : values) {
    std::string bytes(reinterpret_cast<const char*>(&v), sizeof v);
    if (big_endian) std::ranges::reverse(bytes);
    out += bytes;
  }
  return out;
}

std::string described(const std::string& descr, const std::string& shape,
                      const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

HostArray array_of(DType dtype, const Shape& shape, std::initializer_list<double> values) {
  HostArray out(dtype, shape);
  int64_t i = 0;
  for (double v : values) out.set(i++, v);
  return out;
}

TEST_F(Npy, HeaderIsWhatTheFormatDefines) {
  const std::string bytes = written(array_of(DType::F32, {2, 1}, {1, -2}));
  ASSERT_EQ(bytes.size(), 128u + 8u);  // the elements start at a multiple of 64
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(bytes.substr(8, 2), std::string("\x76\x00", 2));  // 118 bytes of dictionary
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  EXPECT_EQ(bytes.substr(10, 118), dict + std::string(117 - dict.size(), ' ') + "\n");
  EXPECT_EQ(bytes.substr(128), bytes_of_values<float>({1, -2}));
}

TEST_F(Npy, HeadersOfEveryLengthAreAligned) {
  Shape shape;
  for (int rank = 0; rank <= 64; ++rank) {
    const std::string header = npy_header({'i', 8}, shape);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    std::istringstream in(header + std::string(8, '\0'));
    EXPECT_EQ(read_npy_header(in, "x.npy").shape, shape);
    shape.push_back(1);
  }
}

TEST_F(Npy, DescriptionsAreThoseOfTheTypes) {
  const std::pair<DType, const char*> types[] = {{DType::Bool, "|b1"}, {DType::I8, "|i1"},
                                                 {DType::I16, "<i2"},  {DType::I32, "<i4"},
                                                 {DType::I64, "<i8"},  {DType::U8, "|u1"},
                                                 {DType::U16, "<u2"},  {DType::U32, "<u4"},
                                                 {DType::U64, "<u8"},  {DType::F16, "<f2"},
                                                 {DType::F32, "<f4"},  {DType::BF16, "<f4"},
                                                 {DType::Index, "<i8"}};
  for (const auto& [dtype, descr] : types)
    EXPECT_EQ(written(HostArray(dtype, {3})).substr(10, 16),
              std::string("{'descr': '") + descr + "',")
        << descr;
}

TEST_F(Npy, EveryBitOfEveryTypeComesBack) {
  for (const DType dtype :
       {DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32,
        DType::U64, DType::F16, DType::BF16, DType::F32, DType::Index}) {
    HostArray array(dtype, {4, 1 << 14});  // for 16 bits every pattern
    const int64_t size = array.byte_size() / array.size();
    for (int64_t i = 0; i < array.size(); ++i) {
      const uint64_t pattern = static_cast<uint64_t>(i) * (size > 2 ? 0x9E3779B97F4A7C15u : 1);
      std::memcpy(array.data() + i * size, &pattern, static_cast<std::size_t>(size));
    }
    EXPECT_TRUE(read_from(written(array), dtype, array.shape()).same_bits(array))
        << dtype_name(dtype);
  }
  const HostArray bools = array_of(DType::Bool, {3}, {1, 0, 1});
  EXPECT_TRUE(read_from(written(bools), DType::Bool, {3}).same_bits(bools));
}

TEST_F(Npy, SpecialFloatsComeBack) {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const HostArray a =
        array_of(dtype, {8},
                 {NAN, INFINITY, -INFINITY, -0.0, 0.0, 0x1p-24, -0x1p-133, highest_value(dtype)});
    EXPECT_TRUE(read_from(written(a), dtype, {8}).same_bits(a)) << dtype_name(dtype);
  }
}

TEST_F(Npy, EmptyAndScalarShapes) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{1}}) {
    const HostArray a(DType::F16, shape);
    EXPECT_TRUE(read_from(written(a), DType::F16, shape).same_bits(a));
  }
  write_npy_scalar(file(), DType::I32, -7);
  EXPECT_EQ(read_npy_scalar(file(), DType::I32), -7);
  EXPECT_EQ(read_npy(file(), DType::I64, {}).at(0), -7);  // an int64
  write_npy_scalar(file(), DType::F32, 0.1);
  EXPECT_EQ(read_npy_scalar(file(), DType::F32), 0.1);  // in double precision
}

TEST_F(Npy, VersionsByteOrdersAndSpellings) {
  const std::string two = bytes_of_values<float>({1.5, -2});
  const HostArray wanted = array_of(DType::F32, {2}, {1.5, -2});
  for (const char major : {'\1', '\2', '\3'})
    EXPECT_TRUE(read_from(file_with(described("<f4", "(2,)"), two, major), DType::F32, {2})
                    .same_bits(wanted));
  for (const char* dict : {"{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}",
                           "{ 'descr' : '<f4' , 'shape' : ( 2 , ) , 'fortran_order' : True , }  \n",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"})
    EXPECT_TRUE(read_from(file_with(dict, two), DType::F32, {2}).same_bits(wanted)) << dict;
  EXPECT_TRUE(
      read_from(file_with(described(">f4", "(2,)"), bytes_of_values<float>({1.5, -2}, true)),
                DType::F32, {2})
          .same_bits(wanted));
  EXPECT_EQ(read_from(file_with(described(">i2", "(1,)"), "\x01\x02"), DType::I64, {1}).at(0), 258);
  EXPECT_EQ(read_from(file_with(described(">f8", "(1,)"), bytes_of_values<double>({0.75}, true)),
                      DType::F16, {1})
                .at(0),
            0.75);
}

TEST_F(Npy, FortranOrderIsTransposed) {
  // x[i][j][k] = 100 i + 10 j + k of shape (2, 3, 2): the first index varies fastest.
  std::string elements;
  for (int16_t k = 0; k < 2; ++k)
    for (int16_t j = 0; j < 3; ++j)
      for (int16_t i = 0; i < 2; ++i)
        elements += bytes_of_values<int16_t>({static_cast<int16_t>(100 * i + 10 * j + k)});
  const HostArray x =
      read_from(file_with(described("<i2", "(2, 3, 2)", "True"), elements), DType::I16, {2, 3, 2});
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(x.at(i), 100 * (i / 6) + 10 * (i / 2 % 3) + i % 2);
}

// A BF16 has 8 bits: 1 + 2^-8 lies in the middle between 1 and 1 + 2^-7.
TEST_F(Npy, FloatsAreRoundedOnceToNearestEven) {
  const auto rounded = [](double v, DType dtype) {
    return read_from(file_with(described("<f8", "(1,)"), bytes_of_values<double>({v})), dtype, {1})
        .at(0);
  };
  const auto rounded32 = [](float v) {
    return read_from(file_with(described("<f4", "(1,)"), bytes_of_values<float>({v})), DType::BF16,
                     {1})
        .at(0);
  };
  EXPECT_EQ(rounded32(1 + 0x1p-8f), 1);
  EXPECT_EQ(rounded32(1 + 3 * 0x1p-8f), 1 + 0x1p-6);
  EXPECT_EQ(rounded32(1 + 0x1p-8f + 0x1p-23f), 1 + 0x1p-7);
  EXPECT_TRUE(std::isnan(rounded32(std::bit_cast<float>(0x7F800001u))));  // no infinity
  // Rounded to FP32 first, the last bit would be lost and the tie go to 1.
  EXPECT_EQ(rounded(1 + 0x1p-8 + 0x1p-40, DType::BF16), 1 + 0x1p-7);
  EXPECT_EQ(rounded(-1 - 0x1p-8 - 0x1p-40, DType::BF16), -1 - 0x1p-7);
  EXPECT_EQ(rounded(1 + 0x1p-8 - 0x1p-40, DType::BF16), 1);
  EXPECT_EQ(rounded(1 + 0x1p-11 + 0x1p-40, DType::F16), 1 + 0x1p-10);
  EXPECT_EQ(rounded(0x1p-25 + 0x1p-60, DType::F16), 0x1p-24);
  EXPECT_EQ(rounded(0x1p-25, DType::F16), 0);
  EXPECT_EQ(rounded(1 + 0x1p-24, DType::F32), 1);
  EXPECT_EQ(rounded(1e300, DType::BF16), INFINITY);
  EXPECT_EQ(rounded(-1e-300, DType::F32), 0);
  EXPECT_EQ(read_from(file_with(described("<f2", "(1,)"), bytes_of_values<uint16_t>({0x3C01})),
                      DType::F32, {1})
                .at(0),
            1 + 0x1p-10);
}

TEST_F(Npy, IntegersAreTakenWhenTheyFit) {
  const auto as = [](DType dtype, int64_t value) {
    return what_is_wrong(file_with(described("<i8", "(1,)"), bytes_of_values<int64_t>({value})),
                         dtype, {1});
  };
  EXPECT_EQ(as(DType::I8, 127), "nothing");
  EXPECT_EQ(as(DType::I8, 128), "npy-type: element 0 is 128, which is not a valid INT8");
  EXPECT_EQ(as(DType::U16, -1), "npy-type: element 0 is -1, which is not a valid UINT16");
  EXPECT_EQ(as(DType::U64, 5), "nothing");
  EXPECT_EQ(as(DType::Bool, 1), "nothing");
  EXPECT_EQ(as(DType::Bool, 2), "npy-type: element 0 is 2, which is not a valid BOOL");
  EXPECT_EQ(as(DType::F32, 1), "npy-type: the file has [1] int64, but the parameter is [1] FP32");
  EXPECT_EQ(what_is_wrong(file_with(described("<u8", "(1,)"), std::string(8, '\xFF')), DType::I64,
                          {1}),
            "npy-type: element 0 is 18446744073709551615, which is not a valid INT64");
  EXPECT_EQ(what_is_wrong(written(HostArray(DType::F32, {2, 3})), DType::F32, {3, 2}),
            "npy-type: the file has [2 x 3] float32, but the parameter is [3 x 2] FP32");
  EXPECT_EQ(what_is_wrong(written(HostArray(DType::F16, {2})), DType::I16, {2}),
            "npy-type: the file has [2] float16, but the parameter is [2] INT16");
  EXPECT_EQ(read_from(file_with(described("|b1", "(3,)"), std::string("\0\1\7", 3)), DType::I32,
                      {3})
                .at(2),
            1);
}

TEST_F(Npy, EveryPrefixIsRefused) {
  const std::string good = written(array_of(DType::F32, {2}, {1, 2}));
  ASSERT_EQ(what_is_wrong(good), "nothing");
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_TRUE(what_is_wrong(good.substr(0, length)).starts_with("npy: ")) << length;
  EXPECT_EQ(what_is_wrong(good + "x"), "npy: float32 (2,) needs 8 bytes, but 9 follow the header");
}

TEST_F(Npy, HostileHeadersAreRefused) {
  const std::string two = bytes_of_values<float>({1, 2});
  const std::pair<std::string, const char*> cases[] = {
      {described("<f4", "(9223372036854775807, 9223372036854775807)"), "shape [92233720368547"},
      {described("<f4", "(4611686018427387904, 4)"),
       "shape [4611686018427387904 x 4] has too many"},
      {described("<f4", "(1000000000000,)"), "float32 (1000000000000,) needs 4000000000000 bytes"},
      {described("<f4", "(99999999999999999999,)"),
       "the header has \"99999999999999999999,), }?\""},
      {described("<f4", "(-2,)"), "the header has \"-2,), }?\" where a dimension belongs"},
      {described("<f4", "((2,),)"), "the header has \"(2,),), }?\" where a dimension"},
      {described("<f4", std::string(30000, '(')), "the header has \"((((((((((((((((((((((((((((("},
      {described("<f4", "(2)"), "the shape is a number, not a tuple"},
      {described("<f4", "(2 2)"), "the header has \"2), }?\" where \",\" belongs"},
      {described("<f4", "(,)"), "the header has \",), }?\" where a dimension belongs"},
      {described("<f4", "2"), "the header has \"2, }?\" where \"(\" belongs"},
      {described("<f4", "(" + std::string(130, '1') + ",)"), "the header has \"1111"},
      {described("<f4",
                 "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                 "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                 "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)"),
       "an array of more than 64 dimensions"},
      {described("|V2", "(4,)"), "elements of type \"|V2\""},
      {described("<c8", "(1,)"), "elements of type \"<c8\""},
      {described("|O", "(1,)"), "elements of type \"|O\""},
      {described("<f3", "(2,)"), "elements of type \"<f3\""},
      {described("<b1", "(8,)"), "nothing"},  // the order of one byte says nothing
      {described("|f4", "(2,)"), "elements of type \"|f4\""},
      {described("", "(2,)"), "elements of type \"\""},
      {described("<f4", "(2,)", "Maybe"), "the header has \"Maybe,"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
       "the elements are str"},
      {"{'descr': '<f4', 'shape': (2,), }", "the header lacks one of"},
      {"{'descr': '<f4', 'descr': '<f4', }", "the header has two entries \"descr\""},
      {"{'descr': '<f4', 'more': 1, }", "the header has an unknown entry \"more\""},
      {"{'descr': '<f4", "the header has \"<f4\" where a string that ends belongs"},
      {"{'descr': '<f4' 'shape': (2,)}", "the header has \"'shape': (2,)}\" where \"}\" belongs"},
      {described("<f4", "(2,)") + "import os", "the header has \"import os\" where the end"},
      {"", "the header has \"\" where \"{\" belongs"},
  };
  for (const auto& [dict, what] : cases) {
    const bool fine = std::string(what) == "nothing";
    const std::string told = what_is_wrong(file_with(dict, two), fine ? DType::Bool : DType::F32,
                                           fine ? Shape{8} : Shape{2});
    EXPECT_TRUE(told.starts_with(fine ? "nothing" : std::string("npy: ") + what))
        << dict.substr(0, 100) << "\n"
        << told;
  }
}

TEST_F(Npy, OtherFilesAreRefused) {
  EXPECT_EQ(what_is_wrong("PK\x03\x04 an .npz file"), "npy: this is not a .npy file");
  const std::string good = file_with(described("<f4", "(2,)"), bytes_of_values<float>({1, 2}));
  std::string bad = good;
  bad[6] = 4;
  EXPECT_EQ(what_is_wrong(bad), "npy: version 4.0 of the format is not known");
  bad = good;
  bad[7] = 1;
  EXPECT_EQ(what_is_wrong(bad), "npy: version 1.1 of the format is not known");
  bad = std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12);
  EXPECT_EQ(what_is_wrong(bad), "npy: a header of 4294967295 bytes, more than 65535");
}

}  // namespace
}  // namespace tilewright::data
