// Zarr arrays: hand-made ones read, and what is written held to a reader that is written here.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "disk/crc32c.hpp"
#include "disk/zarr_file.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/words/say.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using nlohmann::json;
using testing::read_all;
using testing::Scratch;
using testing::write_all;
using Lengths = std::vector<std::uint64_t>;

const json bytes_codec = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};

json metadata(const Lengths& shape, const Lengths& chunks, const json& codecs) {
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape},
          {"data_type", "uint16"},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunks}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", 0},
          {"attributes", {{"of", "a test"}}},
          {"codecs", codecs}};
}

json sharding(const Lengths& chunks, const json& codecs) {
  return json::array({{{"name", "sharding_indexed"},
                       {"configuration",
                        {{"chunk_shape", chunks},
                         {"codecs", codecs},
                         {"index_codecs", json::array({bytes_codec, {{"name", "crc32c"}}})},
                         {"index_location", "end"}}}}});
}

void put(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  write_all(path, bytes);
}

std::string little(std::uint64_t word, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(word >> (8 * i));
  return text;
}
std::uint64_t number(const std::string& text, std::size_t at, int bytes) {
  std::uint64_t word = 0;
  for (int i = bytes; i-- > 0;)
    word = (word << 8U) | static_cast<unsigned char>(text.at(at + static_cast<std::size_t>(i)));
  return word;
}

// Two axes; the value at (r, c) of an array with so many columns.
using Values = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;

std::string chunk_of(const Values& value, std::uint64_t r0, std::uint64_t c0,
                     const Lengths& chunk) {
  std::string text;
  for (std::uint64_t r = 0; r < chunk[0]; ++r)
    for (std::uint64_t c = 0; c < chunk[1]; ++c) text += little(value(r0 + r, c0 + c), 2);
  return text;
}

void write_plain(const std::string& folder, const Lengths& shape, const Lengths& chunk,
                 const Values& value) {
  put(folder + "/zarr.json", metadata(shape, chunk, json::array({bytes_codec})).dump());
  for (std::uint64_t r = 0; r < shape[0] / chunk[0]; ++r)
    for (std::uint64_t c = 0; c < shape[1] / chunk[1]; ++c)
      put(folder + "/c/" + std::to_string(r) + "/" + std::to_string(c),
          chunk_of(value, r * chunk[0], c * chunk[1], chunk));
}

// Chunks of each shard from the last to the first, so that nothing but the index says where.
void write_sharded(const std::string& folder, const Lengths& shape, const Lengths& shard,
                   const Lengths& chunk, const Values& value) {
  put(folder + "/zarr.json",
      metadata(shape, shard, sharding(chunk, json::array({bytes_codec}))).dump());
  const std::uint64_t columns = shard[1] / chunk[1];
  const std::uint64_t count = shard[0] / chunk[0] * columns;
  for (std::uint64_t r = 0; r < shape[0] / shard[0]; ++r)
    for (std::uint64_t c = 0; c < shape[1] / shard[1]; ++c) {
      std::string data;
      std::vector<std::string> index(count);
      for (std::uint64_t i = count; i-- > 0;) {
        const std::string one = chunk_of(value, (r * shard[0]) + (i / columns * chunk[0]),
                                         (c * shard[1]) + (i % columns * chunk[1]), chunk);
        index[i] = little(data.size(), 8) + little(one.size(), 8);
        data += one;
      }
      std::string all;
      for (const std::string& entry : index) all += entry;
      put(folder + "/c/" + std::to_string(r) + "/" + std::to_string(c),
          data + all + little(disk::crc32c(all), 4));
    }
}

// What an array of plain or sharded plain chunks holds at (r, c).
Values reader(const std::string& folder) {
  const json document = json::parse(read_all(folder + "/zarr.json"));
  const Lengths shard = document["chunk_grid"]["configuration"]["chunk_shape"];
  const json codecs = document["codecs"];
  const bool sharded = codecs[0]["name"] == "sharding_indexed";
  const Lengths chunk = sharded ? codecs[0]["configuration"]["chunk_shape"].get<Lengths>() : shard;
  return [=](std::uint64_t r, std::uint64_t c) {
    const std::string file = read_all(folder + "/c/" + std::to_string(r / shard[0]) + "/" +
                                      std::to_string(c / shard[1]));
    const std::uint64_t columns = shard[1] / chunk[1];
    const std::uint64_t count = shard[0] / chunk[0] * columns;
    const std::uint64_t i = (r % shard[0] / chunk[0] * columns) + (c % shard[1] / chunk[1]);
    std::uint64_t start = 0;
    if (sharded) {
      const std::size_t index = file.size() - 4 - (count * 16);
      EXPECT_EQ(disk::crc32c(file.substr(index, count * 16)), number(file, file.size() - 4, 4));
      start = number(file, index + (i * 16), 8);
      EXPECT_EQ(number(file, index + (i * 16) + 8, 8), chunk[0] * chunk[1] * 2);
    } else {
      EXPECT_EQ(file.size(), chunk[0] * chunk[1] * 2);
    }
    return number(file, start + ((r % chunk[0] * chunk[1]) + (c % chunk[1])) * 2, 2);
  };
}

std::uint64_t some(std::uint64_t r, std::uint64_t c) {
  return ((r * 1000003) ^ (c * 7919)) & 0xffffU;
}

// Within a tile of 2 KiB, which is a quarter of the array of 64 x 64 numbers of 2 bytes.
PermuteFileOptions small_tiles() {
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bit(30), .tile_bytes_max = 2048};
  options.verify = true;
  return options;
}

TEST(Zarr, chunks_are_cut_anew_and_transposed_in_the_passes_that_are_counted) {
  const Scratch scratch;
  const std::string in = scratch.path("in.zarr");
  write_plain(in, {64, 64}, {4, 32}, some);
  // Rechunked: the map is the identity.
  const auto report =
      permute_zarr(in, scratch.path("re.zarr"), BitMap(), {.chunks = {16, 8}}, small_tiles());
  EXPECT_TRUE(report.verified);
  EXPECT_EQ(report.plan.data_bytes, 8192U);
  EXPECT_EQ(report.counts.bytes_written, report.plan.passes.size() * 8192);
  const Values again = reader(scratch.path("re.zarr"));
  const BitMap transposed = say("r:6 c:6 -> c r").map.as_bits();
  permute_zarr(in, scratch.path("tr.zarr"), transposed, {.chunks = {8, 16}, .shards = {32, 32}},
               small_tiles());
  const Values turned = reader(scratch.path("tr.zarr"));
  for (std::uint64_t r = 0; r < 64; ++r)
    for (std::uint64_t c = 0; c < 64; ++c) {
      ASSERT_EQ(again(r, c), some(r, c)) << r << ' ' << c;
      ASSERT_EQ(turned(c, r), some(r, c)) << r << ' ' << c;
    }
  const json document = json::parse(read_all(scratch.path("tr.zarr/zarr.json")));
  EXPECT_EQ(document["attributes"]["of"], "a test");
  EXPECT_EQ(scratch.count(), 3U);  // nothing else is left
}

TEST(Zarr, shards_are_read_by_their_index_and_missing_chunks_are_full_of_the_fill_value) {
  const Scratch scratch;
  const std::string in = scratch.path("in.zarr");
  write_sharded(in, {64, 64}, {32, 16}, {8, 4}, some);
  json document = json::parse(read_all(in + "/zarr.json"));
  document["fill_value"] = 513;
  write_all(in + "/zarr.json", document.dump());
  std::filesystem::remove(in + "/c/1/2");
  const auto filled = [](std::uint64_t r, std::uint64_t c) {
    return r >= 32 && c / 16 == 2 ? 513 : some(r, c);
  };
  const BitMap map = say("i:12 -> gray(rev(i)) ^ 77").map.as_bits();
  const auto options = small_tiles();
  permute_zarr(in, scratch.path("out.zarr"), map, {.chunks = {4, 64}}, options);
  const Values out = reader(scratch.path("out.zarr"));
  for (std::uint64_t i = 0; i < 4096; ++i)
    ASSERT_EQ(out(map(i) / 64, map(i) % 64), filled(i / 64, i % 64)) << i;
  // Another shape of as many elements.
  permute_zarr(in, scratch.path("flat.zarr"), BitMap(), {.shape = {16, 256}, .chunks = {16, 16}},
               options);
  const Values flat = reader(scratch.path("flat.zarr"));
  for (std::uint64_t i = 0; i < 4096; ++i)
    ASSERT_EQ(flat(i / 256, i % 256), filled(i / 64, i % 64)) << i;
}

TEST(Zarr, a_chunk_encoded_as_one_is_read_and_written_as_one) {
  const Scratch scratch;
  const std::string in = scratch.path("in.zarr");
  write_plain(in, {64, 64}, {16, 16}, some);
  std::vector<json> chains = {{bytes_codec, {{"name", "crc32c"}}}};
  const std::string built = disk::built_codecs();
  if (built.find("zstd") != std::string::npos)
    chains.push_back(
        {bytes_codec, {{"name", "zstd"}, {"configuration", {{"level", 1}, {"checksum", true}}}}});
  if (built.find("blosc") != std::string::npos)
    chains.push_back({bytes_codec,
                      {{"name", "blosc"},
                       {"configuration",
                        {{"cname", "lz4"},
                         {"clevel", 5},
                         {"shuffle", "shuffle"},
                         {"typesize", 2},
                         {"blocksize", 0}}}}});
  const BitMap map = say("r:6 c:6 -> c r").map.as_bits();
  for (const json& chain : chains) {
    for (const bool sharded : {false, true}) {
      // An array in such chunks, ...
      const std::string encoded = scratch.path("encoded.zarr");
      std::filesystem::remove_all(encoded);
      std::filesystem::remove_all(scratch.path("out.zarr"));
      put(encoded + "/zarr.json", (sharded ? metadata({64, 64}, {16, 16}, sharding({8, 8}, chain))
                                           : metadata({64, 64}, {8, 8}, chain))
                                      .dump());
      const auto folder = std::make_shared<files::PosixFolder>(encoded);
      disk::ZarrFile file(disk::open_zarr(folder), folder);
      const BitMap layout = file.layout();
      std::string stored(8192, '\0');
      for (std::uint64_t i = 0; i < 4096; ++i)
        little(some(i / 64, i % 64), 2).copy(stored.data() + (layout(i) * 2), 2);
      for (std::uint64_t at = 0; at < stored.size(); at += file.write_unit_bytes())
        file.write(at, std::as_bytes(std::span(stored)).subspan(at, file.write_unit_bytes()));
      std::filesystem::remove_all(encoded + "/.faro");
      // ... read in any pieces,
      std::string piece(100, '\0');
      file.read(1234, std::as_writable_bytes(std::span(piece)));
      EXPECT_EQ(piece, stored.substr(1234, 100));
      // is permuted in whole chunks, and out of the codec.
      const auto report = permute_zarr(encoded, scratch.path("out.zarr"), map,
                                       {.chunks = {32, 4}, .codec = "none"}, small_tiles());
      EXPECT_GE(report.plan.passes.front().read_run_bytes, 128U);
      const Values out = reader(scratch.path("out.zarr"));
      for (std::uint64_t r = 0; r < 64; ++r)
        for (std::uint64_t c = 0; c < 64; ++c) ASSERT_EQ(out(c, r), some(r, c));
      // A damaged one is an error, and nothing appears.
      const std::string victim = encoded + "/c/0/0";
      std::string content = read_all(victim);
      // The end of a shard is the checksum of its index.
      content.back() = static_cast<char>(content.back() ^ 0x55);
      write_all(victim, content.substr(0, content.size() - (sharded ? 0 : 3)));
      EXPECT_THROW(
          permute_zarr(encoded, scratch.path("none.zarr"), map, {.codec = "none"}, small_tiles()),
          Error);
      EXPECT_FALSE(std::filesystem::exists(scratch.path("none.zarr")));
      std::filesystem::remove_all(scratch.path(".none.zarr.faro"));
    }
  }
}

TEST(Zarr, a_stopped_run_is_resumed_and_a_changed_input_is_known) {
  const Scratch scratch;
  const std::string in = scratch.path("in.zarr");
  const std::string out = scratch.path("out.zarr");
  write_plain(in, {64, 64}, {16, 16}, some);
  const BitMap map = say("r:6 c:6 -> c r").map.as_bits();
  PermuteFileOptions options = small_tiles();
  options.checkpoint_seconds = 0;
  options.plan.passes = 2;
  int calls = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    return ++calls == 6 ? Continue::no : Continue::yes;
  };
  const ZarrOptions chunks{.chunks = {4, 64}};
  EXPECT_THROW(permute_zarr(in, out, map, chunks, options), Error);
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(describe_unfinished(out), "2 tiles of pass 2 are done");
  EXPECT_THROW(permute_zarr(in, out, map, chunks, small_tiles()), Error);
  const std::string first = read_all(in + "/c/0/0");
  write_all(in + "/c/0/0", "x" + first.substr(1));
  EXPECT_THROW(resume_file(out), Error);
  write_all(in + "/c/0/0", first);
  const auto report = resume_file(out);
  EXPECT_EQ(report.resumed_bytes, 6 * 2048U);
  const Values turned = reader(out);
  for (std::uint64_t r = 0; r < 64; ++r)
    for (std::uint64_t c = 0; c < 64; ++c) ASSERT_EQ(turned(c, r), some(r, c));
  EXPECT_EQ(scratch.count(), 2U);
  // What is there is not replaced.
  EXPECT_THROW(permute_zarr(in, out, map, chunks, small_tiles()), Error);
}

TEST(Zarr, without_a_temporary_file_it_is_stopped_anywhere_and_resumed) {
  const Scratch scratch;
  const std::string in = scratch.path("in.zarr");
  const std::string out = scratch.path("out.zarr");
  write_plain(in, {64, 64}, {16, 16}, some);
  const BitMap map = say("r:6 c:6 -> c r").map.as_bits();
  PermuteFileOptions options = small_tiles();
  options.plan.passes = 2;
  options.plan.temporary = false;
  int stopped = 0;
  for (int stop = 1; stop < 100; ++stop) {
    int calls = 0;
    options.progress = [&](std::uint64_t, std::uint64_t) {
      return ++calls == stop ? Continue::no : Continue::yes;
    };
    bool whole = false;
    try {
      permute_zarr(in, out, map, {.chunks = {4, 64}}, options);
      whole = true;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::cancelled);
      ASSERT_FALSE(std::filesystem::exists(out));
      resume_file(out);
      ++stopped;
    }
    const Values turned = reader(out);
    for (std::uint64_t r = 0; r < 64; ++r)
      for (std::uint64_t c = 0; c < 64; ++c) ASSERT_EQ(turned(c, r), some(r, c));
    std::filesystem::remove_all(out);
    ASSERT_EQ(scratch.count(), 1U);
    if (whole) break;
  }
  EXPECT_GT(stopped, 4);
}

TEST(Zarr, lengths_that_are_no_powers_of_two_are_refused_and_what_takes_them_is_named) {
  const Scratch scratch;
  const auto refused = [&](const Lengths& shape, const Lengths& chunks, const std::string& word) {
    put(scratch.path("a.zarr/zarr.json"),
        metadata(shape, chunks, json::array({bytes_codec})).dump());
    try {
      permute_zarr(scratch.path("a.zarr"), scratch.path("b.zarr"), BitMap(), {}, small_tiles());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::impossible);
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      return;
    }
    FAIL() << word;
  };
  refused({60, 64}, {4, 4}, "power of two; 'faro rechunk'");
  refused({4, 64}, {8, 8}, "ragged");
  refused({}, {}, "no axes");
}

TEST(Zarr, version_2_is_permuted_as_version_2) {
  const Scratch scratch;
  const std::string in = scratch.path("in.zarr");
  put(in + "/.zarray", json{{"zarr_format", 2},
                            {"shape", {64, 64}},
                            {"chunks", {16, 16}},
                            {"dtype", "<u2"},
                            {"compressor", nullptr},
                            {"fill_value", 0},
                            {"order", "C"},
                            {"filters", nullptr}}
                           .dump());
  put(in + "/.zattrs", "{\"_ARRAY_DIMENSIONS\": [\"y\", \"x\"], \"a\": 1.50}");
  for (std::uint64_t r = 0; r < 4; ++r)
    for (std::uint64_t c = 0; c < 4; ++c)
      put(in + "/" + std::to_string(r) + "." + std::to_string(c),
          chunk_of(some, r * 16, c * 16, {16, 16}));
  permute_zarr(in, scratch.path("out.zarr"), say("r:6 c:6 -> c r").map.as_bits(),
               {.chunks = {64, 64}}, small_tiles());
  const std::string chunk = read_all(scratch.path("out.zarr/0.0"));
  ASSERT_EQ(chunk.size(), 8192U);
  for (std::uint64_t r = 0; r < 64; ++r)
    for (std::uint64_t c = 0; c < 64; ++c)
      ASSERT_EQ(number(chunk, ((c * 64) + r) * 2, 2), some(r, c));
  const std::string attributes = read_all(scratch.path("out.zarr/.zattrs"));
  EXPECT_NE(attributes.find("\"a\": 1.50"), std::string::npos);
  EXPECT_EQ(attributes.find("_ARRAY_DIMENSIONS"), std::string::npos);
}

}  // namespace
}  // namespace faro
