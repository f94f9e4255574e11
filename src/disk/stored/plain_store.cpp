#include "disk/stored/plain_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "disk/box_runs.hpp"
#include "disk/request.hpp"
#include "disk/stored/unit_codec.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1::disk {
namespace {

// A block's multiple, so that the data can be written directly.
constexpr std::size_t header_bytes = 4096;
// Of a file in Fortran order that is cut: a unit, and a row of it at least.
constexpr std::uint64_t column_unit_bytes = std::uint64_t{4} << 20U;
constexpr std::uint64_t column_row_bytes = 512;

std::string header_of(const ArrayForm& form) {
  if (form.format != ArrayForm::Format::npy) return "";
  NpyHeader header = npy_header(numpy_code(form.type, form.big), form.shape);
  if (!form.order.empty()) header.order = NpyHeader::Order::fortran;
  return npy_header_bytes(header, header_bytes);
}

std::string stamp_of(files::PosixFile& file) {
  const FileIdentity known = identity_of(file);
  return fmt::format("file {} {} {} {} {:08x}", known.size_bytes, known.changed_nanoseconds,
                     known.inode, known.device, known.samples_crc32c);
}

std::unique_ptr<files::PosixFile> opened(const std::string& path, FileAccess access) {
  return std::make_unique<files::PosixFile>(path, RandomFileOptions{.access = access});
}

std::unique_ptr<PlainStore> open_plain(ArrayForm form, std::unique_ptr<files::PosixFile> file,
                                       std::uint64_t start_byte) {
  check_form(form);
  const std::uint64_t size = file->size_bytes();
  if (size < start_byte || size - start_byte != form.data_bytes())
    throw Error(ErrorCode::usage,
                fmt::format("{}: has {} bytes from byte {} on; {} of {} take {}", file->name(),
                            size < start_byte ? 0 : size - start_byte, start_byte,
                            fmt::join(form.shape, " x "), form.type.name, form.data_bytes()));
  std::string stamp = stamp_of(*file);
  return std::make_unique<PlainStore>(std::move(form), std::move(file), start_byte,
                                      std::move(stamp));
}

ArrayForm plain_form(ArrayForm::Format format, std::vector<std::uint64_t> shape, OrderedType type) {
  ArrayForm form;
  form.format = format;
  form.shape = std::move(shape);
  form.chunks = form.shape;
  form.type = std::move(type.type);
  form.big = type.big && form.type.word_bytes > 1;
  form.fill.resize(form.type.bytes);
  return form;
}

}  // namespace

PlainStore::PlainStore(ArrayForm form, std::unique_ptr<RandomFile> file, std::uint64_t start_byte,
                       std::string stamp)
    : form_(std::move(form)),
      grid_(form_.grid()),
      description_(description_of(form_)),
      file_(std::move(file)),
      start_byte_(start_byte),
      stamp_(std::move(stamp)),
      turned_bytes_(form_.big ? form_.type.word_bytes : 1) {}

std::string PlainStore::identity() const {
  auto* const file = dynamic_cast<files::PosixFile*>(file_.get());
  return file == nullptr ? stamp_ : stamp_of(*file);
}

// As much of the file's runs as a unit holds, but rows of C order that are worth summing too.
void PlainStore::cut_into_units() {
  if (form_.order.empty() || form_.data_bytes() == 0) return;
  const std::uint64_t element = grid_.element_bytes;
  const std::size_t slowest = form_.order.front();
  const auto part_of = [&](std::size_t axis, std::uint64_t bytes) {
    return std::clamp<std::uint64_t>(bytes, 1, form_.shape[axis]);
  };
  const std::uint64_t row = part_of(slowest, column_row_bytes / element);
  std::uint64_t rest = column_unit_bytes / element / row;
  for (std::size_t i = form_.order.size(); i-- > 1; rest /= grid_.chunks[form_.order[i]])
    grid_.chunks[form_.order[i]] = part_of(form_.order[i], rest);
  grid_.chunks[slowest] = part_of(slowest, row * rest);
  grid_.encoding = StoredGrid::Encoding::unit;
  grid_.order.clear();
  grid_.reading_bytes = element;
  for (const std::uint64_t n : grid_.chunks) grid_.reading_bytes *= n;
}

// Of an array that is cut: what the unit has of each run, turned into C order.
StoredArray::Found PlainStore::read_unit(UnitIndex index, std::span<std::byte> unit) {
  if (grid_.encoding == StoredGrid::Encoding::run) {
    read_run(0, unit);
    return Found::present;
  }
  const std::size_t axes = index.size();
  const std::uint64_t element = grid_.element_bytes;
  Box where(axes);   // by the array's axes
  Box stored(axes);  // as they lie
  std::vector<std::uint64_t> lengths(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t a = form_.order[i];
    const std::uint64_t begin = index[a] * grid_.chunks[a];
    stored[i] = where[a] = {begin, std::min(form_.shape[a], begin + grid_.chunks[a])};
    lengths[i] = form_.shape[a];
  }
  const auto held_lengths = lengths_of(stored);
  std::vector<std::byte> held(elements_of(stored) * element);
  for_each_piece(stored, lengths, element, held.size(), [&](const Box& piece) {
    read_run(byte_of(piece, lengths, nullptr, element),
             std::span(held).subspan(byte_of(piece, held_lengths, &stored, element),
                                     elements_of(piece) * element));
  });
  const auto strides = c_strides(held_lengths, element);
  BoxCell from{.base = held.data(), .where = where, .stride = std::vector<std::int64_t>(axes)};
  for (std::size_t i = 0; i < axes; ++i) from.stride[form_.order[i]] = strides[i];
  BoxCopier(element).copy(
      from, {.base = unit.data(), .where = where, .stride = c_strides(grid_.chunks, element)},
      where);
  return Found::present;
}

void PlainStore::read_run(std::uint64_t first_byte, std::span<std::byte> into) {
  FARO_CHECK(first_byte <= form_.data_bytes() && into.size() <= form_.data_bytes() - first_byte);
  if (into.empty()) return;
  if (turned_bytes_ == 1) return file_->read(start_byte_ + first_byte, into);
  // Whole words, of which the run may be a part at either end.
  const std::uint64_t before = first_byte % turned_bytes_;
  const std::uint64_t bytes = parts_of(before + into.size(), turned_bytes_) * turned_bytes_;
  if (before == 0 && bytes == into.size()) {
    file_->read(start_byte_ + first_byte, into);
    return turn_words(into, turned_bytes_);
  }
  std::vector<std::byte> words(bytes);
  file_->read(start_byte_ + first_byte - before, words);
  turn_words(words, turned_bytes_);
  std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(before), into.size(), into.begin());
}

void PlainStore::write_run(std::uint64_t first_byte, std::span<const std::byte> from) {
  FARO_CHECK(first_byte <= form_.data_bytes() && from.size() <= form_.data_bytes() - first_byte &&
             turned_bytes_ == 1);
  if (!from.empty()) file_->write(start_byte_ + first_byte, from);
}

std::unique_ptr<StoredFile> PlainStore::begin_file(UnitIndex /*index*/) {
  throw InternalError("a plain file is written in runs");
}
void PlainStore::finish(std::span<const std::unique_ptr<StoredFile>> files) {
  FARO_CHECK(files.empty());
}
void PlainStore::sync() {
  file_->sync();
}

void PlainStore::complete() {
  file_->sync();
  const std::string header = header_of(form_);
  if (header.empty()) return;
  file_->write(0, std::as_bytes(std::span(header)));
  file_->sync();
}

std::unique_ptr<PlainStore> open_npy(const std::string& path) {
  auto file = opened(path, FileAccess::read);
  const std::uint64_t size = file->size_bytes();
  std::vector<std::byte> start(std::min<std::uint64_t>(size, npy_preamble_bytes));
  file->read(0, start);
  const std::size_t data = npy_data_offset(start, path);
  start.resize(std::min<std::uint64_t>(size, data));
  file->read(0, start);
  NpyHeader header = parse_npy_header(start, path);
  if (header.type.size() < 2 || header.type.front() != '\'')
    throw Error(
        ErrorCode::impossible,
        fmt::format("{}: a structure as data type, {}, is not known here", path, header.type));
  OrderedType type;
  try {
    type = type_of_numpy(std::string_view(header.type).substr(1, header.type.size() - 2));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
  ArrayForm form = plain_form(ArrayForm::Format::npy, std::move(header.shape), std::move(type));
  if (header.order == NpyHeader::Order::fortran) set_order(form, ArrayOrder::fortran);
  return open_plain(std::move(form), std::move(file), data);
}

std::unique_ptr<PlainStore> open_raw(const std::string& path, const RawArray& raw) {
  OrderedType type = raw.data_type.find_first_of("<>|") == 0
                         ? type_of_numpy(raw.data_type)
                         : OrderedType{type_named(raw.data_type)};
  ArrayForm form = plain_form(ArrayForm::Format::raw, raw.shape, std::move(type));
  set_order(form, raw.order);
  return open_plain(std::move(form), opened(path, FileAccess::read), raw.start_byte);
}

std::unique_ptr<PlainStore> create_plain(const std::string& path, ArrayForm form,
                                         FileAccess access) {
  form.big = false;
  const std::uint64_t start_byte = header_of(form).size();
  auto file = opened(path, access);
  file->reserve(start_byte + form.data_bytes());
  return std::make_unique<PlainStore>(std::move(form), std::move(file), start_byte, path);
}

}  // namespace faro::inline v1::disk
