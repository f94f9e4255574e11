#include "disk/box_pass.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "disk/box_runs.hpp"

namespace faro::inline v1::disk {
namespace {

// Rows of a digest whose elements are gathered.
constexpr std::uint64_t gathered_bytes = 4096;
// Elements of a row below which a column is cheaper: two products an element beside a row's five.
constexpr std::uint64_t short_row = 8;

std::unique_ptr<TileBuffer> buffer_of(std::uint64_t bytes, std::uint64_t& total) {
  total += bytes;
  return std::make_unique<TileBuffer>(std::max<std::uint64_t>(bytes, 1));
}

std::uint64_t bytes_of_unit(const StoredGrid& grid) {
  std::uint64_t bytes = grid.element_bytes;
  for (const std::uint64_t n : grid.chunks) bytes *= n;
  return bytes;
}

}  // namespace

PassAtWork::PassAtWork(const BoxPlan& plan, std::size_t pass, StoredArray& from, StoredArray& to,
                       BoxStorage& storage, const BoxRunOptions& options)
    : plan_(plan),
      grids_(plan.grids()),
      pass_(plan.facts().passes[pass]),
      number_(pass),
      first_(pass == 0),
      last_(pass + 1 == plan.facts().passes.size()),
      plain_from_(plan.problem().from.encoding == StoredGrid::Encoding::run),
      plain_to_(plan.problem().to.encoding == StoredGrid::Encoding::run),
      plain_order_(std::is_sorted(grids_.order_to.begin(), grids_.order_to.end())),
      same_order_(plain_order_ && std::is_sorted(grids_.axes.begin(), grids_.axes.end()) &&
                  std::none_of(grids_.reversed.begin(), grids_.reversed.end(),
                               [](bool reversed) { return reversed; })),
      same_fill_(
          std::equal(from.fill().begin(), from.fill().end(), to.fill().begin(), to.fill().end())),
      shape_(plan.problem().to.shape),
      element_(plan.problem().to.element_bytes),
      from_(from),
      to_(to),
      storage_(storage),
      options_(options),
      copier_(element_) {
  const auto& problem = plan.problem();
  unit_bytes_ = plain_from_ ? 0 : bytes_of_unit(problem.from);
  chunk_bytes_ = plain_to_ ? 0 : bytes_of_unit(problem.to);
  for (int i = 0; i < plan.facts().tiles_at_once; ++i)
    tiles_.push_back(buffer_of(pass_.tile_bytes, buffer_bytes_));
  // The store's own part of a buffer is the store's.
  const std::uint64_t store_reads = first_ && !plain_from_ ? problem.from.reading_bytes : 0;
  const std::uint64_t store_writes = last_ && !plain_to_ ? problem.to.writing_bytes : 0;
  buffer_bytes_ += store_reads * static_cast<std::uint64_t>(pass_.readers) +
                   store_writes * static_cast<std::uint64_t>(pass_.writers) + pass_.index_bytes;
  for (int i = 0; i < pass_.readers; ++i)
    read_buffers_.push_back(buffer_of(pass_.read_buffer_bytes - store_reads, buffer_bytes_));
  for (int i = 0; i < pass_.writers; ++i)
    write_buffers_.push_back(buffer_of(pass_.write_buffer_bytes - store_writes, buffer_bytes_));
  if (pass_.kept_bytes == 0) return;
  pool_ = buffer_of(pass_.kept_bytes, buffer_bytes_);
  for (std::size_t i = 0; i < pass_.kept_bytes / unit_bytes_; ++i) free_slots_.push_back(i);
}

std::span<std::byte> PassAtWork::tile_buffer(std::size_t i) const {
  return tiles_[i]->first(pass_.tile_bytes);
}

BoxCells PassAtWork::read_cells(const Box& tile) const {
  if (!first_)
    return {grids_, BoxCells::Kind::meets, plan_.facts().passes[number_ - 1].tile, tile, element_};
  return {grids_, plain_from_ ? BoxCells::Kind::whole_from : BoxCells::Kind::units_from,
          grids_.units_from, tile, element_};
}

BoxCells PassAtWork::write_cells(const Box& tile) const {
  if (!last_)
    return {grids_, BoxCells::Kind::meets, plan_.facts().passes[number_ + 1].tile, tile, element_};
  return {grids_, plain_to_ ? BoxCells::Kind::whole_to : BoxCells::Kind::units_to, grids_.units_to,
          tile, element_};
}

BoxCells PassAtWork::held_cells(const Box& tile) const {
  return pass_.order == TileOrder::read ? read_cells(tile) : write_cells(tile);
}

std::span<std::byte> PassAtWork::cell_bytes(const HeldTile& tile, const BoxCells& held,
                                            const std::vector<std::uint64_t>& index) const {
  const std::uint64_t offset = held.offset(index);
  const std::uint64_t bytes = held.bytes(index);
  FARO_CHECK(offset + bytes <= tile.bytes.size());
  return tile.bytes.subspan(offset, bytes);
}

std::size_t PassAtWork::mark_of(const BoxCells& held,
                                const std::vector<std::uint64_t>& index) const {
  const Box range = held.meeting(held.tile());
  std::size_t mark = 0;
  for (std::size_t k = 0; k < index.size(); ++k)
    mark = (mark * range[k].length()) + (index[k] - range[k].begin);
  return mark;
}

// --- reading

void PassAtWork::read(HeldTile& tile, bool begins_row) {
  const BoxCells held = held_cells(tile.box);
  tile.marks = std::vector<std::atomic<std::uint8_t>>(held.count());
  tile.read = Digest();
  if (pass_.order == TileOrder::write && last_ && !plain_to_) prepare_units(tile, held);
  if (!first_)
    read_meets(tile);
  else if (plain_from_)
    read_runs(tile);
  else if (pass_.order == TileOrder::read)
    read_units_in_place(tile, held);
  else
    read_units(tile, begins_row);
}

// What hangs over the array's end is fill.
void PassAtWork::prepare_units(HeldTile& tile, const BoxCells& held) {
  for (std::uint64_t i = 0; i < held.count(); ++i) {
    const auto index = held.index(i);
    bool ragged = false;
    const Box box = box_of(grids_.units_to, index);
    for (std::size_t k = 0; k < box.size(); ++k)
      ragged = ragged || box[k].length() != grids_.nominal_to[k];
    if (ragged) fill_elements(cell_bytes(tile, held, index), to_.fill());
  }
}

// Runs come as they lie in the file; the tile lies in the file's order of axes.
void PassAtWork::read_runs(HeldTile& tile) {
  const std::size_t axes = tile.box.size();
  Box box(axes);
  std::vector<std::uint64_t> lengths(axes);
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t a = grids_.axes[k];
    const std::uint64_t n = lengths[a] = grids_.shape[k];
    box[a] =
        grids_.reversed[k] ? Interval{n - tile.box[k].end, n - tile.box[k].begin} : tile.box[k];
  }
  const auto held = lengths_of(box);
  std::vector<Box> some;
  const auto flush = [&] {
    in_parallel(options_.io_threads, some.size(), [&](std::uint64_t i, int) {
      const std::uint64_t bytes = elements_of(some[i]) * element_;
      from_.read_run(byte_of(some[i], lengths, nullptr, element_),
                     tile.bytes.subspan(byte_of(some[i], held, &box, element_), bytes));
      ++reads_;
      bytes_read_ += bytes;
    });
    some.clear();
  };
  constexpr std::size_t at_once = 1024;
  for_each_piece(box, lengths, element_, run_piece_bytes, [&](const Box& piece) {
    some.push_back(piece);
    if (some.size() == at_once) flush();
  });
  flush();
  const BoxCells cells = read_cells(tile.box);
  const BoxCell cell = cells.cell(std::vector<std::uint64_t>(axes, 0), tile.bytes.data());
  add_digest(tile.read, cell, tile.box);
}

bool PassAtWork::fetch_unit(const std::vector<std::uint64_t>& index, std::span<std::byte> into) {
  std::vector<std::uint64_t> unit(index.size());
  for (std::size_t k = 0; k < index.size(); ++k)
    unit[grids_.axes[k]] =
        grids_.reversed[k] ? grids_.units_from[k].count() - 1 - index[k] : index[k];
  ++reads_;
  bytes_read_ += elements_of(box_of(grids_.units_from, index)) * element_;
  return from_.read_unit(unit, into) == StoredArray::Found::present;
}

void PassAtWork::read_units_in_place(HeldTile& tile, const BoxCells& cells) {
  std::vector<Digest> shares(static_cast<std::size_t>(pass_.readers));
  in_parallel(pass_.readers, cells.count(), [&](std::uint64_t i, int worker) {
    const auto index = cells.index(i);
    const auto bytes = cell_bytes(tile, cells, index);
    const BoxCell cell = cells.cell(index, bytes.data());
    Digest& share = shares[static_cast<std::size_t>(worker)];
    if (fetch_unit(index, bytes)) return add_digest(share, cell, cell.where);
    tile.marks[i] = 1;
    copier_.fill(cell, cell.where, from_.fill());
    add_constant(share, cell.where, from_.fill());
  });
  for (const Digest& share : shares) tile.read.add(share);
}

// What the tile has of a unit, to the cells that are written.
void PassAtWork::take_unit(HeldTile& tile, const BoxCells& held, const BoxCell& unit, bool absent,
                           Digest& share) {
  const Box box = common_box(unit.where, tile.box);
  absent ? add_constant(share, box, from_.fill()) : add_digest(share, unit, box);
  for_each_index(held.meeting(box), [&](const std::vector<std::uint64_t>& index) {
    const BoxCell cell = held.cell(index, cell_bytes(tile, held, index).data());
    const Box both = common_box(box, held.where(index));
    if (absent) return copier_.fill(cell, both, from_.fill());
    tile.marks[mark_of(held, index)] = 1;
    copier_.copy(unit, cell, both);
  });
}

void PassAtWork::read_units(HeldTile& tile, bool begins_row) {
  const BoxCells cells = read_cells(tile.box);
  const BoxCells held = held_cells(tile.box);
  std::vector<Digest> shares(static_cast<std::size_t>(pass_.readers));
  const auto unit_box = [&](const auto& index) { return box_of(grids_.units_from, index); };
  const auto stays = [&](const auto& index) {
    return pool_ && unit_box(index)[*pass_.walked].end > tile.box[*pass_.walked].end;
  };
  const auto whole_cell = [&](const auto& index, std::byte* base) {
    return BoxCells(grids_, BoxCells::Kind::units_from, grids_.units_from, unit_box(index),
                    element_)
        .cell(index, base);
  };
  const auto slot_bytes = [&](std::size_t slot) {
    return pool_->first(pass_.kept_bytes).subspan(slot * unit_bytes_, unit_bytes_);
  };
  if (begins_row) {
    for (const auto& [index, kept] : kept_) free_slots_.push_back(kept.slot);
    kept_.clear();
  }
  // Units kept from the tile before, those first that give their place to new ones.
  std::vector<std::pair<std::vector<std::uint64_t>, Kept>> before(kept_.begin(), kept_.end());
  in_parallel(pass_.readers, before.size(), [&](std::uint64_t i, int worker) {
    const auto& [index, kept] = before[i];
    take_unit(tile, held, whole_cell(index, slot_bytes(kept.slot).data()), kept.absent,
              shares[static_cast<std::size_t>(worker)]);
  });
  for (const auto& [index, kept] : before)
    if (!stays(index)) {
      free_slots_.push_back(kept.slot);
      kept_.erase(index);
    }
  in_parallel(pass_.readers, cells.count(), [&](std::uint64_t i, int worker) {
    const auto index = cells.index(i);
    const auto at = std::lower_bound(before.begin(), before.end(), index,
                                     [](const auto& a, const auto& b) { return a.first < b; });
    if (at != before.end() && at->first == index) return;
    std::span<std::byte> bytes =
        read_buffers_[static_cast<std::size_t>(worker)]->first(unit_bytes_);
    Kept kept{};
    const bool keeps = stays(index);
    if (keeps) {
      const std::lock_guard lock(mutex_);
      FARO_CHECK(!free_slots_.empty());
      kept.slot = free_slots_.back();
      free_slots_.pop_back();
      bytes = slot_bytes(kept.slot);
    }
    kept.absent = !fetch_unit(index, bytes);
    take_unit(tile, held, whole_cell(index, bytes.data()), kept.absent,
              shares[static_cast<std::size_t>(worker)]);
    if (!keeps) return;
    const std::lock_guard lock(mutex_);
    kept_.emplace(index, kept);
  });
  for (const Digest& share : shares) tile.read.add(share);
}

void PassAtWork::read_meets(HeldTile& tile) {
  const auto& grid_before = plan_.facts().passes[number_ - 1].tile;
  const BoxCells cells = read_cells(tile.box);
  const bool direct = pass_.order == TileOrder::read;
  const BoxCells held = held_cells(tile.box);
  if (!direct)
    for (auto& mark : tile.marks) mark = 1;
  in_parallel(
      direct ? options_.io_threads : pass_.readers, cells.count(),
      [&](std::uint64_t i, int worker) {
        const auto index = cells.index(i);
        const BoxCells file(grids_, BoxCells::Kind::meets, pass_.tile, box_of(grid_before, index),
                            element_);
        const std::uint64_t at = file.offset(tile.index);
        const auto opened = storage_.open(tile_name(number_ - 1, number_of(grid_before, index)));
        const Box where = cells.where(index);
        ++reads_;
        bytes_read_ += elements_of(where) * element_;
        if (direct) return opened->read(at, cell_bytes(tile, cells, index));
        const auto lengths = lengths_of(where);
        for_each_piece(where, lengths, element_, pass_.read_buffer_bytes, [&](const Box& piece) {
          const auto bytes =
              read_buffers_[static_cast<std::size_t>(worker)]->first(elements_of(piece) * element_);
          opened->read(at + byte_of(piece, lengths, &where, element_), bytes);
          const BoxCell from{.base = bytes.data(),
                             .where = piece,
                             .stride = c_strides(lengths_of(piece), element_)};
          for_each_index(held.meeting(piece), [&](const std::vector<std::uint64_t>& cell) {
            copier_.copy(from, held.cell(cell, cell_bytes(tile, held, cell).data()),
                         common_box(piece, held.where(cell)));
          });
        });
      });
}

// --- digests

Box PassAtWork::in_array(const Box& box) const {
  Box places(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) places[grids_.order_to[i]] = box[i];
  return places;
}

void PassAtWork::add_constant(Digest& to, const Box& box,
                              std::span<const std::byte> element) const {
  const Box places = in_array(box);
  std::vector<std::uint64_t> start;
  for (const Interval& axis : places) start.push_back(axis.begin);
  to.constant_box(
      {.shape = shape_, .start = start, .extent = lengths_of(places), .element_bytes = element_},
      element);
}

// The share of a box that is held in a cell, by its places in the array: rows as they lie; or
// elements gathered along the array's last axis, or, where that is short, columns of elements that
// lie one after another. What moves elements has no part in it.
void PassAtWork::add_digest(Digest& to, const BoxCell& cell, const Box& box) const {
  const std::size_t axes = box.size();
  if (elements_of(box) == 0) return;
  if (axes == 0) return to.run(0, {cell.base, element_});
  if (same_order_) {
    std::vector<std::uint64_t> held(axes);
    std::vector<std::uint64_t> start(axes);
    std::uint64_t last = element_;
    for (std::size_t k = 0; k < axes; ++k) {
      held[k] = k == 0 ? cell.where[0].length()
                       : static_cast<std::uint64_t>(cell.stride[k - 1] / cell.stride[k]);
      start[k] = box[k].begin;
      last += (box[k].length() - 1) * static_cast<std::uint64_t>(cell.stride[k]);
    }
    return to.box(
        {.shape = shape_, .start = start, .extent = lengths_of(box), .element_bytes = element_},
        {cell.at(box), last}, held);
  }
  // By the array's axes from here on.
  const auto of_array = c_strides(shape_, element_);
  const std::size_t last = grids_.order_to.back();
  const std::size_t fast = axes - 1;
  BoxCell held{.base = cell.base, .where = in_array(cell.where), .stride = cell.stride};
  for (std::size_t i = 0; i < axes; ++i) held.stride[grids_.order_to[i]] = cell.stride[i];
  const Box all = in_array(box);
  const bool columns = all[fast].length() < short_row && last != fast &&
                       held.stride[last] == static_cast<std::int64_t>(element_) &&
                       all[last].length() > all[fast].length();
  const std::size_t along = columns ? last : fast;
  Box rows = all;
  rows[along] = {0, 1};
  std::vector<std::byte> row(std::max(element_, gathered_bytes / element_ * element_));
  const std::uint64_t in_row = columns ? all[along].length() : row.size() / element_;
  for_each_index(rows, [&](std::vector<std::uint64_t> at) {
    for (std::uint64_t x = all[along].begin; x < all[along].end; x += in_row) {
      const std::uint64_t count = std::min(in_row, all[along].end - x);
      Box piece(axes);
      for (std::size_t k = 0; k < axes; ++k) piece[k] = {at[k], at[k] + 1};
      piece[along] = {x, x + count};
      const std::byte* source = held.at(piece);
      const std::uint64_t place = byte_of(piece, shape_, nullptr, element_);
      if (columns) {
        to.column(place, static_cast<std::uint64_t>(of_array[along]), element_,
                  {source, count * element_});
        continue;
      }
      for (std::uint64_t i = 0; i < count; ++i, source += held.stride[along])
        std::memcpy(row.data() + (i * element_), source, element_);
      to.run(place, std::span(row).first(count * element_));
    }
  });
}

}  // namespace faro::inline v1::disk
