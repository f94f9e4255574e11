// Slices of messages under way, a few in each direction.
//
// The move says them, in an order in which nobody waits for ever, however small the buffers are
// (GridMove::slices_sent). What has a place in the rank's array goes from there, or comes there.
#include "faro/mpi/grid_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include "base/aligned_bytes.hpp"
#include "faro/base/error.hpp"
#include "faro/distributed/grid_words.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t slices_under_way = 2;  // of each direction
// What is packed is sent while it is in a core's cache, and unpacked so (docs/distributed.md).
constexpr std::uint64_t packed_bytes_max = std::uint64_t{1} << 18U;
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
  void post(std::size_t slot, std::span<const std::byte> from, std::span<std::byte> to);
  bool takes_part() const { return rank() < move->facts().ranks; }
  std::uint64_t rank() const { return static_cast<std::uint64_t>(ranks.rank()); }
  std::uint64_t element_bytes() const { return move->options().element_bytes; }

  mpi::Communicator ranks;
  MpiGridOptions options;
  std::optional<GridMove> move;
  std::vector<GridSlice> sends, receives;
  // Slots of sending, then as many of receiving; and what is in them.
  std::array<AlignedBytes, 2 * slices_under_way> buffers;
  std::array<MPI_Request, 2 * slices_under_way> requests{};
  std::array<GridSlice, 2 * slices_under_way> under_way{};
  std::size_t sent = 0, received = 0;  // posted so far
  std::exception_ptr failure;
};

void MpiGridPlan::State::check_and_take_buffers() {
  if (move->facts().ranks > static_cast<std::uint64_t>(ranks.size()))
    throw Error(ErrorCode::usage,
                fmt::format("mpi: the placements are on {} ranks, the communicator has {}",
                            move->facts().ranks, ranks.size()));
  const std::uint64_t room = options.buffer_bytes / (2 * slices_under_way) / element_bytes();
  if (room == 0)
    throw Error(ErrorCode::usage,
                fmt::format("mpi: a buffer of {} bytes; four elements of {} bytes are wanted",
                            options.buffer_bytes, element_bytes()));
  if (!takes_part()) return;
  const std::uint64_t most =
      std::min(room, std::max<std::uint64_t>(1, packed_bytes_max / element_bytes()));
  sends = move->slices_sent(rank(), most);
  receives = move->slices_received(rank(), most);
  const auto largest = [&](const std::vector<GridSlice>& list) {
    std::uint64_t elements = 0;
    for (const GridSlice& s : list)
      if (!s.place) elements = std::max(elements, s.elements);
    return elements * element_bytes();
  };
  for (std::size_t k = 0; k < buffers.size(); ++k)
    buffers[k] = AlignedBytes(largest(k < slices_under_way ? sends : receives));
}

// The next slice of the slot's direction, if there is one.
void MpiGridPlan::State::post(std::size_t slot, std::span<const std::byte> from,
                              std::span<std::byte> to) {
  const bool sending = slot < slices_under_way;
  std::size_t& next = sending ? sent : received;
  const std::vector<GridSlice>& list = sending ? sends : receives;
  requests[slot] = MPI_REQUEST_NULL;
  if (next == list.size()) return;
  const GridSlice& slice = list[next++];
  under_way[slot] = slice;
  const auto bytes = static_cast<std::size_t>(slice.elements * element_bytes());
  const auto peer = static_cast<int>(slice.peer);
  const auto count = static_cast<int>(bytes);
  if (sending) {
    const std::byte* data = slice.place ? from.data() + *slice.place : buffers[slot].data();
    if (!slice.place)
      attempt([&] {
        move->pack(rank(), slice.peer, slice.first, from, buffers[slot].all().first(bytes));
      });
    mpi::check(MPI_Isend(data, count, MPI_BYTE, peer, grid_tag, ranks.handle(), &requests[slot]),
               "MPI_Isend");
  } else {
    std::byte* data = slice.place ? to.data() + *slice.place : buffers[slot].data();
    mpi::check(MPI_Irecv(data, count, MPI_BYTE, peer, grid_tag, ranks.handle(), &requests[slot]),
               "MPI_Irecv");
  }
}

void MpiGridPlan::State::exchange(std::span<const std::byte> from, std::span<std::byte> to) {
  sent = received = 0;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  for (const GridSlice& s : receives) total += s.elements * element_bytes();
  for (std::size_t k = buffers.size(); k-- > 0;) post(k, from, to);  // receiving first
  attempt([&] { move->keep(rank(), from, to); });                    // while the first ones travel
  while (true) {
    int slot = MPI_UNDEFINED;
    mpi::check(
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &slot, MPI_STATUS_IGNORE),
        "MPI_Waitany");
    if (slot == MPI_UNDEFINED) return;
    const auto k = static_cast<std::size_t>(slot);
    if (k >= slices_under_way) {
      const GridSlice& slice = under_way[k];
      const std::uint64_t bytes = slice.elements * element_bytes();
      done += bytes;
      attempt([&] {
        if (!slice.place)
          move->unpack(slice.peer, rank(), slice.first, buffers[k].all().first(bytes), to);
        if (options.progress && !failure) options.progress(done, total);
      });
    }
    post(k, from, to);
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
