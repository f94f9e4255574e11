// Slices of messages under way, a few in each direction.
//
// The move says them, in an order in which nobody waits for ever, however small the buffers are
// (GridMove::slices_sent). What has a place in the rank's array goes from there, or comes there;
// other slices take a buffer. Ranks that share a machine with others stop now and then: large
// slices, and several of them under way, keep one rank's stop from being everybody's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <optional>

#include "base/aligned_bytes.hpp"
#include "faro/base/error.hpp"
#include "faro/distributed/grid_move.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1 {
namespace {

// Of each direction.
constexpr std::size_t slices_under_way = 16;
constexpr std::size_t buffers_max = 4;
// bench/mpi/grid.cpp: slices of 256 KiB take up to half as much time again.
constexpr std::uint64_t packed_bytes_max = std::uint64_t{1} << 22U;
constexpr int grid_tag = 3;
constexpr std::uint64_t parts_fingerprinted_max = 65'536;

void add_text(mpi::Fingerprint& all, std::string_view text) {
  for (const char c : text) all.add(static_cast<unsigned char>(c));
  all.add(text.size());
}

void add_side(mpi::Fingerprint& all, const GridPlacement& side) {
  add_text(all, side.text());
  for (const std::uint64_t n : side.grid()) all.add(n);
  for (const std::size_t a : side.memory_order()) all.add(a);
  for (const GridAxis& axis : side.axes()) {
    all.add(axis.deal.length());
    for (const std::size_t d : axis.over) all.add(d);
    for (std::uint64_t p = 0; p < std::min(axis.deal.parts(), parts_fingerprinted_max); ++p)
      all.add(axis.deal.size(p));
  }
  for (std::uint64_t r = 0; r < std::min(side.ranks(), parts_fingerprinted_max); ++r)
    all.add(side.local_elements(r));
}

mpi::Fingerprint fingerprint_of_move(const GridMove& move, const MpiGridOptions& options) {
  mpi::Fingerprint all;
  add_side(all, move.from());
  add_side(all, move.to());
  for (const std::uint64_t length : move.digit_lengths()) all.add(length);
  for (const std::size_t a : move.options().order) all.add(a);
  for (const bool turned : move.options().reversed) all.add(turned ? 1 : 0);
  for (const std::uint64_t roll : move.options().roll) all.add(roll);
  for (const std::uint64_t r : move.relabelling()) all.add(r);
  all.add(move.options().element_bytes);
  all.add(options.buffer_bytes);
  return all;
}

}  // namespace

struct MpiGridPlan::State {
  explicit State(MPI_Comm communicator, const MpiGridOptions& given)
      : ranks(communicator), options(given) {}

  void check_and_take_buffers();
  void exchange(std::span<const std::byte> from, std::span<std::byte> to);
  // What fails on this rank alone waits until all messages have come: others count on them.
  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  // A direction: its slices, and what is under way of them.
  struct Way {
    std::vector<GridSlice> slices;
    std::vector<AlignedBytes> buffers;
    std::size_t posted = 0;
    std::vector<std::size_t> free_buffers, free_slots;
  };
  struct Slot {
    GridSlice slice;
    std::span<std::byte> buffer = {};  // empty: the slice has a place
    std::size_t buffer_number = 0;
  };
  void take_buffers(Way& way, std::size_t count);
  void begin(Way& way, std::size_t first_slot);
  void post(Way& way, std::span<const std::byte> from, std::span<std::byte> to);
  void finish(std::size_t slot, std::span<std::byte> to);
  bool takes_part() const { return rank() < move->facts().ranks; }
  std::uint64_t rank() const { return static_cast<std::uint64_t>(ranks.rank()); }
  std::uint64_t element_bytes() const { return move->options().element_bytes; }

  mpi::Communicator ranks;
  MpiGridOptions options;
  std::optional<GridMove> move;
  Way out, in;
  // Slots of sending, then as many of receiving.
  std::array<MPI_Request, 2 * slices_under_way> requests{};
  std::array<Slot, 2 * slices_under_way> slots{};
  std::uint64_t received_bytes = 0, total_bytes = 0;
  std::exception_ptr failure;
};

void MpiGridPlan::State::check_and_take_buffers() {
  if (move->facts().ranks > static_cast<std::uint64_t>(ranks.size()))
    throw Error(ErrorCode::usage,
                fmt::format("mpi: the placements are on {} ranks, the communicator has {}",
                            move->facts().ranks, ranks.size()));
  const std::uint64_t room = options.buffer_bytes / element_bytes();
  if (room < 4)
    throw Error(ErrorCode::usage,
                fmt::format("mpi: a buffer of {} bytes; four elements of {} bytes are wanted",
                            options.buffer_bytes, element_bytes()));
  if (!takes_part()) return;
  const std::uint64_t buffers = std::min<std::uint64_t>(buffers_max, room / 2);
  const std::uint64_t most = std::min(
      room / (2 * buffers), std::max<std::uint64_t>(1, packed_bytes_max / element_bytes()));
  out.slices = move->slices_sent(rank(), most);
  in.slices = move->slices_received(rank(), most);
  take_buffers(out, buffers);
  take_buffers(in, buffers);
  for (const GridSlice& s : in.slices) total_bytes += s.elements * element_bytes();
}

void MpiGridPlan::State::take_buffers(Way& way, std::size_t count) {
  std::uint64_t elements = 0;
  std::size_t wanted = 0;
  for (const GridSlice& s : way.slices) {
    if (s.place) continue;
    elements = std::max(elements, s.elements);
    ++wanted;
  }
  for (std::size_t k = 0; k < std::min(count, wanted); ++k)
    way.buffers.emplace_back(elements * element_bytes());
}

void MpiGridPlan::State::begin(Way& way, std::size_t first_slot) {
  way.posted = 0;
  way.free_buffers.resize(way.buffers.size());
  std::iota(way.free_buffers.begin(), way.free_buffers.end(), std::size_t{0});
  way.free_slots.resize(slices_under_way);
  std::iota(way.free_slots.begin(), way.free_slots.end(), first_slot);
}

// As many of the direction's next slices as there is room for.
void MpiGridPlan::State::post(Way& way, std::span<const std::byte> from, std::span<std::byte> to) {
  while (way.posted < way.slices.size() && !way.free_slots.empty()) {
    const GridSlice& slice = way.slices[way.posted];
    if (!slice.place && way.free_buffers.empty()) return;
    const std::size_t k = way.free_slots.back();
    way.free_slots.pop_back();
    ++way.posted;
    Slot& slot = slots[k];
    slot = {slice};
    const auto bytes = static_cast<std::size_t>(slice.elements * element_bytes());
    if (!slice.place) {
      slot.buffer_number = way.free_buffers.back();
      way.free_buffers.pop_back();
      slot.buffer = way.buffers[slot.buffer_number].all().first(bytes);
    }
    const auto peer = static_cast<int>(slice.peer);
    const auto count = static_cast<int>(bytes);
    if (&way == &out) {
      const std::byte* data = slice.place ? from.data() + *slice.place : slot.buffer.data();
      if (!slice.place)
        attempt([&] { move->pack(rank(), slice.peer, slice.first, from, slot.buffer); });
      mpi::check(MPI_Isend(data, count, MPI_BYTE, peer, grid_tag, ranks.handle(), &requests[k]),
                 "MPI_Isend");
    } else {
      std::byte* data = slice.place ? to.data() + *slice.place : slot.buffer.data();
      mpi::check(MPI_Irecv(data, count, MPI_BYTE, peer, grid_tag, ranks.handle(), &requests[k]),
                 "MPI_Irecv");
    }
  }
}

// What was received is put in its place, and the slot is free.
void MpiGridPlan::State::finish(std::size_t k, std::span<std::byte> to) {
  const Slot& slot = slots[k];
  const GridSlice& slice = slot.slice;
  Way& way = k < slices_under_way ? out : in;
  if (&way == &in) {
    received_bytes += slice.elements * element_bytes();
    attempt([&] {
      if (!slice.place) move->unpack(slice.peer, rank(), slice.first, slot.buffer, to);
      if (options.progress && !failure) options.progress(received_bytes, total_bytes);
    });
  }
  if (!slice.place) way.free_buffers.push_back(slot.buffer_number);
  way.free_slots.push_back(k);
}

void MpiGridPlan::State::exchange(std::span<const std::byte> from, std::span<std::byte> to) {
  received_bytes = 0;
  requests.fill(MPI_REQUEST_NULL);
  begin(out, 0);
  begin(in, slices_under_way);
  post(in, from, to);
  post(out, from, to);
  attempt([&] { move->keep(rank(), from, to); });  // while the first ones travel
  while (true) {
    int slot = MPI_UNDEFINED;
    mpi::check(
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &slot, MPI_STATUS_IGNORE),
        "MPI_Waitany");
    if (slot == MPI_UNDEFINED) return;
    const auto k = static_cast<std::size_t>(slot);
    finish(k, to);
    post(k < slices_under_way ? out : in, from, to);
  }
}

MpiGridPlan::MpiGridPlan(MPI_Comm communicator, std::string_view words,
                         const std::vector<std::uint64_t>& shape, std::uint64_t element_bytes,
                         const MpiGridOptions& options)
    : state_(std::make_unique<State>(communicator, options)) {
  mpi::Fingerprint all;
  add_text(all, words);
  for (const std::uint64_t side : shape) all.add(side);
  all.add(element_bytes);
  all.add(options.relabel == Relabel::least ? 1 : 0);
  all.add(options.buffer_bytes);
  state_->ranks.agree(all, "words, shape, element size or options", [&] {
    GridMoveOptions of_move;
    of_move.element_bytes = element_bytes;
    of_move.relabel = options.relabel;
    state_->move.emplace(grid_move(words, shape, of_move));
    state_->check_and_take_buffers();
  });
}

MpiGridPlan::MpiGridPlan(MPI_Comm communicator, const GridMove& move, const MpiGridOptions& options)
    : state_(std::make_unique<State>(communicator, options)) {
  state_->ranks.agree(fingerprint_of_move(move, options), "move or options", [&] {
    state_->move.emplace(move);
    state_->check_and_take_buffers();
  });
}

MpiGridPlan::~MpiGridPlan() = default;
MpiGridPlan::MpiGridPlan(MpiGridPlan&&) noexcept = default;
MpiGridPlan& MpiGridPlan::operator=(MpiGridPlan&&) noexcept = default;

void MpiGridPlan::execute(std::span<const std::byte> from, std::span<std::byte> to) {
  state_->ranks.agree({}, "sizes", [&] {
    mpi::check_span(from.data(), from.size(), from_bytes(), "from");
    mpi::check_span(to.data(), to.size(), to_bytes(), "to");
  });
  state_->failure = nullptr;
  if (state_->takes_part()) state_->exchange(from, to);
  // All messages have come, so a plan whose progress threw can be executed again.
  state_->ranks.agree({}, "progress", [&] {
    if (state_->failure) std::rethrow_exception(state_->failure);
  });
}

const GridMove& MpiGridPlan::move() const {
  return *state_->move;
}
std::uint64_t MpiGridPlan::from_bytes() const {
  return state_->takes_part() ? state_->move->from_bytes(state_->rank()) : 0;
}
std::uint64_t MpiGridPlan::to_bytes() const {
  return state_->takes_part() ? state_->move->to_bytes(state_->rank()) : 0;
}

}  // namespace faro::inline v1
