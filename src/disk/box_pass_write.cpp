// The writing half of a pass.
#include <algorithm>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "disk/box_pass.hpp"
#include "disk/box_runs.hpp"

namespace faro::inline v1::disk {

Digest PassAtWork::write(HeldTile& tile) {
  if (!last_) {
    write_between(tile);
    return {};
  }
  return plain_to_ ? write_runs(tile) : write_files(tile);
}

bool PassAtWork::gather(const HeldTile& tile, const BoxCells& held, const BoxCell& to,
                        const Box& box) {
  bool present = false;
  for_each_index(held.meeting(box), [&](const std::vector<std::uint64_t>& index) {
    const BoxCell cell = held.cell(index, cell_bytes(tile, held, index).data());
    present = present || tile.marks[mark_of(held, index)] == 0;
    copier_.copy(cell, to, common_box(box, held.where(index)));
  });
  return present;
}

Digest PassAtWork::write_runs(HeldTile& tile) {
  const BoxCells held = held_cells(tile.box);
  const bool direct = pass_.order == TileOrder::write;
  const auto lengths = lengths_of(tile.box);
  const int threads = direct ? options_.io_threads : pass_.writers;
  std::vector<Digest> shares(static_cast<std::size_t>(threads));
  std::vector<Box> some;
  const auto flush = [&] {
    in_parallel(threads, some.size(), [&](std::uint64_t i, int worker) {
      const Box& piece = some[i];
      const std::uint64_t size = elements_of(piece) * element_;
      std::span<std::byte> bytes;
      if (direct) {
        bytes = tile.bytes.subspan(byte_of(piece, lengths, &tile.box, element_), size);
      } else {
        bytes = write_buffers_[static_cast<std::size_t>(worker)]->first(size);
        gather(tile, held,
               {.base = bytes.data(),
                .where = piece,
                .stride = c_strides(lengths_of(piece), element_)},
               piece);
      }
      const std::uint64_t at = byte_of(piece, grids_.shape, nullptr, element_);
      Digest& share = shares[static_cast<std::size_t>(worker)];
      if (plain_order_)
        share.run(at, bytes);
      else
        add_digest(share,
                   {.base = bytes.data(),
                    .where = piece,
                    .stride = c_strides(lengths_of(piece), element_)},
                   piece);
      to_.write_run(at, bytes);
      ++writes_;
    });
    some.clear();
  };
  constexpr std::size_t at_once = 1024;
  for_each_piece(tile.box, grids_.shape, element_, run_piece_bytes, [&](const Box& piece) {
    some.push_back(piece);
    if (some.size() == at_once) flush();
  });
  flush();
  Digest total;
  for (const Digest& share : shares) total.add(share);
  return total;
}

// A file's units one after another, files side by side.
Digest PassAtWork::write_files(HeldTile& tile) {
  std::vector<std::vector<std::uint64_t>> files;
  Box range(tile.box.size());
  for (std::size_t k = 0; k < range.size(); ++k) range[k] = grids_.files_to[k].meeting(tile.box[k]);
  std::uint64_t count = 1;
  for (const Interval& axis : range) count *= axis.length();
  std::vector<Digest> shares(static_cast<std::size_t>(pass_.writers));
  in_parallel(pass_.writers, count, [&](std::uint64_t i, int worker) {
    std::vector<std::uint64_t> file(range.size());
    for (std::size_t k = range.size(); k-- > 0; i /= range[k].length())
      file[k] = range[k].begin + (i % range[k].length());
    write_file_of(tile, file, worker, shares[static_cast<std::size_t>(worker)]);
  });
  Digest total;
  for (const Digest& share : shares) total.add(share);
  return total;
}

void PassAtWork::write_file_of(HeldTile& tile, const std::vector<std::uint64_t>& file, int worker,
                               Digest& share) {
  const Box of_file = box_of(grids_.files_to, file);
  const Box box = common_box(of_file, tile.box);
  StoredFile* open = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& entry = open_[file];
    if (!entry) entry = to_.begin_file(file);
    open = entry.get();
  }
  const BoxCells units(grids_, BoxCells::Kind::units_to, grids_.units_to, box, element_);
  const BoxCells held = held_cells(tile.box);
  for (std::uint64_t i = 0; i < units.count(); ++i) {
    const auto index = units.index(i);
    std::span<std::byte> bytes;
    bool present = true;
    if (pass_.order == TileOrder::write) {
      bytes = cell_bytes(tile, held, index);
      present = tile.marks[mark_of(held, index)] != 0;
    } else {
      bytes = write_buffers_[static_cast<std::size_t>(worker)]->first(chunk_bytes_);
      const BoxCell cell = units.cell(index, bytes.data());
      if (elements_of(cell.where) * element_ != chunk_bytes_) fill_elements(bytes, to_.fill());
      present = gather(tile, held, cell, cell.where);
    }
    const Box where = box_of(grids_.units_to, index);
    if (!present && same_fill_) {
      add_constant(share, where, to_.fill());
      continue;
    }
    std::vector<std::uint64_t> start;
    for (const Interval& axis : where) start.push_back(axis.begin);
    share.box(
        {.shape = shape_, .start = start, .extent = lengths_of(where), .element_bytes = element_},
        bytes, grids_.nominal_to);
    open->append(index, bytes);
  }
  ++writes_;
  if (of_file != box) return;  // more of it comes with other tiles of this job
  open->seal();
  const std::lock_guard lock(mutex_);
  sealed_.push_back(std::move(open_[file]));
  open_.erase(file);
}

void PassAtWork::write_between(HeldTile& tile) {
  const std::uint64_t number = number_of(pass_.tile, tile.index);
  between_ = storage_.make(tile_name(number_, number));
  ++writes_;
  if (pass_.order == TileOrder::write) {
    const std::uint64_t bytes = elements_of(tile.box) * element_;
    constexpr std::uint64_t request = std::uint64_t{8} << 20U;
    for (std::uint64_t at = 0; at < bytes; at += request)
      between_->write(at, tile.bytes.subspan(at, std::min(request, bytes - at)));
    return;
  }
  const BoxCells held = held_cells(tile.box);
  const BoxCells meets = write_cells(tile.box);
  const std::span<std::byte> buffer = write_buffers_[0]->first(pass_.write_buffer_bytes);
  // Meets are short where their number is large: as many as the buffer holds go out at once.
  std::uint64_t begin = 0;
  std::uint64_t filled = 0;
  const auto flush = [&] {
    if (filled != 0) between_->write(begin, buffer.first(filled));
    begin += filled;
    filled = 0;
  };
  for (std::uint64_t i = 0; i < meets.count(); ++i) {
    const Box where = meets.where(meets.index(i));
    for_each_piece(where, lengths_of(where), element_, buffer.size(), [&](const Box& piece) {
      const std::uint64_t bytes = elements_of(piece) * element_;
      if (filled + bytes > buffer.size()) flush();
      gather(tile, held,
             {.base = buffer.data() + filled,
              .where = piece,
              .stride = c_strides(lengths_of(piece), element_)},
             piece);
      filled += bytes;
    });
  }
  flush();
}

std::uint64_t PassAtWork::finish_job(std::uint64_t job) {
  if (options_.before_names) options_.before_names();
  if (!last_) {
    storage_.give_name(*between_, tile_name(number_, job));
    between_.reset();
    return 0;
  }
  if (plain_to_) {
    to_.sync();
    return 0;
  }
  for (auto& [file, open] : open_) {
    open->seal();
    sealed_.push_back(std::move(open));
  }
  open_.clear();
  const auto files = std::count_if(sealed_.begin(), sealed_.end(),
                                   [](const auto& file) { return !file->is_empty(); });
  to_.finish(sealed_);
  sealed_.clear();
  return static_cast<std::uint64_t>(files);
}

}  // namespace faro::inline v1::disk
