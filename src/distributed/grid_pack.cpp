// A message's elements between a rank's array and a buffer.
//
// A message is a product over axes of stretches. Its elements are numbered in the order of the old
// side's memory; a range of numbers is a few boxes (a last part of a row, whole rows, a first part
// of one, on every axis but the fastest), and a box is a nest of loops for every choice of one
// stretch an axis.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "distributed/grid_state.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

// Places of one stretch on both sides, in bytes from an array's beginning.
struct Side {
  std::int64_t begin = 0;
  std::int64_t step = 0;  // from run to run
  std::int64_t unit = 0;  // from index to index
};

struct Run {
  std::uint64_t first = 0;  // its number among the axis' elements of the message
  std::uint64_t count = 0;
  std::uint64_t run = 0;
  Side from;
  Side to;
};

struct MessageAxis {
  std::vector<Run> runs;
  std::uint64_t elements = 0;
  std::uint64_t inner = 1;  // elements of the axes behind it
};

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::vector<std::uint64_t> byte_strides(const std::vector<std::uint64_t>& shape,
                                        const std::vector<std::size_t>& order,
                                        std::uint64_t element_bytes) {
  std::vector<std::uint64_t> strides(shape.size());
  std::uint64_t stride = element_bytes;
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = stride;
    stride *= shape[order[k]];
  }
  return strides;
}

Side side_of(const LocalStretch& local, std::uint64_t stride) {
  const auto unit = static_cast<std::int64_t>(stride);
  const std::int64_t sign = local.descending ? -1 : 1;
  return {static_cast<std::int64_t>(local.begin) * unit,
          sign * static_cast<std::int64_t>(local.step) * unit, sign * unit};
}

// The runs of a range of an axis' elements: of a stretch that is cut inside a run, up to three.
std::vector<Run> cut(const std::vector<Run>& runs, Range range) {
  std::vector<Run> result;
  const auto put = [&](const Run& r, std::uint64_t turn, std::uint64_t count, std::uint64_t skip,
                       std::uint64_t run) {
    Run part = r;
    part.first += (turn * r.run) + skip;
    part.count = count;
    part.run = run;
    for (Side* side : {&part.from, &part.to})
      side->begin += (static_cast<std::int64_t>(turn) * side->step) +
                     (static_cast<std::int64_t>(skip) * side->unit);
    result.push_back(part);
  };
  auto r = std::upper_bound(runs.begin(), runs.end(), range.begin,
                            [](std::uint64_t v, const Run& run) { return v < run.first; });
  for (--r; r != runs.end() && r->first < range.end; ++r) {
    std::uint64_t begin = std::max(range.begin, r->first) - r->first;
    const std::uint64_t end = std::min(range.end - r->first, r->count * r->run);
    while (begin < end) {
      const std::uint64_t turn = begin / r->run;
      const std::uint64_t skip = begin % r->run;
      const std::uint64_t whole = skip == 0 ? (end - begin) / r->run : 0;
      const std::uint64_t run = whole > 0 ? r->run : std::min(r->run - skip, end - begin);
      put(*r, turn, std::max<std::uint64_t>(whole, 1), skip, run);
      begin += std::max<std::uint64_t>(whole, 1) * run;
    }
  }
  return result;
}

// Shorter runs are packed: messages of 64 KiB cost as much as a copy of theirs
// (docs/distributed.md, "Runs in the middle").
constexpr std::uint64_t run_bytes_min = std::uint64_t{1} << 16U;
constexpr std::uint64_t slice_bytes_max = std::uint64_t{1} << 30U;

struct MemoryRun {
  std::uint64_t place = 0;
  std::uint64_t elements = 0;
};

enum class Copy { pack, unpack, keep };

class Message {
 public:
  Message(const GridMove::State& s, std::uint64_t sender, std::uint64_t receiver)
      : bytes_(s.options.element_bytes), copier_(s.copier) {
    const std::uint64_t hosted = s.hosted[receiver];
    const auto from_strides =
        byte_strides(s.from.local_shape(sender), s.from.memory_order(), bytes_);
    const auto to_strides = byte_strides(s.to.local_shape(hosted), s.to.memory_order(), bytes_);
    for (const std::size_t a : s.from.memory_order()) {
      const std::size_t k = s.new_axis[a];
      const AxisMeet both =
          meet(s.from_deal(a), s.from.part(sender, a), s.to_deal[a], s.to.part(hosted, k));
      MessageAxis axis;
      for (const Stretch& stretch : both.stretches) {
        axis.runs.push_back({axis.elements, stretch.count, stretch.run,
                             side_of(s.from_deal(a).local(stretch), from_strides[a]),
                             side_of(s.to_deal[a].local(stretch), to_strides[k])});
        axis.elements += stretch.elements();
      }
      axes_.push_back(std::move(axis));
    }
    for (std::size_t k = axes_.size(); k-- > 0;) {
      axes_[k].inner = elements_;
      elements_ *= axes_[k].elements;
    }
  }

  std::uint64_t elements() const { return elements_; }

  // Where an element lies on a side, and how many from it on lie there one behind the other. Runs
  // that happen to be neighbours may be told apart.
  MemoryRun run_from(Side Run::*side, std::uint64_t first) const {
    MemoryRun result{0, elements_ - first};
    bool is_one = true;  // of the axes behind
    for (std::size_t k = axes_.size(); k-- > 0;) {
      const MessageAxis& axis = axes_[k];
      const std::uint64_t row = first / axis.inner % axis.elements;
      const Run& run = run_of(axis, row);
      const Side& at = run.*side;
      const std::uint64_t turn = (row - run.first) / run.run;
      const std::uint64_t skip = (row - run.first) % run.run;
      result.place +=
          static_cast<std::uint64_t>(at.begin + (static_cast<std::int64_t>(turn) * at.step) +
                                     (static_cast<std::int64_t>(skip) * at.unit));
      if (!is_one) continue;
      const auto unit = static_cast<std::int64_t>(axis.inner * bytes_);
      const std::uint64_t behind = axis.inner - (first % axis.inner);  // to the next row
      const bool rows = run.count * run.run == 1 || run.run == 1 || at.unit == unit;
      const bool turns = run.count == 1 || at.step == static_cast<std::int64_t>(run.run) * unit;
      std::uint64_t rows_left = 1;
      if (rows) rows_left = turns ? (run.count * run.run) - (row - run.first) : run.run - skip;
      is_one = rows && turns && axis.runs.size() == 1;
      if (!is_one) result.elements = behind + ((rows_left - 1) * axis.inner);
    }
    return result;
  }

  void copy(Copy what, std::uint64_t first, std::uint64_t count, const std::byte* from,
            std::byte* to) {
    what_ = what;
    first_ = first;
    from_ = from;
    to_ = to;
    if (count == 0) return;
    box_.assign(axes_.size(), Range{});
    for (std::size_t k = 0; k < axes_.size(); ++k) box_[k] = {0, axes_[k].elements};
    range(0, first, first + count);
  }

 private:
  static const Run& run_of(const MessageAxis& axis, std::uint64_t row) {
    const auto behind =
        std::upper_bound(axis.runs.begin(), axis.runs.end(), row,
                         [](std::uint64_t v, const Run& run) { return v < run.first; });
    return *(behind - 1);
  }

  // Elements begin .. end - 1 of the axes from k on, the slower ones being fixed in box_.
  void range(std::size_t k, std::uint64_t begin, std::uint64_t end) {
    if (k == axes_.size()) return box();
    const std::uint64_t inner = axes_[k].inner;
    const Range whole{0, axes_[k].elements};
    const auto one = [&](std::uint64_t row, std::uint64_t from, std::uint64_t to) {
      box_[k] = {row, row + 1};
      range(k + 1, from, to);
      box_[k] = whole;
    };
    std::uint64_t row = begin / inner;
    if (begin % inner != 0) {
      const std::uint64_t stop = std::min(end - (row * inner), inner);
      one(row, begin % inner, stop);
      ++row;
    }
    const std::uint64_t rows = end / inner;
    if (row < rows) {
      box_[k] = {row, rows};
      box();
      box_[k] = whole;
      row = rows;
    }
    if (row * inner < end) one(row, 0, end - (row * inner));
  }

  void box() {
    std::vector<std::vector<Run>> runs;
    for (std::size_t k = 0; k < axes_.size(); ++k) runs.push_back(cut(axes_[k].runs, box_[k]));
    std::vector<std::size_t> at(runs.size());
    while (true) {
      nest(runs, at);
      std::size_t k = runs.size();
      while (k > 0 && ++at[k - 1] == runs[k - 1].size()) at[--k] = 0;
      if (k == 0) return;
    }
  }

  void nest(const std::vector<std::vector<Run>>& runs, const std::vector<std::size_t>& at) const {
    std::vector<CopyLoop> loops;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Run& r = runs[k][at[k]];
      number += r.first * axes_[k].inner;
      from += r.from.begin;
      to += r.to.begin;
      const auto unit = static_cast<std::int64_t>(axes_[k].inner * bytes_);
      const std::int64_t step = static_cast<std::int64_t>(r.run) * unit;
      const bool packs = what_ == Copy::pack;
      const bool unpacks = what_ == Copy::unpack;
      loops.push_back({r.count, unpacks ? step : r.from.step, packs ? step : r.to.step});
      loops.push_back({r.run, unpacks ? unit : r.from.unit, packs ? unit : r.to.unit});
    }
    const auto place = static_cast<std::int64_t>((number - first_) * bytes_);
    copier_.copy(std::move(loops), from_ + (what_ == Copy::unpack ? place : from),
                 to_ + (what_ == Copy::pack ? place : to));
  }

  std::uint64_t bytes_;
  const NestCopier& copier_;
  std::uint64_t elements_ = 1;
  std::vector<MessageAxis> axes_;  // the slowest first
  std::vector<Range> box_;
  Copy what_ = Copy::pack;
  std::uint64_t first_ = 0;
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
};

void check_part(std::uint64_t given, std::uint64_t wanted, const char* what) {
  if (given != wanted)
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} bytes, the rank's part has {}", what, given, wanted));
}

Message message_of(const GridMove::State& s, std::uint64_t sender, std::uint64_t receiver,
                   std::uint64_t first, std::uint64_t buffer_bytes) {
  if (!s.goes(sender, receiver))
    throw Error(ErrorCode::usage,
                fmt::format("rank {} sends nothing to rank {}", sender, receiver));
  Message message(s, sender, receiver);
  const std::uint64_t bytes = s.options.element_bytes;
  const std::uint64_t count = buffer_bytes / bytes;
  if (count * bytes != buffer_bytes || first > message.elements() ||
      count > message.elements() - first)
    throw Error(ErrorCode::usage,
                fmt::format("{} bytes from element {} on: the message from rank {} to rank {} has "
                            "{} elements of {} bytes",
                            buffer_bytes, first, sender, receiver, message.elements(), bytes));
  return message;
}

}  // namespace

namespace {

// The slices of a message, with their places on both sides.
template <class Visit>
void for_slices(const GridMove::State& s, std::uint64_t sender, std::uint64_t receiver,
                std::uint64_t elements_max, Visit visit) {
  const Message message(s, sender, receiver);
  const std::uint64_t bytes = s.options.element_bytes;
  const std::uint64_t run_min = (run_bytes_min + bytes - 1) / bytes;
  const std::uint64_t run_max = std::max<std::uint64_t>(1, slice_bytes_max / bytes);
  for (std::uint64_t first = 0; first < message.elements();) {
    const std::uint64_t rest = message.elements() - first;
    const MemoryRun from = message.run_from(&Run::from, first);
    const MemoryRun to = message.run_from(&Run::to, first);
    const bool is_run = std::min(from.elements, to.elements) >= std::min(rest, run_min);
    std::uint64_t count = std::min(rest, is_run ? run_max : elements_max);
    for (const std::uint64_t run : {from.elements, to.elements})
      if (run >= run_min) count = std::min(count, run);
    const auto place_in = [&](const MemoryRun& run) {
      return run.elements >= count ? std::optional(run.place) : std::nullopt;
    };
    visit(GridSlice{0, first, count, {}}, place_in(from), place_in(to));
    first += count;
  }
}

void check_slices(std::uint64_t elements_max) {
  if (elements_max == 0) throw Error(ErrorCode::usage, "slices of 0 elements; 1 at least");
}

}  // namespace

std::vector<GridSlice> GridMove::slices_sent(std::uint64_t rank, std::uint64_t elements_max) const {
  check_slices(elements_max);
  std::vector<GridMessage> messages = sends(rank);
  // Those beyond this rank first: round k goes to rank + k.
  const auto behind = std::find_if(messages.begin(), messages.end(),
                                   [&](const GridMessage& m) { return m.peer > rank; });
  std::rotate(messages.begin(), behind, messages.end());
  std::vector<GridSlice> result;
  for (const GridMessage& m : messages)
    for_slices(*state_, rank, m.peer, elements_max, [&](GridSlice slice, auto from, auto) {
      slice.peer = m.peer;
      slice.place = from;
      result.push_back(slice);
    });
  return result;
}

std::vector<GridSlice> GridMove::slices_received(std::uint64_t rank,
                                                 std::uint64_t elements_max) const {
  check_slices(elements_max);
  std::vector<GridMessage> messages = receives(rank);
  // Those before this rank first, the nearest one leading: round k comes from rank - k.
  std::reverse(messages.begin(), messages.end());
  const auto before = std::find_if(messages.begin(), messages.end(),
                                   [&](const GridMessage& m) { return m.peer < rank; });
  std::rotate(messages.begin(), before, messages.end());
  std::vector<GridSlice> result;
  for (const GridMessage& m : messages)
    for_slices(*state_, m.peer, rank, elements_max, [&](GridSlice slice, auto, auto to) {
      slice.peer = m.peer;
      slice.place = to;
      result.push_back(slice);
    });
  return result;
}

void GridMove::pack(std::uint64_t sender, std::uint64_t receiver, std::uint64_t first,
                    std::span<const std::byte> from, std::span<std::byte> buffer) const {
  check_part(from.size(), from_bytes(sender), "from");
  state_->check_rank(receiver);
  Message message = message_of(*state_, sender, receiver, first, buffer.size());
  message.copy(Copy::pack, first, buffer.size() / options().element_bytes, from.data(),
               buffer.data());
}

void GridMove::unpack(std::uint64_t sender, std::uint64_t receiver, std::uint64_t first,
                      std::span<const std::byte> buffer, std::span<std::byte> to) const {
  check_part(to.size(), to_bytes(receiver), "to");
  state_->check_rank(sender);
  Message message = message_of(*state_, sender, receiver, first, buffer.size());
  message.copy(Copy::unpack, first, buffer.size() / options().element_bytes, buffer.data(),
               to.data());
}

void GridMove::keep(std::uint64_t rank, std::span<const std::byte> from,
                    std::span<std::byte> to) const {
  check_part(from.size(), from_bytes(rank), "from");
  check_part(to.size(), to_bytes(rank), "to");
  if (!state_->goes(rank, rank)) return;
  Message message(*state_, rank, rank);
  message.copy(Copy::keep, 0, message.elements(), from.data(), to.data());
}

std::uint64_t move_in_process(const GridMove& move,
                              const std::vector<std::vector<std::byte>>& parts,
                              std::vector<std::vector<std::byte>>& results,
                              std::uint64_t buffer_bytes) {
  const std::uint64_t ranks = move.facts().ranks;
  const std::uint64_t bytes = move.options().element_bytes;
  if (parts.size() != ranks || buffer_bytes < bytes)
    throw Error(ErrorCode::usage, fmt::format("{} parts for {} ranks, a buffer of {} bytes for "
                                              "elements of {}",
                                              parts.size(), ranks, buffer_bytes, bytes));
  results.resize(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r) results[r].resize(move.to_bytes(r));
  const std::uint64_t slice = buffer_bytes / bytes;
  std::vector<std::byte> buffer;
  std::uint64_t moved = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    move.keep(r, parts[r], results[r]);
    for (const GridMessage& message : move.sends(r))
      for (std::uint64_t first = 0; first < message.elements; first += slice) {
        buffer.resize(std::min(slice, message.elements - first) * bytes);
        move.pack(r, message.peer, first, parts[r], buffer);
        move.unpack(r, message.peer, first, buffer, results[message.peer]);
        moved += buffer.size();
      }
  }
  return moved;
}

}  // namespace faro::inline v1
