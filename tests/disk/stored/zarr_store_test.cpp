// Stores of random shapes, chunks, shards, codecs and types: written and read back; stores that
// zarr-python wrote; a disk that fails at every call.
#include "disk/stored/zarr_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "disk/stored/memory_folder.hpp"
#include "faro/base/error.hpp"
#include "files/scratch.hpp"
#include "full.hpp"
#include "paths.hpp"

namespace faro {
namespace {

using disk::ArrayForm;
using disk::StoredArray;
using testing::Elements;
using testing::SimulatedDisk;
using testing::SimulatedFolder;

constexpr const char* some_types[] = {"bool",      "int8",           "uint16",  "int32",
                                      "uint64",    "float16",        "float32", "float64",
                                      "complex64", "complex128",     "r24",     "bytes40",
                                      "str64",     "datetime64[ns]", "bfloat16"};

std::vector<std::string> some_codecs() {
  std::vector<std::string> all{"none"};
  const std::string built = disk::built_codecs();
  for (const char* const one : {"zstd:1", "gzip:1", "zlib:1", "blosc:lz4:5", "blosc:zstd:1", "lz4"})
    if (built.find(std::string(one).substr(0, std::string(one).find(':'))) != std::string::npos)
      all.emplace_back(one);
  return all;
}

ArrayForm random_form(Random& random, ArrayForm::Format format) {
  ArrayForm form;
  form.format = format;
  const bool second = format == ArrayForm::Format::zarr2;
  do form.type = disk::type_named(some_types[random.below(std::size(some_types))]);
  while (second && form.type.numpy.empty());
  form.fill.resize(form.type.bytes);
  if (form.type.kind == ArrayForm{}.type.kind || random.below(2) == 0)
    for (std::byte& one : form.fill)
      one = static_cast<std::byte>(form.type.name == "bool" ? random.below(2) : random.below(128));
  if (form.type.kind == disk::ElementType::Kind::characters)
    for (std::size_t i = 0; i < form.fill.size(); ++i)
      form.fill[i] = i % 4 == 0 ? static_cast<std::byte>('a' + random.below(26)) : std::byte{};
  const std::uint64_t axes = random.below(4);
  for (std::uint64_t k = 0; k < axes; ++k) {
    form.shape.push_back(random.below(12) == 0 ? 0 : 1 + random.below(axes == 1 ? 40 : 9));
    form.chunks.push_back(1 + random.below(5));
  }
  form.big = form.type.word_bytes > 1 && random.below(3) == 0;
  const auto codecs = some_codecs();
  form.codecs = disk::codecs_named(codecs[random.below(codecs.size())], form.type.bytes);
  form.separator = random.below(2) == 0 ? '.' : '/';
  form.keys_v2 = second || random.below(3) == 0;
  if (random.below(3) == 0) {
    for (std::uint64_t k = axes; k-- > 0;) form.order.push_back(k);
    if (!second) random.mix(form.order);
  }
  if (second) return form;
  if (random.below(3) == 0) form.codecs.push_back({.kind = disk::ChunkCodec::Kind::crc32c});
  if (axes > 0 && random.below(2) == 0) {
    disk::ShardForm shard{.shape = form.chunks};
    for (std::uint64_t& length : shard.shape) length *= 1 + random.below(4);
    shard.index_first = random.below(2) == 0;
    shard.index_checksum = random.below(3) != 0;
    shard.index_big = random.below(4) == 0;
    form.shards = {shard};
  }
  return form;
}

TEST(ZarrStore, what_is_written_is_read_whatever_shapes_chunks_shards_codecs_and_types) {
  Random random(7);
  std::uint64_t absent = 0;
  const int rounds = testing::full_run() ? 4000 : 400;
  for (int round = 0; round < rounds; ++round) {
    const ArrayForm form =
        random_form(random, round % 4 == 0 ? ArrayForm::Format::zarr2 : ArrayForm::Format::zarr3);
    SimulatedDisk disk;
    const auto folder = std::make_shared<SimulatedFolder>(disk);
    const auto to = disk::create_zarr(folder, form);
    const Elements elements = testing::random_elements(*to, random);
    testing::write_elements(*to, elements, random);
    const auto from = disk::open_zarr(folder);
    ASSERT_EQ(from->description(), to->description());
    ASSERT_EQ(disk::read_grid(from->description()).chunks, form.chunks);
    ASSERT_TRUE(std::equal(form.fill.begin(), form.fill.end(), from->fill().begin()))
        << from->description();
    ASSERT_EQ(testing::read_elements(*from), elements.bytes) << from->description();
    // What is full of the fill value is not there, nor is a file of nothing else.
    for (const auto& index : testing::all_indices(elements.counts())) {
      std::vector<std::byte> unit(elements.unit_bytes());
      const auto wanted = elements.unit(index);
      bool filled = true;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        filled = filled && wanted[i] == form.fill[i % form.fill.size()];
      absent += filled ? 1 : 0;
      ASSERT_EQ(from->read_unit(index, unit) == StoredArray::Found::absent, filled);
    }
    // Nothing but the array is left.
    disk.change_names([&](SimulatedDisk::Names& names) {
      for (const auto& [name, content] : names) ASSERT_FALSE(name.starts_with(".faro")) << name;
    });
  }
  EXPECT_GT(absent, 100U);
}

ArrayForm small_form() {
  ArrayForm form;
  form.type = disk::type_named("uint16");
  form.fill = {std::byte{1}, std::byte{2}};
  form.shape = {5, 7};
  form.chunks = {2, 2};
  form.shards = {{.shape = {4, 6}}};
  form.codecs = {{.kind = disk::ChunkCodec::Kind::crc32c}};
  return form;
}

TEST(ZarrStore, an_error_at_every_call_leaves_no_array_or_the_whole_one) {
  std::uint64_t total = 0;
  for (std::uint64_t k = 0; k == 0 || k <= total; ++k) {
    Random random(1);
    SimulatedDisk disk;
    const auto folder = std::make_shared<SimulatedFolder>(disk);
    Elements elements;
    const auto go = [&] {
      const auto store = disk::create_zarr(folder, small_form());
      elements = testing::random_elements(*store, random);
      testing::write_elements(*store, elements, random);
    };
    if (k != 0) disk.arm(SimulatedDisk::Fault::error, k);
    bool failed = false;
    try {
      go();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::environment);
      failed = true;
    }
    if (k == 0) total = disk.operations();
    disk.disarm();
    if (folder->size_bytes("zarr.json"))
      ASSERT_EQ(testing::read_elements(*disk::open_zarr(folder)), elements.bytes) << k;
    else
      ASSERT_TRUE(failed) << k;
    go();
    ASSERT_EQ(testing::read_elements(*disk::open_zarr(folder)), elements.bytes) << k;
  }
  EXPECT_GT(total, 20U);
}

TEST(ZarrStore, a_power_cut_at_every_call_leaves_no_array_or_the_whole_one) {
  std::uint64_t total = 1000;
  std::uint64_t whole = 0;
  for (std::uint64_t k = 1; k <= total; ++k)
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Random random(1);
      Random luck(k * 100 + seed);
      SimulatedDisk disk;
      const auto folder = std::make_shared<SimulatedFolder>(disk);
      const auto store_once = disk::create_zarr(folder, small_form());
      const Elements elements = testing::random_elements(*store_once, random);
      disk.arm(SimulatedDisk::Fault::power, k);
      try {
        testing::write_elements(*store_once, elements, random);
        total = disk.operations();
      } catch (const testing::PowerCut&) {
      }
      disk.restart(luck);
      if (folder->size_bytes("zarr.json")) {
        ASSERT_EQ(testing::read_elements(*disk::open_zarr(folder)), elements.bytes) << k;
        ++whole;
      }
      // Gone on with: what has its name is right, and all of it is written again.
      testing::write_elements(*disk::create_zarr(folder, small_form()), elements, random);
      ASSERT_EQ(testing::read_elements(*disk::open_zarr(folder)), elements.bytes) << k;
    }
  EXPECT_LT(total, 1000U);
  EXPECT_GT(whole, 0U);
}

TEST(ZarrStore, a_damaged_file_is_an_error_that_names_it) {
  Random random(3);
  std::uint64_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    SimulatedDisk disk;
    const auto folder = std::make_shared<SimulatedFolder>(disk);
    ArrayForm form = small_form();
    if (round % 2 == 0 && disk::built_codecs().find("gzip") != std::string::npos)
      form.codecs = disk::codecs_named("gzip:1", 2);
    const auto store = disk::create_zarr(folder, form);
    const Elements elements = testing::random_elements(*store, random);
    testing::write_elements(*store, elements, random);
    const std::string key = "c/0/0";
    const auto content = disk.find(key);
    if (!content) continue;
    switch (round % 3) {
      case 0:
        content->now.resize(random.below(content->now.size()));
        break;
      case 1:
        content->now[random.below(content->now.size())] ^=
            static_cast<std::byte>(1 + random.below(255));
        break;
      default:
        for (int i = 0; i < 8; ++i)
          content->now[random.below(content->now.size())] =
              static_cast<std::byte>(random.below(256));
    }
    // All of it is under a checksum, of the chunk or of the index, gzip's own included (but for its
    // header, where a byte may say another time).
    try {
      if (testing::read_elements(*disk::open_zarr(folder)) != elements.bytes)
        ADD_FAILURE() << "wrong elements, round " << round;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::environment);
      EXPECT_NE(std::string(error.what()).find("simulated"), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 200U);
}

TEST(ZarrStore, another_array_is_not_written_over) {
  SimulatedDisk disk;
  const auto folder = std::make_shared<SimulatedFolder>(disk);
  ArrayForm other = small_form();
  other.shape = {5, 8};
  const auto begun = disk::create_zarr(folder, small_form());
  EXPECT_THROW(disk::create_zarr(folder, other), Error);
  begun->complete();
  EXPECT_THROW(disk::create_zarr(folder, other), Error);
  // The same one is gone on with.
  EXPECT_NO_THROW(disk::create_zarr(folder, small_form())->complete());
}

TEST(ZarrStore, identity_changes_with_the_content) {
  Random random(5);
  SimulatedDisk disk;
  const auto folder = std::make_shared<SimulatedFolder>(disk);
  const auto store = disk::create_zarr(folder, small_form());
  const Elements elements = testing::random_elements(*store, random);
  testing::write_elements(*store, elements, random);
  const std::string before = store->identity();
  EXPECT_EQ(disk::open_zarr(folder)->identity(), before);
  disk.find("c/0/0")->now[0] ^= std::byte{1};
  EXPECT_NE(store->identity(), before);
}

// What tests/data/zarr/make.py put there: element i of an array in C order is 7 i + 3 where it is
// not the fill value.
struct Golden {
  const char* name;
  std::uint64_t begin;  // elements from here on ..
  std::uint64_t end;    // .. to here are the fill value
};

TEST(ZarrStore, arrays_that_zarr_python_wrote) {
  const std::vector<Golden> all = {
      {"shards_of_16", 20, 1140}, {"nested", 0, 0}, {"index_first", 0, 0},
      {"fortran_big", 0, 0},      {"gzip", 0, 0},   {"lz4", 0, 0},
      {"scalar", 0, 0},           {"none", 0, 0}};
  std::uint64_t read = 0;
  for (const Golden& golden : all) {
    const std::string path = testing::source_path(std::string("tests/data/zarr/") + golden.name);
    std::unique_ptr<StoredArray> array;
    try {
      array = disk::open_stored(path);
    } catch (const Error& error) {
      // Built without that codec.
      ASSERT_NE(std::string(error.what()).find("not built in"), std::string::npos) << error.what();
      continue;
    }
    ++read;
    const auto bytes = testing::read_elements(*array);
    const std::uint64_t size = array->grid().element_bytes;
    for (std::uint64_t i = 0; i < bytes.size() / size; ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + i * size, size);
      ASSERT_EQ(value, i >= golden.begin && i < golden.end ? 0 : 7 * i + 3)
          << golden.name << " " << i;
    }
  }
  EXPECT_GE(read, 5U);
}

}  // namespace
}  // namespace faro
