// What arrays say of themselves: read, refused in words, written in either version, changed.
#include "disk/stored/array_form.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "disk/stored/memory_folder.hpp"
#include "disk/stored/zarr_store.hpp"
#include "faro/base/error.hpp"

namespace faro {
namespace {

using disk::ArrayForm;
using disk::FillForm;
using disk::RawJson;
using disk::StoredChanges;
using nlohmann::json;
using Lengths = std::vector<std::uint64_t>;
using Axes = std::vector<std::size_t>;

const json bytes_codec = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};

json zarr3() {
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", {5, 7}},
          {"data_type", "uint16"},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", {4, 6}}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", 0},
          {"codecs", json::array({bytes_codec})},
          {"attributes", json::object()},
          {"dimension_names", {"y", "x"}},
          {"storage_transformers", json::array()}};
}
json sharded() {
  json document = zarr3();
  document["codecs"] =
      json::array({{{"name", "sharding_indexed"},
                    {"configuration",
                     {{"chunk_shape", {2, 3}},
                      {"codecs", json::array({bytes_codec, {{"name", "crc32c"}}})},
                      {"index_codecs", json::array({bytes_codec, {{"name", "crc32c"}}})},
                      {"index_location", "start"}}}}});
  return document;
}
json zarr2() {
  return {{"zarr_format", 2}, {"shape", {5, 7}},       {"chunks", {4, 6}},
          {"dtype", ">i4"},   {"compressor", nullptr}, {"fill_value", nullptr},
          {"order", "F"},     {"filters", nullptr},    {"dimension_separator", "/"}};
}

std::string fill_text_of(const std::string& type, const std::string& value,
                         FillForm form = FillForm::zarr3) {
  std::string text;
  for (const std::byte one : disk::fill_bytes(disk::type_named(type), value, form))
    text += fmt::format("{:02x}", std::to_integer<int>(one));
  return text;
}

TEST(ArrayForm, a_zarr_json_is_read_and_written_again_with_the_same_meaning) {
  for (const json& document : {zarr3(), sharded()}) {
    const ArrayForm form = disk::form_of_zarr3(document.dump(), "a");
    EXPECT_EQ(form.shape, (Lengths{5, 7}));
    EXPECT_EQ(form.file_shape(), (Lengths{4, 6}));
    EXPECT_EQ(form.key(Lengths{1, 0}), "c/1/0");
    json again = json::parse(disk::zarr3_text(form));
    again["storage_transformers"] = json::array();
    EXPECT_EQ(again, document);
  }
}

TEST(ArrayForm, attributes_and_what_is_carried_along_stay_byte_for_byte) {
  const std::string attributes =
      "{\"scale\": 1.10,  \"big\": 123456789012345678901234, \"_FillValue\": NaN}";
  std::string text = zarr3().dump();
  text.replace(text.find("\"attributes\":{}"), 15, "\"attributes\":" + attributes);
  text.insert(1, R"("extra": {"must_understand": false,  "n": 1e5}, )");
  const std::string again = disk::zarr3_text(disk::form_of_zarr3(text, "a"));
  EXPECT_NE(again.find(attributes), std::string::npos);
  EXPECT_NE(again.find(R"({"must_understand": false,  "n": 1e5})"), std::string::npos);
}

TEST(ArrayForm, fill_values_of_every_form_become_bytes_and_back) {
  EXPECT_EQ(fill_text_of("bool", "true"), "01");
  EXPECT_EQ(fill_text_of("int8", "-128"), "80");
  EXPECT_EQ(fill_text_of("uint64", "18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(fill_text_of("int64", "-9223372036854775808"), "0000000000000080");
  EXPECT_EQ(fill_text_of("int32", "3.0"), "03000000");
  EXPECT_EQ(fill_text_of("float32", "\"NaN\""), "0000c07f");
  EXPECT_EQ(fill_text_of("float32", "\"0x7fc00001\""), "0100c07f");
  EXPECT_EQ(fill_text_of("float32", "1.1"), "cdcc8c3f");
  EXPECT_EQ(fill_text_of("float64", "\"-Infinity\""), "000000000000f0ff");
  EXPECT_EQ(fill_text_of("float64", "-0.0"), "0000000000000080");
  EXPECT_EQ(fill_text_of("float64", "5e-324"), "0100000000000000");
  EXPECT_EQ(fill_text_of("float16", "65504"), "ff7b");
  EXPECT_EQ(fill_text_of("float16", "65520"), "007c");
  EXPECT_EQ(fill_text_of("float16", "5.960464477539063e-08"), "0100");
  EXPECT_EQ(fill_text_of("bfloat16", "1.0"), "803f");
  EXPECT_EQ(fill_text_of("complex64", "[1.0, \"NaN\"]"), "0000803f0000c07f");
  EXPECT_EQ(fill_text_of("r24", "[1, 2, 255]"), "0102ff");
  EXPECT_EQ(fill_text_of("r24", "\"AQL/\""), "0102ff");
  EXPECT_EQ(fill_text_of("bytes32", "\"YWI=\""), "61620000");
  EXPECT_EQ(fill_text_of("str64", "\"a\\u20ac\""), "61000000ac200000");
  EXPECT_EQ(fill_text_of("datetime64[s]", "\"NaT\""), "0000000000000080");
  EXPECT_EQ(fill_text_of("float64", "null", FillForm::zarr2), "0000000000000000");
  Random random(1);
  std::uint64_t tried = 0;
  for (const char* const name :
       {"int8", "int64", "uint32", "float16", "bfloat16", "float32", "float64", "complex64",
        "complex128", "r40", "bytes24", "timedelta64[10ms]"})
    for (const FillForm form : {FillForm::zarr2, FillForm::zarr3})
      for (int round = 0; round < 200; ++round) {
        const disk::ElementType type = disk::type_named(name);
        std::vector<std::byte> fill(type.bytes);
        for (std::byte& one : fill) one = static_cast<std::byte>(random.below(256));
        const std::string text = disk::fill_json(type, fill, form);
        // Zarr 2 has one NaN.
        if (form == FillForm::zarr2 && text.find("NaN") != std::string::npos) continue;
        ASSERT_EQ(disk::fill_bytes(type, text, form), fill) << name << ' ' << text;
        ++tried;
      }
  EXPECT_GT(tried, 4000U);
}

TEST(ArrayForm, the_data_types_of_numpy_and_both_versions_agree) {
  for (const char* const code :
       {"|b1", "|u1", "<i2", ">f8", "<c16", "|S5", "<U3", ">M8[ns]", "<m8[10ms]", "|V7"}) {
    const disk::OrderedType type = disk::type_of_numpy(code);
    EXPECT_EQ(disk::numpy_code(type.type, type.big), code);
    EXPECT_EQ(disk::type_named(type.type.name).bytes, type.type.bytes);
    EXPECT_EQ(disk::type_of_zarr3(type.type.zarr3).name, type.type.name);
  }
  const auto structure =
      disk::type_of_zarr2(R"([["a", "<i4"], ["b", "|S3", [2, 2]], ["c", [["d", "<f8"]]]])");
  EXPECT_EQ(structure.type.bytes, 4U + 12U + 8U);
  EXPECT_EQ(
      disk::type_of_zarr3(
          R"({"name":"structured","configuration":{"fields":[["a","int32"],["b","float64"]]}})")
          .bytes,
      12U);
}

using Change = std::function<void(json&)>;

void refused(const json& base, bool second, const Change& change, const std::string& word) {
  json document = base;
  change(document);
  try {
    static_cast<void>(second ? disk::form_of_zarr2(document.dump(), "", "a.zarr")
                             : disk::form_of_zarr3(document.dump(), "a.zarr"));
  } catch (const InternalError& error) {
    FAIL() << error.what();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    EXPECT_TRUE(std::string(error.what()).starts_with("a.zarr: ")) << error.what();
    return;
  }
  ADD_FAILURE() << "not refused: " << word << ' ' << document.dump();
}

TEST(ArrayForm, what_is_not_known_in_version_3_is_refused_by_its_name) {
  const auto no = [](const Change& change, const std::string& word) {
    refused(zarr3(), false, change, word);
  };
  no([](json& d) { d["zarr_format"] = 2; }, "version 3");
  no([](json& d) { d["node_type"] = "group"; }, "is a group");
  no([](json& d) { d.erase("node_type"); }, "version 3");
  no([](json& d) { d["shape"] = "many"; }, "a list of lengths");
  no([](json& d) { d["shape"] = {64.5, 64}; }, "no whole number: [64.5");
  no([](json& d) { d["shape"] = {-64, 64}; }, "no whole number");
  no([](json& d) { d["shape"] = Lengths{5}; }, "axes");
  no([](json& d) { d["shape"] = Lengths{std::uint64_t{1} << 40, std::uint64_t{1} << 40}; }, "2^62");
  no([](json& d) { d.erase("shape"); }, "shape");
  no([](json& d) { d["data_type"] = "string"; }, "'string'");
  no([](json& d) { d["data_type"] = "variable_length_bytes"; }, "variable_length_bytes");
  no([](json& d) { d["data_type"] = "r7"; }, "'r7'");
  no([](json& d) { d["data_type"] = 3; }, "data type 3");
  no([](json& d) { d["chunk_grid"]["name"] = "rectilinear"; }, "'rectilinear'");
  no([](json& d) { d["chunk_grid"]["configuration"]["chunk_shape"] = {0, 6}; }, "is 0 on axis 0");
  no([](json& d) { d["chunk_grid"]["configuration"]["more"] = 1; }, "'more'");
  no([](json& d) { d["chunk_key_encoding"]["name"] = "suffix"; }, "'suffix'");
  no([](json& d) { d["chunk_key_encoding"]["configuration"]["separator"] = "-"; }, "separator");
  no([](json& d) { d.erase("fill_value"); }, "fill_value");
  no([](json& d) { d["fill_value"] = 65536; }, "65536 is no value of uint16");
  no([](json& d) { d["fill_value"] = -1; }, "-1 is no value");
  no([](json& d) { d["fill_value"] = nullptr; }, "null is no value");
  no([](json& d) { d["fill_value"] = "0x12"; }, "no value of uint16");
  no([](json& d) { d["codecs"] = json::array(); }, "'bytes' is wanted");
  no([](json& d) { d["codecs"][0] = {{"name", "vlen-utf8"}}; }, "'vlen-utf8'");
  no([](json& d) { d["codecs"].push_back({{"name", "pcodec"}}); }, "'pcodec'");
  no([](json& d) { d["codecs"].push_back(bytes_codec); }, "after elements became bytes");
  no([](json& d) { d["codecs"][0]["configuration"]["endian"] = "middle"; }, "endian");
  no([](json& d) { d["codecs"][0].erase("configuration"); }, "says no 'endian'");
  no(
      [](json& d) {
        d["codecs"].insert(d["codecs"].begin(),
                           json{{"name", "transpose"}, {"configuration", {{"order", {0, 0}}}}});
      },
      "no order of 2 axes");
  no(
      [](json& d) {
        d["codecs"].push_back({{"name", "crc32c"}, {"configuration", {{"seed", 1}}}});
      },
      "'seed'");
  no([](json& d) { d["attributes"] = 3; }, "JSON");
  no([](json& d) { d["dimension_names"] = {"x"}; }, "dimension_names");
  no([](json& d) { d["dimension_names"] = {"x", 3}; }, "dimension_names");
  no([](json& d) { d["storage_transformers"] = {{{"name", "secret"}}}; }, "storage_transformers");
  no([](json& d) { d["zipped"] = true; }, "'zipped'");
  no([](json& d) { d["zipped"] = {{"must_understand", true}}; }, "'zipped'");
}

TEST(ArrayForm, what_is_not_known_of_shards_is_refused_by_its_name) {
  const auto no_shard = [](const Change& change, const std::string& word) {
    refused(
        sharded(), false, [&](json& d) { change(d["codecs"][0]["configuration"]); }, word);
  };
  no_shard([](json& c) { c["chunk_shape"] = {3, 3}; }, "no whole number of chunks");
  no_shard([](json& c) { c["index_location"] = "middle"; }, "index_location");
  no_shard([](json& c) { c["index_codecs"].push_back({{"name", "zstd"}}); }, "'zstd' of an index");
  no_shard(
      [](json& c) {
        c["index_codecs"] = json::array({{{"name", "gzip"}}});
      },
      "'gzip' of an index");
  no_shard([](json& c) { c.erase("codecs"); }, "codecs");
  refused(
      sharded(), false,
      [](json& d) {
        d["codecs"].push_back({{"name", "crc32c"}});
      },
      "'crc32c' after");
  refused(
      sharded(), false,
      [](json& d) {
        const auto most = std::uint64_t{1} << 25U;
        d["chunk_grid"]["configuration"]["chunk_shape"] = {2 * most, 3};
      },
      "chunks; at most");
}

TEST(ArrayForm, what_is_no_json_is_refused) {
  for (const char* const text : {"", "{", "{}", "[]", "{\"a\":1,\"a\":2}", "{\"a\":01}",
                                 "{\"a\":\"\x01\"}", "{\"a\":nan}", "{} x"})
    EXPECT_THROW(static_cast<void>(disk::form_of_zarr3(text, "a")), Error) << text;
  EXPECT_THROW(static_cast<void>(
                   RawJson::parse("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}")),
               Error);
}

TEST(ArrayForm, what_is_not_known_in_version_2_is_refused_by_its_name) {
  const auto no = [](const Change& change, const std::string& word) {
    refused(zarr2(), true, change, word);
  };
  no([](json& d) { d["zarr_format"] = 3; }, "version 2");
  no([](json& d) { d["dtype"] = "|O"; }, "Python objects");
  no([](json& d) { d["dtype"] = "i4"; }, "'i4'");
  no([](json& d) { d["dtype"] = "|i4"; }, "'|i4'");
  no([](json& d) { d["dtype"] = json::array({json::array({"a", ">i4"})}); }, "big-endian");
  no([](json& d) { d["compressor"] = {{"id", "bz2"}}; }, "'bz2'");
  no([](json& d) { d["compressor"] = {{"id", "zlib"}, {"level", 12}}; }, "zlib");
  no([](json& d) { d.erase("compressor"); }, "compressor");
  no([](json& d) { d["filters"] = {{{"id", "delta"}, {"dtype", "<i4"}}}; }, "'delta'");
  no([](json& d) { d["order"] = "K"; }, "order");
  no([](json& d) { d["dimension_separator"] = "-"; }, "separator");
  no([](json& d) { d["fill_value"] = "x"; }, "no value of int32");
  no([](json& d) { d["more"] = 1; }, "'more'");
}

std::string changed(const ArrayForm& form, const StoredChanges& changes) {
  return disk::named_description(disk::description_of(form), "a", changes);
}

TEST(ArrayForm, axes_go_with_their_chunks_and_their_names) {
  json document = sharded();
  document["attributes"] = {{"_ARRAY_DIMENSIONS", {"y", "x"}}, {"units", "m"}};
  const ArrayForm form = disk::form_of_zarr3(document.dump(), "a");
  const json turned = json::parse(changed(form, {.axes = Axes{1, 0}}));
  EXPECT_EQ(turned["shape"], json({7, 5}));
  EXPECT_EQ(turned["chunk_grid"]["configuration"]["chunk_shape"], json({6, 4}));
  EXPECT_EQ(turned["codecs"][0]["configuration"]["chunk_shape"], json({3, 2}));
  EXPECT_EQ(turned["dimension_names"], json({"x", "y"}));
  EXPECT_EQ(turned["attributes"]["_ARRAY_DIMENSIONS"], json({"x", "y"}));
  EXPECT_EQ(turned["attributes"]["units"], "m");
  // Chunks that are said leave no shards.
  const json cut = json::parse(changed(form, {.chunks = {5, 5}, .codec = "none"}));
  EXPECT_EQ(cut["codecs"], json::array({bytes_codec}));
  // Another shape has other axes.
  const json flat = json::parse(changed(form, {.chunks = {9}, .shape = {35}}));
  EXPECT_FALSE(flat.contains("dimension_names"));
  EXPECT_FALSE(flat["attributes"].contains("_ARRAY_DIMENSIONS"));
  EXPECT_THROW(changed(form, {.axes = Axes{0, 0}}), Error);
  EXPECT_THROW(changed(form, {.shape = {36}}), Error);
  EXPECT_THROW(changed(form, {.chunks = {3, 3}, .shards = {4, 6}}), Error);
  EXPECT_THROW(changed(form, {.chunks = {3}}), Error);
  EXPECT_THROW(changed(form, {.codec = "zip"}), Error);
}

TEST(ArrayForm, one_version_becomes_the_other_and_back) {
  json document = zarr2();
  document["fill_value"] = 7;
  const ArrayForm form =
      disk::form_of_zarr2(document.dump(), R"({"_ARRAY_DIMENSIONS": ["y", "x"], "a": 1})", "a");
  EXPECT_EQ(form.key(Lengths{1, 0}), "1/0");
  const std::string text = changed(form, {.format = StoredChanges::Format::zarr3});
  const json third = json::parse(text);
  EXPECT_EQ(third["dimension_names"], json({"y", "x"}));
  // xarray reads it as missing in both.
  EXPECT_EQ(third["attributes"], json({{"a", 1}, {"_FillValue", 7}}));
  EXPECT_EQ(third["codecs"][0]["configuration"]["order"], json({1, 0}));
  EXPECT_EQ(third["codecs"][1]["configuration"]["endian"], "big");
  EXPECT_EQ(third["fill_value"], 7);
  const json back =
      json::parse(disk::named_description(text, "a", {.format = StoredChanges::Format::zarr2}));
  document["dimension_separator"] = ".";
  EXPECT_EQ(back["zarray"], document);
  EXPECT_EQ(back["zattrs"], json({{"_ARRAY_DIMENSIONS", {"y", "x"}}, {"a", 1}}));
  EXPECT_THROW(disk::open_stored("outside:store:s3://bucket::a"), Error);
  // What the other version has not.
  EXPECT_THROW(
      changed(disk::form_of_zarr3(sharded().dump(), "a"), {.format = StoredChanges::Format::zarr2}),
      Error);
  document["dtype"] = json::array({json::array({"a", "<i4"})});
  document["fill_value"] = "AAAAAA==";
  const ArrayForm structure = disk::form_of_zarr2(document.dump(), "", "a");
  EXPECT_THROW(changed(structure, {.format = StoredChanges::Format::zarr3}), Error);
  EXPECT_EQ(json::parse(changed(structure, {}))["zarray"]["dtype"], document["dtype"]);
}

TEST(ArrayForm, a_plain_file_becomes_chunks_of_some_megabytes) {
  const std::string text = disk::named_description(R"({"npy": ">f4", "shape": [1000, 1000, 1000]})",
                                                   "a", {.format = StoredChanges::Format::zarr3});
  const ArrayForm form = disk::form_of_description(text, "a");
  EXPECT_EQ(form.chunks, (Lengths{1, 1000, 1000}));
  EXPECT_EQ(form.type.name, "float32");
  const std::string plain =
      disk::named_description(text, "a", {.format = StoredChanges::Format::npy});
  EXPECT_EQ(json::parse(plain)["npy"], "<f4");
  EXPECT_THROW(disk::named_description(plain, "a", {.chunks = {1, 1, 1}}), Error);
}

TEST(ArrayForm, names_of_files_say_formats) {
  EXPECT_EQ(disk::format_of("a/b.npy"), StoredChanges::Format::npy);
  EXPECT_EQ(disk::format_of("b.raw"), StoredChanges::Format::raw);
  EXPECT_EQ(disk::format_of("b.bin"), StoredChanges::Format::raw);
  EXPECT_EQ(disk::format_of("b.zarr"), StoredChanges::Format::zarr3);
}

}  // namespace
}  // namespace faro
