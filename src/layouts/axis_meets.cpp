// What parts of two deals have in common.
//
// A part of a deal is intervals (of a list, or its one block) or a progression of runs of `block`,
// `period` apart. Intervals meet intervals, an interval cuts a progression into at most three
// stretches, and two progressions repeat after the least common multiple of their periods: what
// they share is looked for in one such window, and each meet there is a stretch.
//
// A progression that is rolled is two, that end at the seam: between x and y = x + roll there, or
// y = x + roll - n, nothing is different but where the runs of a period begin. Each is looked at
// as if it went on over the whole axis, and what is found is cut to its side of the seam.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algebra/residues.hpp"
#include "base/check.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

class AxisMeets {
 public:
  AxisMeets(const AxisDeal& a, std::uint64_t part, const AxisDeal& b) : a_(a), part_(part), b_(b) {
    FARO_CHECK(a.length() == b.length() && part < a.parts());
  }

  std::vector<AxisMeet> all() {
    if (a_.has_pieces() && b_.has_pieces())
      pieces_with_pieces();
    else if (a_.has_pieces())
      pieces_with_runs();
    else if (b_.has_pieces())
      runs_with_pieces();
    else
      runs_with_runs();
    return gathered();
  }

  AxisMeet between(std::uint64_t other) {
    if (a_.has_pieces() && b_.has_pieces()) {
      for_pieces_of_both(other, [&](Interval both) {
        put(other, {both.begin, both.end - both.begin, 1, 0});
      });
    } else if (a_.has_pieces()) {
      for_pieces(a_, part_, [&](Interval i) { clip(b_, other, i); });
    } else if (b_.has_pieces()) {
      for_pieces(b_, other, [&](Interval i) { clip(a_, part_, i, other); });
    } else {
      const bool swap = a_.period() < b_.period();
      const AxisDeal& few = swap ? b_ : a_;
      const AxisDeal& many = swap ? a_ : b_;
      for_runs(few, swap ? other : part_, {0, window()},
               [&](std::uint64_t begin, std::uint64_t end) {
                 for_runs(many, swap ? part_ : other, {begin, end},
                          [&](std::uint64_t x, std::uint64_t stop) { repeated(other, x, stop); });
               });
    }
    std::vector<AxisMeet> result = gathered();
    return result.empty() ? AxisMeet{other, 0, 0, {}} : std::move(result.front());
  }

  std::uint64_t with(std::uint64_t other) {
    std::uint64_t total = 0;
    if (a_.has_pieces() && b_.has_pieces()) {
      for_pieces_of_both(other, [&](Interval both) { total += both.end - both.begin; });
    } else if (a_.has_pieces()) {
      for_pieces(a_, part_,
                 [&](Interval i) { total += up_to(b_, other, i.end) - up_to(b_, other, i.begin); });
    } else if (b_.has_pieces()) {
      for_pieces(b_, other,
                 [&](Interval i) { total += up_to(a_, part_, i.end) - up_to(a_, part_, i.begin); });
    } else {
      // The runs of the longer period are fewer.
      const bool swap = a_.period() < b_.period();
      total =
          runs_shared(swap ? b_ : a_, swap ? other : part_, swap ? a_ : b_, swap ? part_ : other);
    }
    return total;
  }

 private:
  struct Interval {
    std::uint64_t begin, end;
  };
  struct Found {
    std::uint64_t part;
    Stretch stretch;
  };

  static Interval turned(const AxisDeal& d, Interval i) {
    return d.reversed_ ? Interval{d.length_ - i.end, d.length_ - i.begin} : i;
  }
  // The pieces of one part, in x.
  template <class Visit>
  static void for_pieces(const AxisDeal& d, std::uint64_t part, Visit visit) {
    if (!d.pieces_) {
      const std::uint64_t i = (part + d.parts_ - d.first_) % d.parts_;
      if (i >= d.pieces()) return;
      const AxisPiece p = d.piece(i);
      visit(turned(d, {p.begin, p.end}));
      return;
    }
    for (std::size_t k = d.pieces_->first[part]; k < d.pieces_->first[part + 1]; ++k)
      visit(turned(d, {d.pieces_->by_part[k].begin, d.pieces_->by_part[k].end}));
  }
  // What pieces of both parts share.
  template <class Visit>
  void for_pieces_of_both(std::uint64_t other, Visit visit) const {
    for_pieces(a_, part_, [&](Interval i) {
      for_pieces(b_, other, [&](Interval j) {
        const Interval both{std::max(i.begin, j.begin), std::min(i.end, j.end)};
        if (both.begin < both.end) visit(both);
      });
    });
  }
  // All pieces that meet an interval, with their parts.
  template <class Visit>
  static void for_pieces_in(const AxisDeal& d, Interval where, Visit visit) {
    const Interval y = turned(d, where);
    for (std::uint64_t i = d.piece_at(y.begin); i < d.pieces(); ++i) {
      const AxisPiece p = d.piece(i);
      if (p.begin >= y.end) break;
      visit(p.part, turned(d, {std::max(p.begin, y.begin), std::min(p.end, y.end)}));
    }
  }
  // Where runs of a part begin, modulo the period; runs go on beyond both ends of the axis.
  static std::uint64_t origin(const AxisDeal& d, std::uint64_t part) {
    const std::uint64_t begin = (part + d.parts_ - d.first_) % d.parts_ * d.block_;
    const std::uint64_t period = d.period();
    if (!d.reversed_) return (begin + (period - d.phase_)) % period;
    return (((d.length_ + d.phase_) % period) + (period - begin) + (period - d.block_)) % period;
  }
  // Indices of a part below x.
  static std::uint64_t up_to(const AxisDeal& d, std::uint64_t part, std::uint64_t x) {
    const std::uint64_t o = origin(d, part);
    const std::uint64_t period = d.period();
    // A run may begin before 0 and reach into the axis.
    const std::uint64_t before = o + d.block_ > period ? o + d.block_ - period : 0;
    const std::uint64_t whole = x / period;
    const std::uint64_t rest = x % period;
    return (whole * d.block_) + std::min(rest, before) +
           (rest > o ? std::min(rest - o, d.block_) : 0);
  }
  // The runs of a part within [where), in x.
  template <class Visit>
  static void for_runs(const AxisDeal& d, std::uint64_t part, Interval where, Visit visit) {
    const std::uint64_t period = d.period();
    const std::uint64_t o = origin(d, part);
    const auto clipped = [&](std::uint64_t begin, std::uint64_t end) {
      begin = std::max(begin, where.begin);
      end = std::min(end, where.end);
      if (begin < end) visit(begin, end);
    };
    std::uint64_t begin = where.begin / period * period;
    if (o + d.block_ > period) clipped(begin, begin + (o + d.block_ - period));
    for (begin += o; begin < where.end; begin += period) clipped(begin, begin + d.block_);
  }

  std::vector<AxisMeet> gathered() {
    std::sort(found_.begin(), found_.end(), [](const Found& p, const Found& q) {
      return std::pair(p.part, p.stretch.x) < std::pair(q.part, q.stretch.x);
    });
    std::vector<AxisMeet> result;
    for (const Found& f : found_) {
      if (result.empty() || result.back().part != f.part) result.push_back({f.part, 0, 0, {}});
      AxisMeet& meet = result.back();
      meet.elements += f.stretch.elements();
      meet.pieces += f.stretch.count;
      meet.stretches.push_back(f.stretch);
    }
    return result;
  }
  void put(std::uint64_t part, const Stretch& stretch) { found_.push_back({part, stretch}); }

  // An interval cuts runs of one part into a first, whole ones and a last, shared with `other`.
  void clip(const AxisDeal& d, std::uint64_t part, Interval where, std::uint64_t other) {
    const std::uint64_t period = d.period();
    const std::uint64_t o = origin(d, part);
    const auto one = [&](std::uint64_t begin, std::uint64_t end) {
      begin = std::max(begin, where.begin);
      end = std::min(end, where.end);
      if (begin < end) put(other, {begin, end - begin, 1, 0});
    };
    std::uint64_t begin = where.begin / period * period;
    if (o + d.block_ > period) one(begin, begin + (o + d.block_ - period));
    begin += o;
    if (begin < where.begin) {
      one(begin, begin + d.block_);
      begin += period;
    }
    if (begin >= where.end) return;
    // Whole ones: begin + k period + block <= end.
    const std::uint64_t room = where.end - begin;
    const std::uint64_t whole = room < d.block_ ? 0 : ((room - d.block_) / period) + 1;
    if (whole > 0) put(other, {begin, d.block_, whole, whole > 1 ? period : 0});
    begin += whole * period;
    if (begin < where.end) one(begin, begin + d.block_);
  }
  void clip(const AxisDeal& d, std::uint64_t part, Interval where) { clip(d, part, where, part); }

  void pieces_with_pieces() {
    for_pieces(a_, part_, [&](Interval i) {
      for_pieces_in(b_, i, [&](std::uint64_t part, Interval both) {
        put(part, {both.begin, both.end - both.begin, 1, 0});
      });
    });
  }

  void pieces_with_runs() {
    for_pieces(a_, part_, [&](Interval i) {
      // Parts of as many blocks as there are, once each.
      const Interval y = turned(b_, i);
      const std::uint64_t first = (y.begin + b_.phase_) / b_.block_;
      const std::uint64_t blocks = ((y.end + b_.phase_ - 1) / b_.block_) - first + 1;
      for (std::uint64_t k = 0; k < std::min(blocks, b_.parts_); ++k)
        clip(b_, (b_.first_ + ((first + k) % b_.parts_)) % b_.parts_, i);
    });
  }

  void runs_with_pieces() {
    for_pieces_in(b_, {0, b_.length_},
                  [&](std::uint64_t part, Interval i) { clip(a_, part_, i, part); });
  }

  // Of progressions: what one window holds repeats, the last time perhaps cut short.
  std::uint64_t window() const {
    const std::uint64_t g = std::gcd(a_.period(), b_.period());
    const std::uint64_t length = a_.length_;
    if (a_.period() / g >= (length - 1) / b_.period() + 1) return length;
    return a_.period() / g * b_.period();
  }

  void repeated(std::uint64_t part, std::uint64_t begin, std::uint64_t stop) {
    const std::uint64_t length = a_.length_;
    const std::uint64_t repeat = window();
    const std::uint64_t count = 1 + ((length - stop) / repeat);
    put(part, {begin, stop - begin, count, count > 1 ? repeat : 0});
    const std::uint64_t last = begin + (count * repeat);
    if (last < length) put(part, {last, std::min(stop - begin, length - last), 1, 0});
  }

  void runs_with_runs() {
    const std::uint64_t length = a_.length_;
    for_runs(a_, part_, {0, window()}, [&](std::uint64_t begin, std::uint64_t end) {
      while (begin < end) {
        const std::uint64_t y = b_.turned(begin) + b_.phase_;
        const std::uint64_t block = y / b_.block_;
        const std::uint64_t stop =
            std::min(end, b_.reversed_ ? length + b_.phase_ - (block * b_.block_)
                                       : begin + (b_.block_ - (y % b_.block_)));
        const std::uint64_t part = (b_.first_ + block) % b_.parts_;
        repeated(part, begin, stop);
        begin = stop;
      }
    });
  }

  // Shared within [0, end). Two runs meet at as many distances as both are long; those that are
  // possible are equal modulo the greatest common divisor g of the periods, and each of them
  // happens once in a least common multiple, at a place that the Chinese remainder theorem says.
  std::uint64_t shared_by_residues(const AxisDeal& few, std::uint64_t part, const AxisDeal& many,
                                   std::uint64_t other, std::uint64_t end) const {
    __extension__ typedef unsigned __int128 Wide;
    const std::uint64_t p = few.period();
    const std::uint64_t q = many.period();
    const std::uint64_t g = std::gcd(p, q);
    const std::uint64_t inverse = q / g == 1 ? 0 : inverse_modulo(p / g % (q / g), q / g);
    const Wide multiple = static_cast<Wide>(p / g) * q;
    const std::uint64_t o = origin(few, part);
    const std::uint64_t at = origin(many, other);
    std::uint64_t total = 0;
    // skip: how far in its run the first one is where the second one's place is `late`.
    const auto add = [&](std::uint64_t skip, std::uint64_t late, std::uint64_t length) {
      const std::uint64_t x = (o + skip) % p;
      const std::uint64_t y = (at + late) % q;
      // x + k p = y modulo q
      const std::uint64_t k =
          q / g == 1 ? 0
                     : static_cast<std::uint64_t>(
                           static_cast<Wide>(((y % q) + q - (x % q)) % q / g) * inverse % (q / g));
      const Wide begin = x + (static_cast<Wide>(k) * p);
      // Whole multiples have it once each, what is left some of it, perhaps from both ends.
      const Wide whole = end / multiple;
      const Wide rest = end - (whole * multiple);
      Wide found = whole * length;
      if (begin < rest) found += std::min<Wide>(length, rest - begin);
      if (begin + length > multiple) found += std::min<Wide>(begin + length - multiple, rest);
      total += static_cast<std::uint64_t>(found);
    };
    // The second begins `skip` into the first, then the first `late` into the second.
    const std::uint64_t residue = ((at % g) + g - (o % g)) % g;
    for (std::uint64_t skip = residue; skip < few.block_; skip += g)
      add(skip, 0, std::min(many.block_, few.block_ - skip));
    for (std::uint64_t late = residue == 0 ? g : g - residue; late < many.block_; late += g)
      add(0, late, std::min(few.block_, many.block_ - late));
    return total;
  }

  std::uint64_t runs_shared(const AxisDeal& few, std::uint64_t part, const AxisDeal& many,
                            std::uint64_t other) const {
    const std::uint64_t length = few.length_;
    const std::uint64_t repeat = window();
    const std::uint64_t g = std::gcd(few.period(), many.period());
    const std::uint64_t distances = ((few.block_ + many.block_) / g) + 1;
    if (distances < repeat / few.period()) {
      return shared_by_residues(few, part, many, other, length);
    }
    const auto within = [&](std::uint64_t end) {
      std::uint64_t total = 0;
      for_runs(few, part, {0, end}, [&](std::uint64_t from, std::uint64_t to) {
        total += up_to(many, other, to) - up_to(many, other, from);
      });
      return total;
    };
    const std::uint64_t whole = length / repeat;
    return (whole == 0 ? 0 : whole * within(repeat)) + within(length % repeat);
  }

  const AxisDeal& a_;
  std::uint64_t part_;
  const AxisDeal& b_;
  std::vector<Found> found_;
};

// What a deal is on one side of its seam; the whole axis where it is not rolled.
struct AxisSide {
  AxisDeal deal;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  static std::vector<AxisSide> of(const AxisDeal& deal) {
    const std::uint64_t n = deal.length_;
    const std::uint64_t roll = deal.roll_;
    if (roll == 0) return {{deal, 0, n}};
    const std::uint64_t period = deal.period();
    AxisDeal further = deal;
    further.roll_ = 0;
    AxisDeal back = further;
    further.phase_ = roll % period;
    back.phase_ = (period - ((n - roll) % period)) % period;
    if (deal.reversed_) return {{back, 0, roll}, {further, roll, n}};
    return {{further, 0, n - roll}, {back, n - roll, n}};
  }
};

namespace {

// The part of a stretch within an interval: a first run, whole ones and a last.
void cut(const Stretch& s, std::uint64_t begin, std::uint64_t end, AxisMeet& into) {
  const auto put = [&](std::uint64_t from, std::uint64_t to, std::uint64_t count) {
    from = std::max(from, begin);
    to = std::min(to, end);
    if (count == 0 || from >= to) return;
    into.stretches.push_back({from, to - from, count, count > 1 ? s.stride : 0});
    into.elements += (to - from) * count;
    into.pieces += count;
  };
  if (s.count == 1) return put(s.x, s.x + s.run, 1);
  if (s.x >= end) return;
  std::uint64_t k = begin < s.x + s.run ? 0 : ((begin - s.x - s.run) / s.stride) + 1;
  std::uint64_t stop = std::min(s.count, ((end - 1 - s.x) / s.stride) + 1);
  const auto run_at = [&](std::uint64_t turn) { return s.x + (turn * s.stride); };
  if (k < stop && run_at(k) < begin) {
    put(run_at(k), run_at(k) + s.run, 1);
    ++k;
  }
  const bool is_cut = k < stop && run_at(stop - 1) + s.run > end;
  if (is_cut) --stop;
  if (k < stop) put(run_at(k), run_at(k) + s.run, stop - k);
  if (is_cut) put(run_at(stop), run_at(stop) + s.run, 1);
}

// visit(deal of a, deal of b, begin, end), neither of them rolled, by rising intervals.
template <class Visit>
void for_sides(const AxisDeal& a, const AxisDeal& b, Visit visit) {
  const std::vector<AxisSide> others = AxisSide::of(b);
  for (const AxisSide& one : AxisSide::of(a))
    for (const AxisSide& other : others) {
      const std::uint64_t begin = std::max(one.begin, other.begin);
      const std::uint64_t end = std::min(one.end, other.end);
      if (begin < end) visit(one.deal, other.deal, begin, end);
    }
}

}  // namespace

std::vector<AxisMeet> meets(const AxisDeal& a, std::uint64_t part, const AxisDeal& b) {
  if (!a.is_rolled() && !b.is_rolled()) return AxisMeets(a, part, b).all();
  std::map<std::uint64_t, AxisMeet> by_part;
  for_sides(
      a, b,
      [&](const AxisDeal& one, const AxisDeal& other, std::uint64_t begin, std::uint64_t end) {
        for (const AxisMeet& whole : AxisMeets(one, part, other).all()) {
          AxisMeet& meet = by_part.try_emplace(whole.part).first->second;
          meet.part = whole.part;
          for (const Stretch& s : whole.stretches) cut(s, begin, end, meet);
        }
      });
  std::vector<AxisMeet> result;
  for (auto& [number, meet] : by_part)
    if (meet.elements != 0) result.push_back(std::move(meet));
  return result;
}

AxisMeet meet(const AxisDeal& a, std::uint64_t part, const AxisDeal& b, std::uint64_t other) {
  if (!a.is_rolled() && !b.is_rolled()) return AxisMeets(a, part, b).between(other);
  AxisMeet result{other, 0, 0, {}};
  for_sides(a, b,
            [&](const AxisDeal& one, const AxisDeal& two, std::uint64_t begin, std::uint64_t end) {
              for (const Stretch& s : AxisMeets(one, part, two).between(other).stretches)
                cut(s, begin, end, result);
            });
  return result;
}

std::uint64_t shared(const AxisDeal& a, std::uint64_t part, const AxisDeal& b,
                     std::uint64_t other) {
  if (a.is_rolled() || b.is_rolled()) return meet(a, part, b, other).elements;
  return AxisMeets(a, part, b).with(other);
}

}  // namespace faro::inline v1
