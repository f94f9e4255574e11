#include "disk/zarr_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "files/words.hpp"
#include "layouts/foreign.hpp"

namespace faro::inline v1::disk {
namespace {

using Lengths = std::vector<std::uint64_t>;

void check_powers(const ArrayForm& form, const std::string& name) {
  const auto cannot = [&](const std::string& what) {
    throw Error(ErrorCode::impossible, fmt::format("{}: {}", name, what));
  };
  if (form.shape.empty()) cannot("an array of no axes is not permuted");
  int width = 0;
  for (std::size_t k = 0; k < form.shape.size(); ++k) {
    const std::uint64_t file = form.file_shape()[k];
    for (const std::uint64_t length : {form.shape[k], file, form.chunks[k]})
      if (!is_power_of_two(length))
        cannot(
            fmt::format("axis {} of {} in files of {} and chunks of {}: each must be a power of "
                        "two; 'faro rechunk' takes any",
                        k, form.shape[k], file, form.chunks[k]));
    if (file > form.shape[k])
      cannot(
          fmt::format("axis {} of {} in files of {} and chunks of {}: the last is ragged; 'faro "
                      "rechunk' takes it",
                      k, form.shape[k], file, form.chunks[k]));
    width += log2_exact(form.shape[k]);
  }
  if (width > limits::array_log2_max)
    throw Error(ErrorCode::limit, fmt::format("{}: the array has more than 2^62 bytes", name));
}

Lengths digits_of(std::uint64_t number, const Lengths& whole, const Lengths& parts) {
  Lengths digits(whole.size());
  for (std::size_t k = whole.size(); k-- > 0;) {
    const std::uint64_t count = whole[k] / parts[k];
    digits[k] = number % count;
    number /= count;
  }
  return digits;
}

}  // namespace

ZarrFile::ZarrFile(std::unique_ptr<ZarrStore> store, std::shared_ptr<files::PosixFolder> folder)
    : store_(std::move(store)),
      folder_(std::move(folder)),
      chunk_bytes_(form().chunk_bytes()),
      file_bytes_(form().type.bytes) {
  check_powers(form(), name());
  for (const std::uint64_t length : form().file_shape()) file_bytes_ *= length;
  chunks_of_file_ = file_bytes_ / chunk_bytes_;
}

BitMap ZarrFile::layout() const {
  const auto grid = [](const Lengths& whole, const Lengths& parts) {
    return read_foreign(fmt::format("zarr:shape=({}), chunks=({})", fmt::join(whole, ","),
                                    fmt::join(parts, ",")))
        .notation.map;
  };
  const BitMap files = grid(form().shape, form().file_shape());
  if (form().shards.empty()) return files;
  const BitMap within = grid(form().file_shape(), form().chunks);
  return then(files, beside(BitMap::identity(files.width() - within.width()), within));
}

std::uint64_t ZarrFile::read_memory(int callers) const {
  const std::uint64_t reading = store_->grid().reading_bytes;
  // Of a piece the whole chunk.
  return store_->is_plain()
             ? reading
             : static_cast<std::uint64_t>(std::max(callers, 1)) * (reading + chunk_bytes_);
}

std::uint64_t ZarrFile::write_memory(int callers) const {
  const std::uint64_t writing = store_->grid().writing_bytes;
  return store_->is_plain() ? writing : static_cast<std::uint64_t>(std::max(callers, 1)) * writing;
}

void ZarrFile::reserve(std::uint64_t bytes) {
  FARO_CHECK(bytes == form().data_bytes());
  // How much encoded chunks take is known when they are written.
  if (!store_->is_plain() || bytes <= folder_->free_bytes()) return;
  // Of a run that is gone on with, part is there already.
  if (folder_->size_bytes(form().key(file_at(0)))) return;
  throw Error(ErrorCode::environment,
              fmt::format("{}: the disk has no room for it: it needs {}, and {} are free", name(),
                          files::size_text(bytes), files::size_text(folder_->free_bytes())));
}

Lengths ZarrFile::file_at(std::uint64_t number) const {
  return digits_of(number, form().shape, form().file_shape());
}

Lengths ZarrFile::unit_at(std::uint64_t chunk) const {
  Lengths unit = file_at(chunk / chunks_of_file_);
  const Lengths within = digits_of(chunk % chunks_of_file_, form().file_shape(), form().chunks);
  for (std::size_t k = 0; k < unit.size(); ++k)
    unit[k] = unit[k] * (form().file_shape()[k] / form().chunks[k]) + within[k];
  return unit;
}

void ZarrFile::read_piece(std::uint64_t chunk, std::uint64_t within, std::span<std::byte> into) {
  const Lengths unit = unit_at(chunk);
  const auto fill = [&](std::span<std::byte> bytes) {
    const std::span<const std::byte> element = store_->fill();
    FARO_CHECK(within % element.size() == 0);
    for (std::size_t at = 0; at < bytes.size(); at += element.size())
      std::memcpy(bytes.data() + at, element.data(), std::min(element.size(), bytes.size() - at));
  };
  if (store_->is_plain()) {
    if (store_->read_piece(unit, within, into) == StoredArray::Found::absent) fill(into);
    return;
  }
  if (into.size() == chunk_bytes_) {
    if (store_->read_unit(unit, into) == StoredArray::Found::absent) fill(into);
    return;
  }
  std::vector<std::byte> whole(chunk_bytes_);
  if (store_->read_unit(unit, whole) == StoredArray::Found::absent) fill(whole);
  std::memcpy(into.data(), whole.data() + within, into.size());
}

void ZarrFile::read(std::uint64_t offset, std::span<std::byte> into) {
  FARO_CHECK(offset <= size_bytes() && into.size() <= size_bytes() - offset);
  while (!into.empty()) {
    const std::uint64_t within = offset % chunk_bytes_;
    const std::uint64_t bytes = std::min<std::uint64_t>(into.size(), chunk_bytes_ - within);
    read_piece(offset / chunk_bytes_, within, into.first(bytes));
    offset += bytes;
    into = into.subspan(bytes);
  }
}

void ZarrFile::write_plain(std::uint64_t file, std::uint64_t within,
                           std::span<const std::byte> from) {
  const std::string key = form().key(file_at(file));
  if (form().shards.empty()) return folder_->write(key, within, from, file_bytes_);
  const ShardForm& shard = form().shards.front();
  const std::uint64_t listed = index_bytes(shard, chunks_of_file_);
  const std::uint64_t start = shard.index_first ? listed : 0;
  // Every piece of a shard is written once; the one at its beginning brings the index.
  if (within == 0) {
    ShardIndex index(chunks_of_file_);
    for (std::uint64_t i = 0; i < chunks_of_file_; ++i)
      index[i] = {start + (i * chunk_bytes_), chunk_bytes_};
    folder_->write(key, shard.index_first ? 0 : file_bytes_, index_content(index, shard),
                   file_bytes_ + listed);
  }
  folder_->write(key, start + within, from, file_bytes_ + listed);
}

void ZarrFile::write_encoded(std::uint64_t file, std::span<const std::byte> from) {
  const auto part = store_->begin_file(file_at(file));
  for (std::uint64_t i = 0; i < chunks_of_file_; ++i)
    part->append(unit_at(file * chunks_of_file_ + i), from.subspan(i * chunk_bytes_, chunk_bytes_));
  store_->give_name(*part);
}

void ZarrFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  FARO_CHECK(offset <= size_bytes() && from.size() <= size_bytes() - offset);
  const std::uint64_t unit = write_unit_bytes();
  FARO_CHECK(offset % unit == 0 && from.size() % unit == 0);
  while (!from.empty()) {
    const std::uint64_t within = offset % file_bytes_;
    const std::uint64_t bytes = std::min<std::uint64_t>(from.size(), file_bytes_ - within);
    if (store_->is_plain())
      write_plain(offset / file_bytes_, within, from.first(bytes));
    else
      write_encoded(offset / file_bytes_, from.first(bytes));
    offset += bytes;
    from = from.subspan(bytes);
  }
}

}  // namespace faro::inline v1::disk
