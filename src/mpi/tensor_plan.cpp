#include "faro/mpi/tensor_plan.hpp"

#include <fmt/format.h>

#include <optional>

#include "algebra/digit_walk.hpp"
#include "base/aligned_bytes.hpp"
#include "distributed/rank_digits.hpp"
#include "faro/engine/permute_plan.hpp"
#include "mpi/communicator.hpp"
#include "mpi/sums.hpp"

namespace faro::inline v1 {
namespace {

mpi::Fingerprint fingerprint_of(const Map& map, std::uint64_t element_bytes) {
  mpi::Fingerprint all;
  const Digits& digits = map.digits();
  for (const auto* side : {&digits.from, &digits.to})
    for (const Digit& digit : *side) {
      all.add(digit.length);
      all.add(static_cast<std::uint64_t>(digit.which + 1) * 2 + (digit.reversed ? 1 : 0));
    }
  all.add(hash_of(digits.bits));
  all.add(element_bytes);
  return all;
}

}  // namespace

struct MpiTensorPlan::State {
  explicit State(MPI_Comm communicator) : ranks(communicator) {}
  mpi::Communicator ranks;
  RankDigits digits;
  std::uint64_t local_bytes = 0;
  std::optional<PermutePlan> before;
  std::optional<PermutePlan> after;
  std::optional<MpiPlan> exchange;
  AlignedBytes between;  // as much as the array, if both or either is there
  MpiOptions options;

  void exchange_slices(std::span<const std::byte> from, std::span<std::byte> to) {
    const std::uint64_t slice = local_bytes / digits.slices;
    for (Word s = 0; s < digits.slices; ++s) {
      exchange->execute(from.subspan(s * slice, slice), to.subspan(s * slice, slice));
      if (options.progress) options.progress((s + 1) * slice, local_bytes);
    }
  }
};

MpiTensorPlan::MpiTensorPlan(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                             const MpiOptions& options)
    : state_(std::make_unique<State>(communicator)) {
  State& s = *state_;
  s.options = options;
  MpiOptions of_slice = options;
  of_slice.progress = {};
  s.ranks.agree(fingerprint_of(map, element_bytes), "map or element size", [&] {
    if (options.exchange.in_place)
      throw Error(ErrorCode::usage,
                  "mpi: axes of any length are exchanged from one array to another, not in place");
    if (element_bytes == 0) throw Error(ErrorCode::usage, "mpi: elements have at least 1 byte");
    const std::uint64_t room = options.exchange.buffer_bytes / exchange_units_min / element_bytes;
    s.digits = sliced(rank_digits(map, static_cast<Word>(s.ranks.size())), room);
    s.local_bytes =
        size_product(s.digits.local_elements(), element_bytes, "bytes of a rank's array");
    const PermuteOptions local{.simd = options.exchange.simd};
    const TensorShape shape{element_bytes, {}, {}};
    if (s.digits.has_before()) s.before = PermutePlan::out_of_place(s.digits.before, shape, local);
    if (s.digits.has_after()) s.after = PermutePlan::out_of_place(s.digits.after, shape, local);
  });
  s.exchange.emplace(communicator, s.digits.bits, s.digits.unit * element_bytes, of_slice);
}

MpiTensorPlan::~MpiTensorPlan() = default;
MpiTensorPlan::MpiTensorPlan(MpiTensorPlan&&) noexcept = default;
MpiTensorPlan& MpiTensorPlan::operator=(MpiTensorPlan&&) noexcept = default;

void MpiTensorPlan::execute(std::span<const std::byte> from, std::span<std::byte> to) {
  State& s = *state_;
  s.ranks.agree({}, "sizes", [&] {
    mpi::check_span(from.data(), from.size(), s.local_bytes, "from");
    mpi::check_span(to.data(), to.size(), s.local_bytes, "to");
    if ((s.before || s.after) && s.between.size() == 0) s.between = AlignedBytes(s.local_bytes);
  });
  const std::span<std::byte> between = s.between.all();
  // Each step from one array to the other; the last one writes `to`.
  std::span<const std::byte> at = from;
  if (s.before) {
    const std::span<std::byte> next = s.after ? to : between;
    s.before->execute(at, next);
    at = next;
  }
  const std::span<std::byte> next = s.after ? between : to;
  s.exchange_slices(at, next);
  if (s.after) s.after->execute(next, to);
}

std::uint64_t MpiTensorPlan::local_bytes() const {
  return state_->local_bytes;
}
const ExchangePlan& MpiTensorPlan::exchange() const {
  return state_->exchange->plan();
}
std::uint64_t MpiTensorPlan::slices() const {
  return state_->digits.slices;
}
std::uint64_t MpiTensorPlan::unit_elements() const {
  return state_->digits.unit;
}
const Map& MpiTensorPlan::before() const {
  return state_->digits.before;
}
const Map& MpiTensorPlan::after() const {
  return state_->digits.after;
}

bool verify_exchange(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                     std::span<const std::byte> from, std::span<const std::byte> to) {
  const mpi::Communicator ranks(communicator);
  Word elements = 0;
  ranks.agree(fingerprint_of(map, element_bytes), "map or element size", [&] {
    const auto size = static_cast<std::uint64_t>(ranks.size());
    if (element_bytes == 0 || map.elements() % size != 0)
      throw Error(ErrorCode::usage,
                  fmt::format("mpi: {} ranks, a map of {} elements, elements of {} bytes", size,
                              to_string(map.elements()), element_bytes));
    elements = static_cast<Word>(map.elements() / size);
    const std::uint64_t bytes = size_product(elements, element_bytes, "bytes of a rank");
    mpi::check_span(from.data(), from.size(), bytes, "from");
    mpi::check_span(to.data(), to.size(), bytes, "to");
  });
  const Word first = static_cast<Word>(ranks.rank()) * elements;
  mpi::Sums old{};
  mpi::Sums now{};
  const radix::DigitPlaces places(map);
  radix::DigitWalk walk(places, first);
  for (Word i = 0; i < elements; ++i, walk.next()) {
    mpi::add_element(old, walk.place(), from.data() + i * element_bytes, element_bytes);
    mpi::add_element(now, first + i, to.data() + i * element_bytes, element_bytes);
  }
  return mpi::agree_sums(ranks, old, now);
}

}  // namespace faro::inline v1
