#include "faro/files/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", name, message));
}

[[noreturn]] void refuse_memory(const std::string& name, const std::string& bytes,
                                std::uint64_t memory_bytes_max) {
  throw Error(ErrorCode::environment,
              fmt::format("{}: {} from a pipe would have to be held in memory, where {} bytes are "
                          "allowed for them; a file is mapped instead",
                          name, bytes, memory_bytes_max));
}

// Reads to the end of the stream, or one byte past `most`, which shows that there is more.
std::vector<std::byte> read_stream(InputFile& input, std::uint64_t most) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20U;
  std::vector<std::byte> bytes;
  while (bytes.size() <= most) {
    const std::size_t before = bytes.size();
    // Doubling keeps the copies few; the first piece is small.
    const std::uint64_t wanted =
        std::min<std::uint64_t>(std::max(piece_bytes, before), most - before + 1);
    try {
      bytes.resize(before + wanted);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::environment,
                  fmt::format("{}: there is no memory for more than the {} bytes that were read so "
                              "far, and it has not ended; a file is mapped instead",
                              input.name(), before));
    }
    const std::size_t got = input.read_full(std::span(bytes).subspan(before));
    bytes.resize(before + got);
    if (got < wanted) break;
  }
  return bytes;
}

void check_length(const std::string& name, const NpyHeader& header, std::uint64_t found,
                  const char* at_least) {
  const std::uint64_t wanted = header.data_bytes();
  if (found < wanted)
    refuse(name, fmt::format("the file is cut short: shape and type say {} bytes of data, there "
                             "are {}",
                             wanted, found));
  if (found > wanted)
    refuse(name, fmt::format("after the array's {} bytes of data there are {}{} more; a file of "
                             "one array is wanted",
                             wanted, at_least, found - wanted));
}

// The element's kind and byte order from a type like "'<i8'"; kind 0 if it is no integer.
struct IntegerType {
  char kind = 0;
  bool big_endian = false;
};

IntegerType integer_type(const std::string& type) {
  if (type.size() < 4) return {};
  const bool ordered = std::string_view("<>=|").find(type[1]) != std::string_view::npos;
  const char kind = ordered ? type[2] : type[1];
  if (kind != 'i' && kind != 'u') return {};
  return {kind, type[1] == '>'};
}

}  // namespace

ArrayInput ArrayInput::npy(const std::string& path, std::uint64_t memory_bytes_max) {
  InputFile input = InputFile::open(path);
  ArrayInput array;
  array.name_ = input.name();
  array.mapped_ = input.is_mappable();
  if (array.mapped_) {
    array.mapping_ = input.map();
    const std::span<const std::byte> all = array.mapping_.bytes();
    array.header_ = parse_npy_header(all, array.name_);
    array.data_ = all.subspan(npy_data_offset(all, array.name_));
    check_length(array.name_, array.header_, array.data_.size(), "");
    return array;
  }
  std::vector<std::byte> start(npy_preamble_bytes);
  start.resize(input.read_full(start));
  const std::size_t offset = npy_data_offset(start, array.name_);
  // Every header is longer than the preamble, else it could hold no dictionary; parsing says so.
  const std::size_t have = start.size();
  start.resize(std::max(offset, have));
  start.resize(have + input.read_full(std::span(start).subspan(have)));
  array.header_ = parse_npy_header(start, array.name_);
  if (array.header_.data_bytes() > memory_bytes_max)
    refuse_memory(array.name_, fmt::format("{} bytes", array.header_.data_bytes()),
                  memory_bytes_max);
  array.memory_ = read_stream(input, array.header_.data_bytes());
  array.data_ = array.memory_;
  check_length(array.name_, array.header_, array.data_.size(), "at least ");
  return array;
}

ArrayInput ArrayInput::raw(const std::string& path, std::uint64_t element_bytes,
                           std::uint64_t memory_bytes_max) {
  FARO_CHECK(element_bytes > 0);
  InputFile input = InputFile::open(path);
  ArrayInput array;
  array.name_ = input.name();
  array.mapped_ = input.is_mappable();
  if (array.mapped_) {
    array.mapping_ = input.map();
    array.data_ = array.mapping_.bytes();
  } else {
    array.memory_ = read_stream(input, std::min(memory_bytes_max, limits::npy_bytes_max));
    if (array.memory_.size() > memory_bytes_max)
      refuse_memory(array.name_, fmt::format("more than {} bytes", memory_bytes_max),
                    memory_bytes_max);
    array.data_ = array.memory_;
  }
  if (array.data_.size() % element_bytes != 0)
    refuse(array.name_, fmt::format("{} bytes are no whole number of elements of {} bytes",
                                    array.data_.size(), element_bytes));
  array.header_.element_bytes = element_bytes;
  array.header_.shape = {array.data_.size() / element_bytes};
  return array;
}

ArrayOutput::ArrayOutput(const std::string& path, const NpyHeader& header) : file_(path) {
  const std::string start = header.type.empty() ? "" : npy_header_bytes(header);
  file_.reserve(header.data_bytes() + start.size());
  mapping_ = file_.map();
  mapping_.prefault();
  const std::span<std::byte> all = mapping_.writable();
  std::copy_n(std::as_bytes(std::span(start)).begin(), start.size(), all.begin());
  data_ = all.subspan(start.size());
}

void ArrayOutput::commit(Replacement::Durability durability) {
  mapping_ = Mapping();
  data_ = {};
  file_.commit(durability);
}

std::uint64_t stored_index(const NpyHeader& header, std::uint64_t logical) {
  if (header.order == NpyHeader::Order::c) return logical;
  std::uint64_t position = 0;
  std::uint64_t stride = 1;
  for (const std::uint64_t side : header.shape) stride *= side;
  for (std::size_t axis = header.shape.size(); axis-- > 0;) {
    stride /= header.shape[axis];
    position += (logical % header.shape[axis]) * stride;
    logical /= header.shape[axis];
  }
  return position;
}

std::vector<std::uint64_t> read_whole_numbers(const ArrayInput& array, std::uint64_t count_max) {
  const NpyHeader& header = array.header();
  const IntegerType type = integer_type(header.type);
  if (type.kind == 0)
    refuse(array.name(), fmt::format("wanted integers, found elements of type {}",
                                     header.type.empty() ? "'raw'" : header.type.substr(0, 60)));
  const std::uint64_t count = header.elements();
  if (count > count_max)
    throw Error(ErrorCode::limit,
                fmt::format("{}: {} numbers; at most {} are read", array.name(), count, count_max));
  const auto width = static_cast<std::size_t>(header.element_bytes);
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = stored_index(header, i);
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < width; ++b) {
      const std::size_t place = type.big_endian ? b : width - 1 - b;
      value = (value << 8U) | std::to_integer<std::uint64_t>(array.data()[at * width + place]);
    }
    if (type.kind == 'i' && (value >> (8 * width - 1)) != 0)
      refuse(array.name(), fmt::format("element {} is negative", i));
    numbers[i] = value;
  }
  return numbers;
}

}  // namespace faro::inline v1
