#include "faro/mpi/mpi_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <optional>

#include "base/aligned_bytes.hpp"
#include "base/check.hpp"
#include "distributed/rank_digits.hpp"
#include "engine/passes.hpp"
#include "faro/base/count.hpp"
#include "faro/engine/permute_plan.hpp"
#include "mpi/communicator.hpp"
#include "mpi/exchange.hpp"
#include "mpi/shared.hpp"
#include "mpi/sums.hpp"

namespace faro::inline v1 {

using mpi::Communicator;
using mpi::Exchange;
using mpi::Fingerprint;

struct MpiPlan::State {
  explicit State(MPI_Comm from) : ranks(from) {}
  ~State() {
    if (exchange && mpi::running()) exchange->free();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Communicator ranks;
  MpiOptions options;
  RankDigits digits;  // of a map of bits: one slice of units of 1 element
  std::uint64_t local_bytes = 0;
  std::optional<PermutePlan> before, after;
  AlignedBytes between;  // as much as the array, if either is there
  std::optional<ExchangePlan> plan;
  std::optional<GridMove> move;  // in place of all of these
  std::optional<MpiGridPlan> grid;
  std::optional<Exchange> exchange;
  std::optional<PermutePlan> local;   // apart without an exchange, in place after it
  std::optional<engine::Pass> whole;  // over shared memory
  Transport transport = Transport::pairwise;
  // Transport::measured: the first executions take turns; then the faster is kept.
  int trials_left = 0;
  std::array<double, 2> least_seconds{};  // of pairwise and all_to_all, on the slowest rank

  // Whether any rank is told of progress, and what its function threw.
  bool listens = false;
  std::exception_ptr failure;

  void prepare(const Map& map, std::uint64_t element_bytes);
  void prepare_lengths(const Map& map, std::uint64_t element_bytes);
  void check_mode(bool in_place) const;
  void run(const std::byte* from, std::byte* to, const Exchange::Told& told);
  void run_slices(const std::byte* from, std::byte* to);
  void end();
};

// The slices of an exchange one after another, told as one. What is thrown waits until all messages
// have come: others count on them.
void MpiPlan::State::run_slices(const std::byte* from, std::byte* to) {
  const std::uint64_t slice = plan->local_bytes();
  failure = nullptr;
  for (std::uint64_t at = 0; at < local_bytes; at += slice) {
    const Exchange::Told told = [&](std::uint64_t done, std::uint64_t) {
      if (failure) return;
      try {
        options.progress(at + done, local_bytes);
      } catch (...) {
        failure = std::current_exception();
      }
    };
    run(from + at, to + at, options.progress ? told : Exchange::Told());
  }
}

// So a plan whose progress threw can be executed again.
void MpiPlan::State::end() {
  if (!listens) return;
  ranks.agree({}, "progress", [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

void MpiPlan::State::run(const std::byte* from, std::byte* to, const Exchange::Told& told) {
  if (trials_left == 0) {
    exchange->run(ranks, from, to, told);
    return;
  }
  const std::size_t turn = trials_left % 2 == 0 ? 0 : 1;
  exchange->use(turn == 0 ? Exchange::How::pairwise : Exchange::How::all_to_all);
  const double start = MPI_Wtime();
  exchange->run(ranks, from, to, told);
  const double taken = ranks.most(MPI_Wtime() - start);
  const bool first = trials_left > static_cast<int>(least_seconds.size());
  least_seconds[turn] = first ? taken : std::min(least_seconds[turn], taken);
  if (--trials_left != 0) return;
  const bool at_once = least_seconds[1] < least_seconds[0];
  transport = at_once ? Transport::all_to_all : Transport::pairwise;
  exchange->use(at_once ? Exchange::How::all_to_all : Exchange::How::pairwise);
}

namespace {

// Each of the two twice: what comes first warms up for both.
constexpr int trials = 4;

// Below this much a message costs little but its startup, which all-to-all algorithms share.
constexpr std::uint64_t small_block_bytes = 4096;
constexpr std::uint64_t many_blocks = 8;

Fingerprint fingerprint_of(const Map& map, std::uint64_t element_bytes, const MpiOptions& options) {
  Fingerprint all;
  mpi::add_map(all, map);
  all.add(element_bytes);
  all.add(options.exchange.ranks == Ranks::fixed ? 0 : 1);
  all.add(options.exchange.buffer_bytes);
  all.add(options.exchange.step_bytes);
  all.add(options.exchange.in_place ? 1 : 0);
  all.add(options.exchange.whole_slices ? 1 : 0);
  all.add(static_cast<std::uint64_t>(options.exchange.node_bits));
  all.add(static_cast<std::uint64_t>(options.transport));
  all.add(static_cast<std::uint64_t>(options.check));
  return all;
}

int rank_bits_of(int size) {
  const auto ranks = static_cast<std::uint64_t>(size);
  if (!is_power_of_two(ranks)) {
    throw Error(ErrorCode::impossible,
                fmt::format("mpi: {} ranks; a bit map needs a power of two of them: start {}, or "
                            "split off a communicator of so many",
                            size, bit(highest_bit(ranks))));
  }
  return log2_exact(ranks);
}

Transport chosen(const ExchangePlan& plan, Transport wanted) {
  const bool may = plan.has_exchange() && plan.has_groups() && plan.packs() && plan.unpacks();
  if (wanted == Transport::all_to_all && !may) {
    throw Error(ErrorCode::impossible,
                "mpi: all-to-all needs ranks that form groups and messages that are packed and "
                "unpacked; this map has not both: Transport::automatic takes pairwise rounds");
  }
  if (wanted == Transport::measured && !may) return Transport::pairwise;
  if (wanted != Transport::automatic) return wanted;
  const bool pays = plan.blocks() >= many_blocks && plan.block_bytes() < small_block_bytes;
  return may && pays ? Transport::all_to_all : Transport::pairwise;
}

}  // namespace

void MpiPlan::State::check_mode(bool in_place) const {
  if (options.exchange.in_place == in_place) return;
  throw Error(ErrorCode::usage, in_place
                                    ? "mpi: this plan moves data to another array; make it with "
                                      "exchange.in_place for execute_in_place"
                                    : "mpi: this plan moves data in place; use execute_in_place");
}

// What goes between ranks, and what each does before and after.
void MpiPlan::State::prepare(const Map& map, std::uint64_t element_bytes) {
  if (const BitMap* bits = map.bits()) {
    digits.bits = *bits;
    if (bits->width() < rank_bits_of(ranks.size()))
      throw Error(ErrorCode::impossible, fmt::format("mpi: 2^{} elements on {} ranks; every rank "
                                                     "needs one at least",
                                                     bits->width(), ranks.size()));
    return;
  }
  prepare_lengths(map, element_bytes);
}

// Units that move as bits, or boxes where there are none.
void MpiPlan::State::prepare_lengths(const Map& map, std::uint64_t element_bytes) {
  if (options.exchange.in_place)
    throw Error(ErrorCode::usage,
                "mpi: axes of any length are exchanged from one array to another, not in place");
  if (element_bytes == 0) throw Error(ErrorCode::usage, "mpi: elements have at least 1 byte");
  const auto size = static_cast<Word>(ranks.size());
  RankDigits units;
  try {
    units = rank_digits(map, size);
  } catch (const Error& error) {
    const bool may = options.exchange.ranks == Ranks::fixed && map.elements() % size == 0 &&
                     options.transport != Transport::all_to_all;
    if (error.code() != ErrorCode::impossible || !may) throw;
    const auto elements = static_cast<Word>(map.elements());
    const GridPlacement parts({size}, {{AxisDeal::block(elements, size), {0}}});
    move.emplace(parts, parts, map, GridMoveOptions{.element_bytes = element_bytes});
    digits.before = digits.after = Map::identity(elements / size);
    local_bytes = size_product(elements / size, element_bytes, "bytes of a rank's array");
    return;
  }
  const std::uint64_t room = options.exchange.buffer_bytes / exchange_units_min / element_bytes;
  digits = sliced(units, room);
  const PermuteOptions how{.simd = options.exchange.simd};
  const TensorShape shape{element_bytes, {}, {}};
  if (digits.has_before()) before = PermutePlan::out_of_place(digits.before, shape, how);
  if (digits.has_after()) after = PermutePlan::out_of_place(digits.after, shape, how);
}

MpiPlan::MpiPlan(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                 const MpiOptions& options)
    : state_(std::make_unique<State>(communicator)) {
  State& s = *state_;
  s.options = options;
  const auto make = [&] {
    const int rank = s.ranks.rank();
    ExchangeOptions exchange = options.exchange;
    if (options.transport == Transport::all_to_all || options.transport == Transport::measured) {
      exchange.whole_slices = true;
    }
    s.prepare(map, element_bytes);
    if (s.move) return;
    const std::uint64_t unit_bytes = size_product(s.digits.unit, element_bytes, "bytes of a unit");
    s.plan = ExchangePlan::make(s.digits.bits, rank_bits_of(s.ranks.size()), unit_bytes, exchange);
    const ExchangePlan& plan = *s.plan;
    s.local_bytes = size_product(plan.local_bytes(), s.digits.slices, "bytes of a rank's array");
    if (map.bits() != nullptr)
      s.digits.before = s.digits.after = Map::identity(s.local_bytes / element_bytes);
    s.transport = chosen(plan, options.transport);
    const auto how =
        s.transport == Transport::all_to_all ? Exchange::How::all_to_all : Exchange::How::pairwise;
    if (s.transport == Transport::measured) s.trials_left = trials;
    s.exchange.emplace(plan, rank, how);
    const PermuteShape shape{.element_bytes = unit_bytes};
    const PermuteOptions local{.simd = options.exchange.simd};
    const BitMap here = plan.local_map(static_cast<Word>(rank));
    if (options.exchange.in_place && plan.has_local_map()) {
      s.local = PermutePlan::in_place(here, shape, local);
    } else if (!options.exchange.in_place && !plan.has_exchange()) {
      s.local = PermutePlan::out_of_place(here, shape, local);
    }
  };
  s.listens =
      s.ranks.agree(fingerprint_of(map, element_bytes, options), "map, element size or option",
                    make, options.progress ? Communicator::Vote::yes : Communicator::Vote::no);
  if (s.move) {
    MpiGridOptions how;
    how.buffer_bytes = options.exchange.buffer_bytes;
    how.progress = options.progress;
    s.grid.emplace(s.ranks.handle(), *s.move, how);
    return;
  }
  if (s.transport != Transport::pairwise) s.exchange->split(s.ranks);
}

MpiPlan::~MpiPlan() = default;
MpiPlan::MpiPlan(MpiPlan&&) noexcept = default;
MpiPlan& MpiPlan::operator=(MpiPlan&&) noexcept = default;

const GridMove* MpiPlan::move() const {
  return state_->move ? &*state_->move : nullptr;
}
const ExchangePlan& MpiPlan::plan() const {
  if (state_->move) throw Error(ErrorCode::usage, "mpi: this plan sends boxes; move() says which");
  return *state_->plan;
}
std::uint64_t MpiPlan::local_bytes() const {
  return state_->local_bytes;
}
std::uint64_t MpiPlan::slices() const {
  return state_->digits.slices;
}
std::uint64_t MpiPlan::unit_elements() const {
  return state_->digits.unit;
}
const Map& MpiPlan::before() const {
  return state_->digits.before;
}
const Map& MpiPlan::after() const {
  return state_->digits.after;
}
Transport MpiPlan::transport() const {
  return state_->transport;
}

void MpiPlan::execute(std::span<const std::byte> from, std::span<std::byte> to) {
  State& s = *state_;
  const auto local_check = [&] {
    s.check_mode(false);
    mpi::check_span(from.data(), from.size(), s.local_bytes, "from");
    mpi::check_span(to.data(), to.size(), s.local_bytes, "to");
    const auto a = reinterpret_cast<std::uintptr_t>(from.data());
    const auto b = reinterpret_cast<std::uintptr_t>(to.data());
    if (a < b + to.size() && b < a + from.size()) {
      throw Error(ErrorCode::usage, "mpi: from and to overlap; plans in place move one array");
    }
    if ((s.before || s.after) && s.between.size() == 0) s.between = AlignedBytes(s.local_bytes);
  };
  if (s.options.check == MpiOptions::Check::yes) {
    s.ranks.agree({}, "array", local_check);
  } else {
    local_check();
  }
  if (s.grid) return s.grid->execute(from, to);
  // Each pass from one array to the other; the last one writes `to`.
  const std::span<std::byte> between = s.between.all();
  if (s.before) {
    const std::span<std::byte> next = s.after ? to : between;
    s.before->execute(from, next);
    from = next;
  }
  const std::span<std::byte> next = s.after ? between : to;
  if (s.plan->has_exchange()) {
    s.run_slices(from.data(), next.data());
  } else {
    const std::uint64_t slice = s.plan->local_bytes();
    for (std::uint64_t at = 0; at < s.local_bytes; at += slice)
      s.local->execute(from.subspan(at, slice), next.subspan(at, slice));
  }
  if (s.after) s.after->execute(next, to);
  s.end();
}

void MpiPlan::execute_in_place(std::span<std::byte> data) {
  State& s = *state_;
  const auto local_check = [&] {
    s.check_mode(true);
    mpi::check_span(data.data(), data.size(), s.local_bytes, "data");
  };
  if (s.options.check == MpiOptions::Check::yes) {
    s.ranks.agree({}, "array", local_check);
  } else {
    local_check();
  }
  if (s.plan->has_exchange()) s.run_slices(data.data(), data.data());
  if (s.local) s.local->execute_in_place(data);
  s.end();
}

void MpiPlan::execute(const SharedArray& from, SharedArray& to) {
  State& s = *state_;
  s.ranks.agree({}, "array", [&] {
    s.check_mode(false);
    if (s.move || s.digits.unit != 1 || s.before || s.after)
      throw Error(ErrorCode::usage,
                  "mpi: axes of any length are exchanged between arrays of one's own; this plan "
                  "is not for shared memory");
    mpi::check_span(from.data().data(), from.data().size(), s.plan->local_bytes(), "from");
    mpi::check_span(to.data().data(), to.data().size(), s.plan->local_bytes(), "to");
    if (&from == &to) throw Error(ErrorCode::usage, "mpi: from and to are the same array");
    if (!s.whole) {
      s.whole =
          engine::plan_pass(s.plan->executed_map(), {.element_bytes = s.plan->element_bytes()},
                            {.simd = s.plan->options().simd}, engine::Place::apart);
    }
  });
  // What other ranks wrote into `from` before is seen, and what is written to `to` is seen after.
  mpi::meet(s.ranks, from.state_->window);
  engine::run_share(*s.whole, static_cast<Word>(s.ranks.rank()), static_cast<Word>(s.ranks.size()),
                    from.all().data(), to.all().data());
  mpi::meet(s.ranks, to.state_->window);
}

}  // namespace faro::inline v1
