// Every way a safetensors file can be wrong, and what is said.
#include "tilewright/checkpoint/safetensors.h"

#include "support.h"

namespace checkpoint_test {
namespace {

std::string safetensors_error(const std::string& file) {
  return error_of([&] { read_safetensors(as_bytes(file), "m.safetensors"); });
}

constexpr const char* kGood = R"({"__metadata__":{"format":"pt"},)"
                              R"("b":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]},)"
                              R"("a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}})";

TEST(Safetensors, GivesViewsInTheOrderOfTheHeader) {
  const std::string file = safetensors(kGood, 32);
  const auto tensors = read_safetensors(as_bytes(file), "m");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].shape, (Shape{2, 3}));
  EXPECT_EQ(tensors[0].bytes.size(), 24u);
  EXPECT_EQ(tensors[0].bytes[0], std::byte{8});
  EXPECT_EQ(tensors[1].type, DType::BF16);
  EXPECT_EQ(tensors[1].bytes[0], std::byte{0});
}

TEST(Safetensors, EmptyTensorsAndScalarsAreLegal) {
  EXPECT_EQ(safetensors_error(
                safetensors(R"({"e":{"dtype":"F32","shape":[0,4],"data_offsets":[0,0]},)"
                            R"("s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                            4)),
            "");
}

struct WrongHeader {
  const char* header;
  std::size_t data;
  const char* what;
};
class WrongSafetensors : public testing::TestWithParam<WrongHeader> {};

TEST_P(WrongSafetensors, IsToldInFourLines) {
  const std::string text = safetensors_error(safetensors(GetParam().header, GetParam().data));
  EXPECT_TRUE(text.starts_with(std::string("error: ") + GetParam().what)) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongSafetensors,
    testing::Values(
        WrongHeader{kGood, 31, "tensor b occupies bytes 8 to 32 of 31"},
        WrongHeader{kGood, 33, "33 bytes of data, but the tensors cover 32"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,7]}})", 8,
                    "tensor a [2] F32 has 7 bytes, but its shape needs 8"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8,
                    "tensor a occupies bytes 8 to 0 of 8"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                    12, "tensor b begins at byte 4, before the end of a, which ends at 8"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("b":{"dtype":"F32","shape":[2],"data_offsets":[12,20]}})",
                    20, "tensor b begins at byte 12, after a gap that follows a, which ends at 8"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12,
                    "tensor a begins at byte 4, after a gap that follows the start of the data"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                    R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                    8, "tensor a is stored twice"},
        WrongHeader{R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", 1,
                    "tensor a has the element type \"F8_E4M3\""},
        WrongHeader{
            R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", 4,
            "tensor a [4294967296 x 4294967296] F32 has 4 bytes, but its shape needs more than"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4,
                    "tensor a has a negative dimension"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4,
                    "tensor a has more than 8 dimensions"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4,
                    "data_offsets of tensor a are not two offsets"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4,
                    "data_offsets of tensor a are not two offsets"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1]}})", 4,
                    "tensor a lacks dtype, shape or data_offsets"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4,
                    "field \"x\" of tensor a is unknown or given twice"},
        WrongHeader{R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4,
                    "a whole number of at most 63 bits is expected here"},
        WrongHeader{"[]", 0, "an object is expected here"},
        WrongHeader{"{}x", 0, "text follows the end"},
        WrongHeader{"", 0, "the JSON text ends unexpectedly"}));

TEST(Safetensors, LengthsThatLie) {
  EXPECT_TRUE(
      safetensors_error("").starts_with("error: 0 bytes are too few for a safetensors file\n"));
  const std::string long_header("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F{}", 10);
  EXPECT_EQ(safetensors_error(long_header),
            "error: a header of 9223372036854775807 bytes in a file of 10\n"
            "  at m.safetensors\n"
            "  a safetensors file is a header length, a header and the data it describes\n"
            "  help: download the file again; it is truncated, modified, or of another type\n");
}

}  // namespace
}  // namespace checkpoint_test
