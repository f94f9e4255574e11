#include "faro/distributed/exchange_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "distributed/step_layout.hpp"
#include "engine/involutions.hpp"
#include "engine/parts.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {

using distributed::CanonicalForm;
using distributed::StepLayout;

struct ExchangePlan::State {
  BitMap map;
  BitMap executed;
  BitMap relabelling;
  std::uint64_t element_bytes = 1;
  ExchangeOptions options;
  ExchangeCost cost;
  CanonicalForm form;
  distributed::Destination destination;
  StepLayout layout;
  std::optional<engine::Parts> pack, unpack;
  std::optional<engine::Parts> own;  // out of place, where layout.own_apart

  int low_block_bits() const { return form.rho() - layout.batch_bits; }
  // What a rank keeps is where W y is this; in the image of W, or the rank keeps nothing.
  Word own_vector(Word rank) const { return rank ^ form.virtual_rank(rank); }
  bool keeps(Word rank) const { return reduce(own_vector(rank), form.w.image()) == 0; }
  Word low_place(Word rank) const { return layout.place.apply(rank) & low_mask(low_block_bits()); }
  // The vector of block `block` of a step.
  Word vector(Word step, Word block) const {
    const Word number = (step & low_mask(layout.batch_bits)) << low_block_bits() | block;
    Word v = 0;
    for (Word left = number; left != 0; left &= left - 1) {
      v ^= layout.v[static_cast<std::size_t>(lowest_bit(left))];
    }
    return v;
  }
  Word position(Word step, Word block) const {
    const int inside = layout.message_bits + low_block_bits();
    return (inside == word_bits ? 0 : step << inside) | block << layout.message_bits;
  }
  std::uint64_t block_bytes() const { return element_bytes << layout.message_bits; }
};

namespace {

void check_sizes(const BitMap& map, int rank_bits, std::uint64_t element_bytes) {
  const int m = map.width() - rank_bits;
  if (m > limits::exchange_local_log2_max) {
    throw Error(ErrorCode::limit,
                fmt::format("exchange: 2^{} elements a rank; memory holds at most 2^{}", m,
                            limits::exchange_local_log2_max));
  }
  size_product(bit(m), element_bytes, "bytes of a rank");
}

std::vector<Word> columns_of(const BitMatrix& matrix) {
  std::vector<Word> columns;
  for (int i = 0; i < matrix.columns(); ++i) columns.push_back(matrix.column(i));
  return columns;
}

// The map on rank bits, the identity on memory bits.
BitMap on_ranks(const BitMap& ranks, int local_bits) {
  return beside(ranks, BitMap::identity(local_bits));
}

// From a rank's place to its place, where r'' is what N takes to r.
engine::Parts own_parts(const CanonicalForm& form, const distributed::Destination& to,
                        std::uint64_t element_bytes, Simd simd) {
  engine::PartsRequest request;
  const BitMatrix by_rank = then(form.n_inverse, to.c);
  request.map = BitMap::from_matrix(to.d, to.complement ^ by_rank.apply(form.rank_complement));
  request.compact = engine::Compact::neither;
  for (const Word v : form.w.image()) request.part_rows.push_back(form.w.row(highest_bit(v)));
  std::reverse(request.part_rows.begin(), request.part_rows.end());
  request.part_bits = form.rho();
  request.rank_from = columns_of(form.x);
  request.rank_to = columns_of(by_rank);
  request.element_bytes = element_bytes;
  request.simd = simd;
  request.stores = Stores::automatic;
  return engine::Parts(request);
}

void check_span(std::uint64_t wanted, std::uint64_t given, const char* what) {
  if (wanted == given) return;
  throw Error(ErrorCode::usage,
              fmt::format("exchange: {} of {} bytes; the plan needs {}", what, given, wanted));
}

void check_rank(Word rank, Word ranks) {
  if (rank < ranks) return;
  throw Error(ErrorCode::usage, fmt::format("exchange: rank {} of {}", rank, ranks));
}

}  // namespace

ExchangePlan::ExchangePlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}

ExchangePlan ExchangePlan::make(const BitMap& map, int rank_bits, std::uint64_t element_bytes,
                                const ExchangeOptions& options) {
  auto state = std::make_shared<State>();
  State& s = *state;
  s.cost = exchange_cost(map, rank_bits, element_bytes, options.ranks, options.node_bits);
  check_sizes(map, rank_bits, element_bytes);
  const int m = map.width() - rank_bits;
  s.map = map;
  s.element_bytes = element_bytes;
  s.options = options;
  s.form = distributed::canonical_form(map, rank_bits);
  s.relabelling = BitMap::identity(rank_bits);
  s.executed = map;
  if (options.ranks == Ranks::relabelled) {
    s.relabelling = BitMap::from_matrix(s.form.n, s.form.rank_complement);
    s.executed = then(map, on_ranks(s.relabelling.inverse(), m));
    s.form = distributed::canonical_form(s.executed, rank_bits);
    FARO_CHECK(s.form.n == BitMatrix::identity(rank_bits) && s.form.rank_complement == 0);
  }
  s.destination = distributed::destination_of(s.form, options.in_place);
  bool own_apart = !options.whole_slices &&
                   distributed::may_keep_own_apart(s.form, s.destination, element_bytes);
  if (own_apart && !options.in_place) {
    s.own = own_parts(s.form, s.destination, element_bytes, options.simd);
    own_apart = s.own->is_possible();
  }
  s.layout = distributed::step_layout(s.form, s.destination, element_bytes, options, own_apart);

  engine::PartsRequest request;
  request.part_bits = s.layout.slice_bits + s.layout.batch_bits;
  request.element_bytes = element_bytes;
  request.simd = options.simd;
  std::vector<Word> by_place;
  for (int j = 0; j < rank_bits; ++j) {
    by_place.push_back(s.low_place(bit(j)) << s.layout.message_bits);
  }
  if (s.layout.packs) {
    const Word start = s.low_place(s.form.n_inverse.apply(s.form.rank_complement));
    request.map = BitMap::from_matrix(s.layout.to_position, start << s.layout.message_bits);
    request.compact = engine::Compact::to;
    request.rank_from = columns_of(s.form.x);
    request.rank_to = by_place;
    s.pack.emplace(request);
  }
  if (s.layout.unpacks) {
    request.map = BitMap::from_matrix(s.layout.from_position, s.destination.complement);
    request.compact = engine::Compact::from;
    request.rank_from = by_place;
    request.rank_to = columns_of(s.destination.c);
    // What does not fit the caches passes them by.
    constexpr std::uint64_t streaming_bytes_min = std::uint64_t{4} << 20U;
    if (element_bytes << m >= streaming_bytes_min) request.stores = Stores::streaming;
    s.unpack.emplace(request);
  }
  return ExchangePlan(std::move(state));
}

int ExchangePlan::rank_bits() const {
  return state_->form.rank_bits;
}
int ExchangePlan::local_bits() const {
  return state_->form.local_bits;
}
std::uint64_t ExchangePlan::ranks() const {
  return bit(rank_bits());
}
std::uint64_t ExchangePlan::element_bytes() const {
  return state_->element_bytes;
}
std::uint64_t ExchangePlan::local_bytes() const {
  return state_->element_bytes << local_bits();
}
const ExchangeOptions& ExchangePlan::options() const {
  return state_->options;
}
const BitMap& ExchangePlan::map() const {
  return state_->map;
}
const BitMap& ExchangePlan::executed_map() const {
  return state_->executed;
}
const BitMap& ExchangePlan::relabelling() const {
  return state_->relabelling;
}
const ExchangeCost& ExchangePlan::cost() const {
  return state_->cost;
}
std::uint64_t ExchangePlan::slices() const {
  return bit(state_->layout.slice_bits);
}
std::uint64_t ExchangePlan::steps() const {
  return bit(state_->layout.slice_bits + state_->layout.batch_bits);
}
std::uint64_t ExchangePlan::buffer_bytes() const {
  if (!has_exchange()) return 0;
  const std::uint64_t sides = (packs() ? 1U : 0U) + (unpacks() ? 1U : 0U);
  return sides * step_bytes() * (steps() > 1 ? 2 : 1);
}
int ExchangePlan::local_passes() const {
  if (!has_exchange() && !options().in_place) return 1;
  const int packing = has_exchange() ? (packs() ? 1 : 0) + (unpacks() ? 1 : 0) : 0;
  if (!options().in_place || !has_local_map()) return packing;
  // Ranks differ in the constant. One that costs a pass more lies outside of a subspace, so if some
  // rank has one, rank 0 or one of a single bit has.
  std::size_t most = engine::involutions(local_map(0)).size();
  for (int j = 0; j < rank_bits(); ++j) {
    most = std::max(most, engine::involutions(local_map(bit(j))).size());
  }
  return packing + static_cast<int>(most);
}
bool ExchangePlan::has_exchange() const {
  return state_->cost.rounds != 0;
}

std::uint64_t ExchangePlan::blocks() const {
  return bit(state_->low_block_bits());
}
std::uint64_t ExchangePlan::block_bytes() const {
  return state_->block_bytes();
}
Word ExchangePlan::target(Word rank, Word step, Word block) const {
  return state_->form.rank_of(rank ^ state_->vector(step, block));
}
Word ExchangePlan::origin(Word rank, Word step, Word block) const {
  return state_->form.virtual_rank(rank) ^ state_->vector(step, block);
}
bool ExchangePlan::packs() const {
  return state_->layout.packs;
}
bool ExchangePlan::unpacks() const {
  return state_->layout.unpacks;
}

std::uint64_t ExchangePlan::send_offset(Word rank, Word step, Word block) const {
  const State& s = *state_;
  if (packs()) {
    const Word zero = s.form.n_inverse.apply(s.form.rank_complement);
    return (block ^ s.low_place(rank ^ zero)) * block_bytes();
  }
  const Word y = s.layout.to_position.inverse()->apply(s.position(step, block));
  return (y ^ s.form.x.apply(rank)) * s.element_bytes;
}

std::uint64_t ExchangePlan::receive_offset(Word rank, Word step, Word block) const {
  const State& s = *state_;
  const Word virtual_rank = s.form.virtual_rank(rank);
  if (unpacks()) return (block ^ s.low_place(virtual_rank)) * block_bytes();
  const Word at = s.layout.from_position.apply(s.position(step, block));
  return (at ^ s.destination.c.apply(virtual_rank) ^ s.destination.complement) * s.element_bytes;
}

std::uint64_t ExchangePlan::step_bytes() const {
  return blocks() * block_bytes();
}

void ExchangePlan::pack(Word rank, Word step, std::span<const std::byte> data,
                        std::span<std::byte> send) const {
  FARO_CHECK(packs() && rank < ranks() && step < steps());
  check_span(local_bytes(), data.size(), "data");
  check_span(step_bytes(), send.size(), "a buffer");
  state_->pack->run(rank, step, data.data(), send.data());
}

void ExchangePlan::unpack(Word rank, Word step, std::span<const std::byte> received,
                          std::span<std::byte> data) const {
  FARO_CHECK(unpacks() && rank < ranks() && step < steps());
  check_span(step_bytes(), received.size(), "a buffer");
  check_span(local_bytes(), data.size(), "data");
  state_->unpack->run(state_->form.virtual_rank(rank), step, received.data(), data.data());
}

// As the passes of the engine: to = map(from ^ F r) ^ T r.
BitMap ExchangePlan::pack_map(Word rank) const {
  const State& s = *state_;
  check_rank(rank, ranks());
  if (!packs())
    throw Error(ErrorCode::usage, "exchange: nothing is packed, messages lie in the data as sent");
  const Word zero = s.form.n_inverse.apply(s.form.rank_complement);
  const Word place = s.low_place(rank ^ zero) << s.layout.message_bits;
  return BitMap::from_matrix(s.layout.to_position,
                             s.layout.to_position.apply(s.form.x.apply(rank)) ^ place);
}

BitMap ExchangePlan::unpack_map(Word rank) const {
  const State& s = *state_;
  check_rank(rank, ranks());
  if (!unpacks())
    throw Error(ErrorCode::usage, "exchange: nothing is unpacked, messages are received in place");
  const Word virtual_rank = s.form.virtual_rank(rank);
  const Word place = s.low_place(virtual_rank) << s.layout.message_bits;
  return BitMap::from_matrix(s.layout.from_position, s.layout.from_position.apply(place) ^
                                                         s.destination.complement ^
                                                         s.destination.c.apply(virtual_rank));
}

bool ExchangePlan::keeps_apart(Word rank) const {
  return state_->layout.own_apart && state_->keeps(rank);
}

void ExchangePlan::move_kept(Word rank, Word share, Word shares, std::span<const std::byte> from,
                             std::span<std::byte> to) const {
  FARO_CHECK(keeps_apart(rank) && share < shares);
  if (options().in_place) return;  // it is where it has to be
  check_span(local_bytes(), from.size(), "data");
  check_span(local_bytes(), to.size(), "data");
  const Word part = state_->layout.place.apply(state_->own_vector(rank));
  state_->own->run_share(rank, part, share, shares, from.data(), to.data());
}

bool ExchangePlan::has_groups() const {
  const State& s = *state_;
  return s.layout.batch_bits == 0 && s.form.n == BitMatrix::identity(rank_bits()) &&
         reduce(s.form.rank_complement, s.form.v) == 0;
}
Word ExchangePlan::group_of(Word rank) const {
  return reduce(rank, state_->form.v);
}
Word ExchangePlan::place_in_group(Word rank) const {
  return state_->layout.place.apply(rank);
}

BitMap ExchangePlan::local_map(Word rank) const {
  const CanonicalForm& form = state_->form;
  const Word constant = form.h.apply(form.x.apply(rank)) ^ form.g.apply(form.virtual_rank(rank)) ^
                        form.memory_complement;
  return BitMap::from_matrix(form.h, constant);
}

bool ExchangePlan::has_local_map() const {
  const State& s = *state_;
  const int m = local_bits();
  const CanonicalForm& form = s.form;
  const auto constants = distributed::sum(then(form.x, form.h), then(form.n_inverse, form.g));
  return form.h != BitMatrix::identity(m) || constants != BitMatrix(m, rank_bits()) ||
         (form.g.apply(form.n_inverse.apply(form.rank_complement)) ^ form.memory_complement) != 0;
}

}  // namespace faro::inline v1
