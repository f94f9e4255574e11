#include "distributed/step_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"

namespace faro::inline v1::distributed {
namespace {

// A step's buffer stays in a core's cache (from 2 MiB on gathering and scattering cost twice as
// much), with messages that are worth their startup.
constexpr std::uint64_t step_bytes_default = std::uint64_t{1} << 17U;
constexpr std::uint64_t message_bytes_wanted = std::uint64_t{1} << 14U;
constexpr std::uint64_t message_bytes_least = std::uint64_t{1} << 12U;
// From here on a message a run costs no more than packing it.
constexpr std::uint64_t message_bytes_unpacked = std::uint64_t{1} << 16U;
// MPI counts bytes of a message in an int.
constexpr std::uint64_t message_bytes_max = std::uint64_t{1} << 30U;
// Runs of memory that a slice has whole, where there is a choice.
constexpr std::uint64_t run_bytes_wanted = 512;
// Shorter ones cost more than packing the other side does.
constexpr std::uint64_t run_bytes_enough = 256;

int floor_log2(std::uint64_t x) {
  return x == 0 ? -1 : highest_bit(x);
}
int floor_log2_of(std::uint64_t bytes, std::uint64_t element_bytes) {
  return floor_log2(bytes / element_bytes);
}

struct StepSizes {
  int m = 0;
  int rho = 0;
  std::uint64_t element_bytes = 1;
  const ExchangeOptions& options;
  bool own_apart = false;

  int all() const { return m - rho; }

  // log2 of the elements that a step may have with so many sides buffered.
  int step_log2(int sides) const {
    const std::uint64_t local = element_bytes << m;
    const auto sides_bytes = static_cast<std::uint64_t>(sides);
    const std::uint64_t fair = std::max(
        step_bytes_default, rho > 40 ? ~std::uint64_t{0} >> 1U : message_bytes_wanted << rho);
    // Elements that are larger, units of lengths, go one by one.
    const std::uint64_t target =
        options.step_bytes != 0 ? options.step_bytes : std::max(fair, element_bytes);
    // One step needs no second buffer.
    if (local <= target && local <= options.buffer_bytes / sides_bytes) return m;
    const std::uint64_t cap = options.buffer_bytes / (2 * sides_bytes);
    return std::min(m, floor_log2_of(std::min(target, cap), element_bytes));
  }
  // log2 of a message's elements in such a step. Where the buffer holds no messages of a few KiB
  // for all partners, for some of them at a time.
  int message_log2(int sides) const {
    const int step = step_log2(sides);
    if (step < 0) {
      throw Error(ErrorCode::usage,
                  fmt::format("exchange: a buffer of {} bytes for elements of {}; at least {} are "
                              "needed, one element to send and one to receive, in two steps",
                              options.buffer_bytes, element_bytes, 4 * element_bytes));
    }
    const int least = std::max(0, floor_log2_of(message_bytes_least, element_bytes));
    return std::min(all(), std::max(own_apart ? step : step - rho, std::min(step, least)));
  }
};

// How many low address bits messages may have as they are: on the old rank, on the new one, and on
// both in the same order.
struct Straight {
  int from = 0;
  int to = 0;
  int both = 0;
};

bool low_zero(const BitMatrix& matrix, int row) {
  return matrix.row(row) == 0;
}

Straight straight(const CanonicalForm& form, const Destination& to, const BitMatrix& d_inverse) {
  const int all = form.local_bits - form.rho();
  Straight result;
  while (result.from < all && form.w.column(result.from) == 0 && low_zero(form.x, result.from)) {
    ++result.from;
  }
  while (result.to < all && form.w.apply(d_inverse.column(result.to)) == 0 &&
         low_zero(to.c, result.to) && !has_bit(to.complement, result.to)) {
    ++result.to;
  }
  while (result.both < std::min(result.from, result.to) &&
         to.d.column(result.both) == bit(result.both) &&
         to.d.row(result.both) == bit(result.both)) {
    ++result.both;
  }
  return result;
}

struct Choice {
  int message_bits = 0;
  bool packs = true;
  bool unpacks = true;
  int sides() const { return (packs ? 1 : 0) + (unpacks ? 1 : 0); }
};

// From the best on; the last, packing on both sides, is always possible.
std::vector<Choice> choices(const StepSizes& sizes, const Straight& direct, bool in_place) {
  const int whole =
      std::min(sizes.all(), std::max(0, floor_log2_of(message_bytes_max, sizes.element_bytes)));
  // Runs that are long enough to be messages of their own.
  const int fair = std::max(0, floor_log2_of(message_bytes_unpacked, sizes.element_bytes));
  std::vector<Choice> all;
  // In place the data cannot be received where it is being sent from.
  if (!in_place) {
    const int both = std::min(direct.both, whole);
    if (both == whole || both >= fair) all.push_back({both, false, false});
  }
  const int packed = std::min(sizes.message_log2(2), whole);
  const int one_side = std::min(sizes.message_log2(1), whole);
  const int from = std::min(direct.from, one_side);
  if (!in_place && (from >= packed || from >= fair)) all.push_back({from, false, true});
  const int to = std::min(direct.to, one_side);
  if (to >= packed || to >= fair) all.push_back({to, true, false});
  all.push_back({packed, true, true});
  return all;
}

// Rows of S from the lowest up, independent of each other.
class Rows {
 public:
  explicit Rows(std::vector<Word> others) : others_(std::move(others)), span_(others_) {
    span_ = reduced_basis(others_);
  }
  bool add(Word row) {
    if (reduce(row, span_) == 0) return false;
    taken_.push_back(row);
    others_.push_back(row);
    span_ = reduced_basis(others_);
    return true;
  }
  const std::vector<Word>& taken() const { return taken_; }

 private:
  std::vector<Word> others_, span_, taken_;
};

struct Slices {
  std::vector<Word> rows;
  int run_bits = 0;  // low address bits that a slice has whole on every side that is packed
};

// Functionals that vanish on so many low address bits of the old side and of the new one.
std::vector<Word> vanishing(int m, const BitMatrix& d_inverse, int from, int to) {
  std::vector<Word> low;
  for (int i = 0; i < std::min(m, from); ++i) low.push_back(bit(i));
  for (int i = 0; i < std::min(m, to); ++i) low.push_back(d_inverse.column(i));
  return BitMatrix::from_rows(m, reduced_basis(low)).kernel();
}

// Adds those that are independent of what is there, until there are `count`.
bool fill(Rows& rows, int count, const std::vector<Word>& functionals) {
  for (const Word f : functionals) {
    if (static_cast<int>(rows.taken().size()) == count) break;
    rows.add(f);
  }
  return static_cast<int>(rows.taken().size()) == count;
}

// `count` functionals that vanish on low bits of both sides and are independent of the partner;
// fewer bits where there are not enough, but never fewer than a message that lies as it is.
Slices slices_of(int m, const std::vector<Word>& partner_rows, const BitMatrix& d_inverse,
                 int run_bits, const Choice& choice) {
  const int count = m - static_cast<int>(partner_rows.size()) - choice.message_bits;
  const int from_least = choice.packs ? 0 : choice.message_bits;
  const int to_least = choice.unpacks ? 0 : choice.message_bits;
  int from = std::max(from_least, std::min(m, run_bits));
  int to = std::max(to_least, std::min(m, run_bits));
  for (;;) {
    Rows enough(partner_rows);
    if (fill(enough, count, vanishing(m, d_inverse, from, to))) break;
    const bool from_may = from > from_least;
    const bool to_may = to > to_least;
    FARO_CHECK(from_may || to_may);
    if (from_may && (from >= to || !to_may)) {
      --from;
    } else {
      --to;
    }
  }
  // The high bits of a slice's number vanish on more, so that slices that follow each other share
  // pages, and lines of page tables.
  constexpr int shared_bits = 6;
  Rows rows(partner_rows);
  for (int more = shared_bits; more >= 0; --more) {
    if (fill(rows, count, vanishing(m, d_inverse, from + more, to + more))) break;
  }
  return {{rows.taken().rbegin(), rows.taken().rend()}, std::min(from, to)};
}

}  // namespace

Destination destination_of(const CanonicalForm& form, bool in_place) {
  if (!in_place) return {form.h, form.g, form.memory_complement};
  return {BitMatrix::identity(form.local_bits), then(form.n, form.x),
          form.x.apply(form.rank_complement)};
}

bool may_keep_own_apart(const CanonicalForm& form, const Destination& to,
                        std::uint64_t element_bytes) {
  if (form.rho() != 1) return false;
  const BitMatrix d_inverse = *to.d.inverse();
  const int run = std::max(0, floor_log2_of(run_bytes_enough, element_bytes));
  for (int i = 0; i < std::min(run, form.local_bits); ++i) {
    if (form.w.column(i) != 0 || form.w.apply(d_inverse.column(i)) != 0) return false;
  }
  return true;
}

StepLayout step_layout(const CanonicalForm& form, const Destination& to,
                       std::uint64_t element_bytes, const ExchangeOptions& options,
                       bool own_apart) {
  const int m = form.local_bits;
  const int rho = form.rho();
  const BitMatrix d_inverse = *to.d.inverse();
  const StepSizes sizes{m, rho, element_bytes, options, own_apart};

  StepLayout layout;
  const std::vector<Word> image = form.w.image();
  layout.v.assign(image.rbegin(), image.rend());
  std::vector<Word> place_rows;
  std::vector<Word> partner_rows;
  for (const Word v : layout.v) {
    place_rows.push_back(bit(highest_bit(v)));
    partner_rows.push_back(form.w.row(highest_bit(v)));
  }
  layout.place = BitMatrix::from_rows(form.rank_bits, place_rows);

  // Messages that lie in memory as they are sent must leave runs on the side that is packed: of a
  // transpose whole rows could be sent, but would be received as columns of one element.
  const int run_bits = std::max(0, floor_log2_of(run_bytes_wanted, element_bytes));
  const int enough = std::max(0, floor_log2_of(run_bytes_enough, element_bytes));
  const std::vector<Choice> all = choices(sizes, straight(form, to, d_inverse), options.in_place);
  Choice choice = all.back();
  Slices slices = slices_of(m, partner_rows, d_inverse, run_bits, choice);
  for (const Choice& one : all) {
    if (one.sides() == 2) break;
    Slices tried = slices_of(m, partner_rows, d_inverse, run_bits, one);
    if (one.sides() == 1 && tried.run_bits < std::min(enough, slices.run_bits)) continue;
    choice = one;
    slices = std::move(tried);
    break;
  }

  layout.message_bits = choice.message_bits;
  layout.packs = choice.packs;
  layout.unpacks = choice.unpacks;
  layout.slice_bits = m - rho - choice.message_bits;
  layout.own_apart = own_apart && choice.sides() > 0;
  if (layout.own_apart) {
    layout.batch_bits = rho;
  } else if (choice.sides() > 0) {
    layout.batch_bits =
        std::clamp(rho + choice.message_bits - sizes.step_log2(choice.sides()), 0, rho);
  }

  std::vector<Word> above = partner_rows;
  above.insert(above.end(), slices.rows.begin(), slices.rows.end());
  Rows within(above);
  // The order of the side that is sent from, where there is one that unpacks: a buffer that a
  // partner has read is written anew sooner from its beginning to its end.
  const bool as_sent = choice.unpacks;
  for (int i = 0; as_sent && i < m && static_cast<int>(within.taken().size()) < choice.message_bits;
       ++i) {
    FARO_CHECK(within.add(bit(i)) || choice.packs);
  }
  for (int i = 0; i < m && static_cast<int>(within.taken().size()) < choice.message_bits; ++i) {
    within.add(to.d.row(i));
  }
  std::vector<Word> rows = within.taken();
  rows.insert(rows.end(), above.begin(), above.end());
  layout.to_position = BitMatrix::from_rows(m, rows);
  layout.from_position = then(*layout.to_position.inverse(), to.d);
  return layout;
}

}  // namespace faro::inline v1::distributed
