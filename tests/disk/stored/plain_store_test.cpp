// .npy and raw files as stores: runs of little-endian bytes, a header that comes last.
#include "disk/stored/plain_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "disk/stored/memory_folder.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/rechunk.hpp"
#include "faro/files/array_file.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using testing::read_all;
using testing::Scratch;
using testing::write_all;

std::span<const std::byte> bytes_in(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(PlainStore, a_npy_file_is_made_in_runs_and_is_one_only_when_it_is_complete) {
  const Scratch scratch;
  const std::string path = scratch.path("a.npy");
  const auto store = disk::create_stored(path, R"({"npy": "<i4", "shape": [3, 4]})");
  EXPECT_EQ(store->grid().encoding, disk::StoredGrid::Encoding::run);
  EXPECT_EQ(store->data_type(), "int32");
  const std::string content = "0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEF";
  store->write_run(20, bytes_in(content.substr(20, 28)));
  store->write_run(0, bytes_in(content.substr(0, 20)));
  store->sync();
  EXPECT_THROW(disk::open_stored(path), Error);
  // Gone on with, it keeps what it has.
  disk::create_stored(path, store->description())->complete();
  const auto array = ArrayInput::npy(path);
  EXPECT_EQ(array.header().shape, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(array.header().type, "'<i4'");
  EXPECT_TRUE(std::equal(array.data().begin(), array.data().end(), bytes_in(content).begin()));
  const auto again = disk::open_stored(path);
  std::string read(13, '\0');
  again->read_run(7, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, content.substr(7, 13));
  const std::string before = again->identity();
  EXPECT_EQ(disk::open_stored(path)->identity(), before);
  write_all(path, read_all(path).replace(4096 + 10, 1, "!"));
  EXPECT_NE(disk::open_stored(path)->identity(), before);
}

TEST(PlainStore, big_endian_files_are_read_as_little_endian_in_any_runs) {
  const Scratch scratch;
  const std::string path = scratch.path("a.npy");
  NpyHeader header = npy_header(">c8", {5});
  std::string stored;
  std::string little;
  for (int i = 0; i < 40; ++i) {
    stored += static_cast<char>('a' + i);
    little += static_cast<char>('a' + (i / 4 * 4) + 3 - (i % 4));
  }
  write_all(path, npy_header_bytes(header) + stored);
  const auto store = disk::open_stored(path);
  EXPECT_EQ(store->data_type(), "complex64");
  for (std::size_t begin = 0; begin < 40; ++begin)
    for (std::size_t end = begin; end <= 40; ++end) {
      std::string read(end - begin, '\0');
      store->read_run(begin, std::as_writable_bytes(std::span(read)));
      ASSERT_EQ(read, little.substr(begin, end - begin));
    }
}

TEST(PlainStore, a_file_in_fortran_order_is_read_as_it_lies_or_in_units_of_c_order) {
  const Scratch scratch;
  const std::string path = scratch.path("a.npy");
  const std::vector<std::uint64_t> shape = {700, 3, 601};
  const std::uint64_t size = 700 * 3 * 601;
  std::string lies(2 * size, '\0');
  std::string in_c_order(2 * size, '\0');
  for (std::uint64_t i = 0; i < 700; ++i)
    for (std::uint64_t j = 0; j < 3; ++j)
      for (std::uint64_t k = 0; k < 601; ++k) {
        const auto value = static_cast<std::uint16_t>((i * 3 + j) * 601 + k);
        std::memcpy(&in_c_order[2 * ((i * 3 + j) * 601 + k)], &value, 2);
        std::memcpy(&lies[2 * ((k * 3 + j) * 700 + i)], &value, 2);
      }
  NpyHeader header = npy_header("<u2", shape);
  header.order = NpyHeader::Order::fortran;
  write_all(path, npy_header_bytes(header) + lies);
  const auto store = disk::open_stored(path);
  EXPECT_EQ(store->grid().order, (std::vector<std::size_t>{2, 1, 0}));
  std::string read(1001, '\0');
  store->read_run(77, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, lies.substr(77, 1001));
  // What is made of it is in C order.
  EXPECT_TRUE(disk::read_grid(disk::describe_changed(*store, {})).order.empty());

  const ArrayDigest found = digest_array(path);
  Digest wanted;
  wanted.run(0, bytes_in(in_c_order));
  EXPECT_EQ(found.digest.value(), wanted.value());
  store->cut_into_units();
  EXPECT_EQ(store->grid().encoding, disk::StoredGrid::Encoding::unit);
  EXPECT_TRUE(std::ranges::equal(testing::read_elements(*store), bytes_in(in_c_order)));

  const std::string plain = scratch.path("c.npy");
  rechunk(path, plain, {});
  EXPECT_TRUE(read_all(plain).ends_with(in_c_order));
  EXPECT_TRUE(check_arrays(plain, path).equal());
  EXPECT_TRUE(check_arrays(path, plain).equal());
  // Of two places that differ the first in C order is the later one of the file.
  const auto change = [&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    lies[2 * ((k * 3 + j) * 700 + i)] ^= 1;
  };
  change(5, 2, 600);
  change(6, 0, 0);
  write_all(path, npy_header_bytes(header) + lies);
  const CheckReport report = check_arrays(plain, path);
  EXPECT_EQ(report.different, Count{2});
  EXPECT_EQ(report.first, (std::vector<std::uint64_t>{5, 2, 600}));
  EXPECT_EQ(report.chunk_b, (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(check_arrays(path, plain).first, report.first);
}

TEST(PlainStore, a_raw_file_is_what_is_said_of_it) {
  const Scratch scratch;
  const std::string path = scratch.path("a.raw");
  write_all(path, "headXXYYZZ");
  const auto store = disk::open_stored(path, RawArray{{3}, "uint16", 4});
  EXPECT_EQ(testing::read_elements(*store).size(), 6U);
  EXPECT_THROW(disk::open_stored(path, RawArray{{4}, "uint16", 4}), Error);
  EXPECT_THROW(disk::open_stored(path), Error);
  // What it becomes says it again.
  const std::string made = disk::describe_changed(*store, {});
  EXPECT_EQ(disk::read_grid(made).shape, (std::vector<std::uint64_t>{3}));
}

TEST(PlainStore, what_is_no_array_here_is_refused_in_words) {
  const Scratch scratch;
  const auto refused = [&](const std::string& content, const std::string& word) {
    write_all(scratch.path("a.npy"), content);
    try {
      disk::open_stored(scratch.path("a.npy"));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      return;
    }
    FAIL() << word;
  };
  NpyHeader header = npy_header("<u2", {2, 2});
  refused("", "");
  refused(npy_header_bytes(header) + "1234567", "7 bytes");
  header = npy_header("<u2", {2});
  header.type = "[('a', '<u2')]";
  refused(npy_header_bytes(header) + "1234", "a structure");
  EXPECT_THROW(disk::open_stored(scratch.path("none.npy")), Error);
  EXPECT_THROW(disk::open_stored(scratch.path()), Error);
}

}  // namespace
}  // namespace faro
