// Groups: the arrays in them, and what they say, listed anew and last.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "disk/stored/memory_folder.hpp"
#include "faro/base/error.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using nlohmann::json;
using testing::read_all;
using testing::Scratch;
using testing::write_all;

void put_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  write_all(path, text);
}

std::string array3(const std::string& attributes) {
  return R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
    "fill_value": 0,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "codecs": [{"name": "bytes"}],
    "chunk_key_encoding": {"name": "default"}, "attributes": )" +
         attributes + "}";
}

std::string group3() {
  return R"({"zarr_format": 3, "node_type": "group", "attributes": {"a": 1.50, "x": NaN},
    "consolidated_metadata": {"kind": "inline", "must_understand": false,
      "metadata": {"stale": {}}}})";
}

void copy_arrays(const std::string& from, const std::string& to,
                 const disk::StoredChanges& changes) {
  for (const std::string& name : disk::stored_arrays(from)) {
    const auto array = disk::open_stored(from + "/" + name);
    disk::create_stored(to + "/" + name, disk::describe_changed(*array, changes))->complete();
  }
}

TEST(Groups, arrays_are_found_and_their_folders_are_not_looked_into) {
  const Scratch scratch;
  put_text(scratch.path("g/zarr.json"), group3());
  put_text(scratch.path("g/b/zarr.json"), array3("{}"));
  put_text(scratch.path("g/b/c/zarr.json"), array3("{}"));
  put_text(scratch.path("g/a/inner/.zarray"), "{}");
  put_text(scratch.path("g/.hidden/.zarray"), "{}");
  EXPECT_EQ(disk::stored_arrays(scratch.path("g")), (std::vector<std::string>{"a/inner", "b"}));
  EXPECT_EQ(disk::stored_arrays(scratch.path("g/b")), (std::vector<std::string>{""}));
  // What is no folder is an array by itself, or nothing.
  EXPECT_EQ(disk::stored_arrays(scratch.path("a.npy")), (std::vector<std::string>{""}));
  std::filesystem::create_directories(scratch.path("empty"));
  EXPECT_THROW(disk::stored_arrays(scratch.path("empty")), Error);
}

TEST(Groups, consolidated_metadata_of_version_3_says_what_is_there_now) {
  const Scratch scratch;
  put_text(scratch.path("g/zarr.json"), group3());
  put_text(scratch.path("g/h/zarr.json"), R"({"zarr_format": 3, "node_type": "group"})");
  put_text(scratch.path("g/h/b/zarr.json"), array3("{\"unit\": \"m\"}"));
  copy_arrays(scratch.path("g"), scratch.path("out"), {.chunks = {3}});
  disk::copy_groups(scratch.path("g"), scratch.path("out"));
  const std::string text = read_all(scratch.path("out/zarr.json"));
  EXPECT_NE(text.find("{\"a\": 1.50, \"x\": NaN}"), std::string::npos);
  std::string plain = text;
  plain.replace(plain.find("NaN"), 3, "0");
  const json all = json::parse(plain)["consolidated_metadata"]["metadata"];
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(all["h"]["node_type"], "group");
  EXPECT_EQ(all["h/b"]["chunk_grid"]["configuration"]["chunk_shape"], json({3}));
  EXPECT_EQ(all["h/b"]["attributes"]["unit"], "m");
  EXPECT_FALSE(
      json::parse(read_all(scratch.path("out/h/zarr.json"))).contains("consolidated_metadata"));
  // Nothing else is there.
  std::size_t files = 0;
  for (const auto& one : std::filesystem::recursive_directory_iterator(scratch.path("out")))
    files += one.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 3U);
}

TEST(Groups, version_2_becomes_version_3_or_stays) {
  const Scratch scratch;
  put_text(scratch.path("g/.zgroup"), "{\"zarr_format\": 2}");
  put_text(scratch.path("g/.zattrs"), "{\"title\": 2.50}");
  put_text(scratch.path("g/.zmetadata"), "{\"stale\": true}");
  put_text(scratch.path("g/a/.zarray"),
           R"({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "|u1", "compressor": null,
               "fill_value": 0, "order": "C", "filters": null})");
  put_text(scratch.path("g/a/.zattrs"), "{\"_ARRAY_DIMENSIONS\": [\"x\"]}");
  copy_arrays(scratch.path("g"), scratch.path("same"), {});
  disk::copy_groups(scratch.path("g"), scratch.path("same"));
  const json all = json::parse(read_all(scratch.path("same/.zmetadata")));
  EXPECT_EQ(all["metadata"].size(), 4U);
  EXPECT_EQ(all["metadata"][".zattrs"]["title"], 2.5);
  EXPECT_EQ(all["metadata"]["a/.zarray"]["chunks"], json({2}));
  EXPECT_EQ(all["metadata"]["a/.zattrs"]["_ARRAY_DIMENSIONS"], json({"x"}));
  copy_arrays(scratch.path("g"), scratch.path("new"),
              {.format = disk::StoredChanges::Format::zarr3});
  disk::copy_groups(scratch.path("g"), scratch.path("new"));
  const json third = json::parse(read_all(scratch.path("new/zarr.json")));
  EXPECT_EQ(third["attributes"]["title"], 2.5);
  EXPECT_EQ(third["consolidated_metadata"]["metadata"]["a"]["dimension_names"], json({"x"}));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("new/.zgroup")));
}

}  // namespace
}  // namespace faro
