// Headers of safetensors files: read, written, and refused by name.
#include "checkpoints/safetensors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/random.hpp"
#include "checkpoints/maxima.hpp"
#include "faro/base/error.hpp"

namespace faro::checkpoints {
namespace {

std::string file_of(std::string_view json, std::size_t data_bytes = 0) {
  std::string bytes;
  for (std::size_t i = 0, length = json.size(); i < 8; ++i, length >>= 8U)
    bytes += static_cast<char>(length & 0xffU);
  bytes += json;
  bytes.append(data_bytes, 'x');
  return bytes;
}

SafeHeader parsed(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file)), file.size(), "a.safetensors");
}

TEST(Safetensors, a_file_of_the_reference_is_read_as_it_says) {
  const SafeHeader header =
      parsed(file_of(R"({"__metadata__":{"format":"pt"},)"
                     R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
                     R"("a":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                     R"("empty":{"dtype":"I32","shape":[0,9],"data_offsets":[20,20]}}   )",
                     20));
  ASSERT_EQ(header.tensors.size(), 3U);
  EXPECT_EQ(header.tensors[0].name, "a");
  EXPECT_EQ(header.tensors[0].type->numpy, "float64");
  EXPECT_EQ(header.tensors[1].name, "b");
  EXPECT_EQ(header.tensors[1].shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(header.tensors[2].begin, 20U);
  EXPECT_EQ(header.metadata, (Metadata{{"format", "pt"}}));
  EXPECT_NE(header.data_start % 8, 0U);  // a file need not be aligned
}

TEST(Safetensors, an_empty_file_has_no_tensors) {
  EXPECT_TRUE(parsed(file_of("{}")).tensors.empty());
}

struct BadFile {
  const char* what;
  std::string file;
  const char* said;
};

std::string one(std::string_view tensor, std::size_t data_bytes = 4) {
  return file_of(fmt::format("{{\"w\":{}}}", tensor), data_bytes);
}

std::vector<BadFile> bad_ends() {
  std::string huge(8, '\xff');
  std::string long_header = file_of("{}");
  long_header[3] = '\x7f';
  std::string over = file_of("{}");
  const std::uint64_t beyond = limits::checkpoint_json_bytes_max + 1;
  std::memcpy(over.data(), &beyond, sizeof beyond);
  return {
      {"nothing", "", "fewer than 8 bytes"},
      {"seven bytes", "1234567", "fewer than 8 bytes"},
      {"a length only", std::string(8, '\0'), "too short"},
      {"a pickle", file_of("\x80\x02}q."), "does not begin with '{'"},
      {"a blank first", file_of(" {}"), "does not begin with '{'"},
      {"a mark of byte order first", file_of("\xef\xbb\xbf{}"), "does not begin with '{'"},
      {"a length of all ones", huge, "at most 100000000"},
      {"a length beyond the limit", over, "at most 100000000"},
      {"a length beyond the file", file_of("{}").substr(0, 9), "ends inside the header"},
      {"a length far beyond the file", long_header, "at most 100000000"},
      {"a list", file_of("[]"), "does not begin with '{'"},
      {"no end", file_of("{\"w\":"), "no JSON as it should be"},
      {"two objects", file_of("{}{}"), "no JSON as it should be"},
      {"zeros behind", file_of(std::string("{}\0\0", 4)), "no JSON as it should be"},
      {"a wrong UTF-8", file_of("{\"\xff\":{}}"), "no JSON as it should be"},
  };
}

std::vector<BadFile> bad_tensors() {
  const char* good = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  std::string axes = "1";
  for (std::size_t i = 0; i < limits::checkpoint_axes_max; ++i) axes += ",1";
  return {
      {"a tensor that is a number", one("7"), "wanted an object"},
      {"a tensor without dtype", one(R"({"shape":[1],"data_offsets":[0,4]})"), "its dtype"},
      {"a tensor without shape", one(R"({"dtype":"F32","data_offsets":[0,4]})"), "its shape"},
      {"a tensor without offsets", one(R"({"dtype":"F32","shape":[1]})"), "its data_offsets"},
      {"an unknown dtype", one(R"({"dtype":"F31","shape":[1],"data_offsets":[0,4]})"), "'F31'"},
      {"parts of bytes", one(R"({"dtype":"F4","shape":[8],"data_offsets":[0,4]})"),
       "no whole bytes"},
      {"a dtype that is a number", one(R"({"dtype":4,"shape":[1],"data_offsets":[0,4]})"),
       "wanted a text"},
      {"a negative length", one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})"),
       "a negative number"},
      {"a broken length", one(R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})"), "1.0"},
      {"a length of 2^64",
       one(R"({"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]})"),
       "18446744073709551616"},
      {"a product of 2^64",
       one(R"({"dtype":"F32","shape":[4294967296,1073741824],"data_offsets":[0,4]})"),
       "beyond 2^62"},
      {"a huge length of nothing",
       one(R"({"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]})", 0),
       "beyond 2^62"},
      {"too many axes",
       one(fmt::format(R"({{"dtype":"F32","shape":[{}],"data_offsets":[0,4]}})", axes)),
       "more than 64 axes"},
      {"a shape that is nested", one(R"({"dtype":"F32","shape":[[1]],"data_offsets":[0,4]})"),
       "a list"},
      {"one offset", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"), "two numbers"},
      {"three offsets", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})"),
       "more than two"},
      {"offsets that go back", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"),
       "before it begins"},
      {"offsets of another size", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"),
       "takes 8 bytes, its offsets say 4"},
      {"an unknown member",
       one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"strides":[1]})"), "'strides'"},
      {"a member twice", one(R"({"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]})"),
       "'dtype' twice"},
      {"a tensor twice", file_of(fmt::format(R"({{"w":{},"w":{}}})", good, good), 4),
       "'w' stands twice"},
      {"metadata twice", file_of(R"({"__metadata__":{},"__metadata__":{}})"), "stands twice"},
      {"a key of metadata twice", file_of(R"({"__metadata__":{"a":"1","a":"2"}})"),
       "'a' stands twice"},
      {"metadata that are numbers", file_of(R"({"__metadata__":{"a":1}})"), "wanted a text"},
      {"metadata that are no object", file_of(R"({"__metadata__":null})"), "wanted an object"},
      {"an overlap",
       file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
               6),
       "'b' begins at byte 2, inside"},
      {"the same bytes twice",
       file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
               4),
       "'b' begins at byte 0, inside"},
      {"a hole",
       file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
               12),
       "belong to none"},
      {"a hole at the start", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", 8),
       "belong to none"},
      {"a file cut short", one(good, 3), "cut short"},
      {"a file with a rest", one(good, 5), "1 bytes follow"},
  };
}

TEST(Safetensors, bad_files_are_refused_by_name) {
  std::vector<BadFile> all = bad_ends();
  for (BadFile& bad : bad_tensors()) all.push_back(std::move(bad));
  EXPECT_GE(all.size(), 40U);
  for (const BadFile& bad : all) {
    try {
      parsed(bad.file);
      ADD_FAILURE() << bad.what << " was read";
    } catch (const InternalError& error) {
      ADD_FAILURE() << bad.what << ": " << error.what();
    } catch (const Error& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(bad.said), std::string::npos) << bad.what << ": " << said;
      EXPECT_TRUE(said.starts_with("a.safetensors: ") || said.find("'w'") != std::string::npos)
          << said;
    }
  }
}

TEST(Safetensors, the_largest_header_is_read_and_no_larger_one) {
  std::string file = file_of("{" + std::string(limits::checkpoint_json_bytes_max - 2, ' ') + "}");
  EXPECT_EQ(parsed(file).data_start, limits::checkpoint_json_bytes_max + 8);
  file = file_of("{" + std::string(limits::checkpoint_json_bytes_max - 1, ' ') + "}");
  EXPECT_THROW(parsed(file), Error);
}

TEST(Safetensors, names_are_in_the_order_of_their_numbers) {
  EXPECT_TRUE(natural_less("layers.2.w", "layers.10.w"));
  EXPECT_FALSE(natural_less("layers.10.w", "layers.2.w"));
  EXPECT_TRUE(natural_less("a", "a.b"));
  EXPECT_TRUE(natural_less("layers.02", "layers.2"));
  EXPECT_FALSE(natural_less("layers.2", "layers.02"));
  EXPECT_FALSE(natural_less("x", "x"));
}

TEST(Safetensors, what_is_written_is_read_again_and_aligned) {
  Random random(7);
  const char* types[] = {"BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0", "U8", "BF16", "F16",
                         "F32",  "F64",     "I64",     "C64",     "I8", "U16",  "U32"};
  for (int round = 0; round < 200; ++round) {
    SafeHeader header;
    const std::uint64_t count = random.below(12);
    for (std::uint64_t i = 0; i < count; ++i) {
      SafeTensor tensor;
      tensor.name = fmt::format("\"layers\\{}\".\xc3\xa9\n", i);
      tensor.type = find_type(types[random.below(std::size(types))]);
      for (std::uint64_t axis = random.below(4); axis > 0; --axis)
        tensor.shape.push_back(random.below(5));
      header.tensors.push_back(tensor);
    }
    if (random.below(2) == 0) header.metadata = {{"format", "pt"}, {"a \"quote\"", "\t\\"}};
    lay_out(header.tensors, "out");
    std::string bytes = safetensors_bytes(header);
    ASSERT_EQ(bytes.size() % 8, 0U);
    header.data_start = bytes.size();
    if (!header.tensors.empty()) bytes.append(header.tensors.back().end, '\0');
    EXPECT_EQ(parsed(bytes), header) << "seed 7, round " << round;
    for (const SafeTensor& tensor : header.tensors)
      EXPECT_EQ((header.data_start + tensor.begin) % std::min<std::uint64_t>(tensor.type->bytes, 8),
                0U);
  }
}

}  // namespace
}  // namespace faro::checkpoints
