// A form for each tier whose staying elements are set apart, and one that sets none apart; the
// cheapest wins.
#include "planners/ranks/class_form.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/random.hpp"

namespace faro::inline v1::ranks {
namespace {

// Shifts are looked for one by one up to here, beyond by chance.
constexpr int shift_bits_max = 16;

// A tier as the form sees it: single processors first, the largest switches last.
struct Tier {
  int places_log2 = 0;  // of the processors below one switch
  int room_log2 = 0;
  AffineSpace from;     // W, and
  AffineSpace to;       // V
  AffineSpace staying;  // what the map leaves below its switch

  bool alone = false;  // a processor: what stays takes its port too

  int rank_wanted() const {
    const bool idle = !alone && !staying.empty() && staying.dimension() == staying.width();
    return idle ? 0 : std::max(0, places_log2 - room_log2);
  }
};

// A member of the basis in common, and the first tiers whose W and V it is in.
struct Member {
  Word vector = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

AffineSpace linear(int width, std::vector<Parity> forms) {
  for (Parity& form : forms) form.value = 0;
  return AffineSpace::where(width, forms);
}

bool independent(Word v, std::vector<Word>& basis) {
  const Word rest = reduce(v, basis);
  if (rest == 0) return false;
  basis.push_back(rest);
  basis = reduced_basis(basis);
  return true;
}

class Forms {
 public:
  Forms(const Crossbar& tree, const BitMap& map, int memory) : map_(map), memory_(memory) {
    add_tier(0, 0);
    for (auto tier = tree.tiers.rbegin(); tier != tree.tiers.rend(); ++tier)
      add_tier(tier->processors_log2, tier->up_log2);
  }

  ClassForm cheapest() const {
    ClassForm best = *form_for(AffineSpace::everything(width()), tiers_.size());
    for (std::size_t t = 0; t < tiers_.size(); ++t) {
      if (tiers_[t].staying.empty()) continue;
      if (auto form = form_for(tiers_[t].staying, t); form && form->steps() < best.steps())
        best = std::move(*form);
    }
    return best;
  }

 private:
  int width() const { return map_.width(); }

  // Parity of a place whose bit `b` the map changes.
  Parity image_bit(int b) const {
    return {map_.matrix().row(b), unsigned{has_bit(map_.complement(), b)}};
  }
  void add_tier(int processors_log2, int room_log2) {
    const int places = memory_ + processors_log2;
    std::vector<Parity> from, to, stays;
    for (int b = places; b < width(); ++b) {
      const Parity image = image_bit(b);
      from.push_back({bit(b), 0});
      to.push_back(image);
      stays.push_back({image.mask ^ bit(b), image.value});
    }
    tiers_.push_back({places, room_log2, linear(width(), from), linear(width(), to),
                      AffineSpace::where(width(), stays), processors_log2 == 0});
  }

  // A basis of `inside` that spans the parts in it of all W and all V.
  std::vector<Member> common_basis(const AffineSpace& inside) const {
    std::vector<Member> members;
    const std::size_t n = tiers_.size();
    const auto part = [&](std::size_t from, std::size_t to) {
      AffineSpace space = inside;
      if (from < n) space = space.meet(tiers_[from].from);
      if (to < n) space = space.meet(tiers_[to].to);
      return space.directions();
    };
    for (std::size_t i = 0; i <= n; ++i)
      for (std::size_t j = 0; j <= n; ++j) {
        std::vector<Word> known;
        for (const Member& m : members)
          if (m.from <= i && m.to <= j) known.push_back(m.vector);
        known = reduced_basis(known);
        for (const Word v : part(i, j))
          if (independent(v, known)) members.push_back({v, i, j});
      }
    return members;
  }

  // How many members each tier's W, or V, must have among the chosen: what D does not tell apart.
  std::vector<int> wanted(const AffineSpace& inside, AffineSpace Tier::*side) const {
    std::vector<int> all;
    for (const Tier& tier : tiers_) {
      const int told_apart = (tier.*side).dimension() - (tier.*side).meet(inside).dimension();
      all.push_back(std::max(0, tier.rank_wanted() - told_apart));
    }
    return all;
  }

  // Which members: as many as wanted of each tier, those of small tiers first.
  static std::vector<bool> chosen(const std::vector<Member>& members, std::size_t Member::*side,
                                  const std::vector<int>& wanted) {
    std::vector<bool> in(members.size());
    int count = 0;
    for (std::size_t t = 0; t < wanted.size(); ++t)
      for (std::size_t i = 0; i < members.size() && count < wanted[t]; ++i)
        if (!in[i] && members[i].*side <= t) in[i] = true, ++count;
    return in;
  }

  // The bit of L that counts a member; nothing for those that none counts.
  static std::vector<std::optional<int>> bits_of(const std::vector<bool>& from,
                                                 const std::vector<bool>& to) {
    std::vector<std::optional<int>> bits(from.size());
    int next = 0;
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] && to[i]) bits[i] = next++;
    for (const auto* side : {&from, &to}) {
      int at = next;
      for (std::size_t i = 0; i < from.size(); ++i)
        if ((*side)[i] && !(from[i] && to[i])) bits[i] = at++;
    }
    return bits;
  }

  // With the bits that say whether an element is in `staying`, those that stay below `tier`.
  std::optional<ClassForm> form_for(const AffineSpace& staying, std::size_t tier) const {
    const AffineSpace inside = linear(width(), staying.constraints());
    const std::vector<Member> members = common_basis(inside);
    const std::vector<int> from = wanted(inside, &Tier::from);
    const std::vector<int> to = wanted(inside, &Tier::to);
    const auto bits =
        bits_of(chosen(members, &Member::from, from), chosen(members, &Member::to, to));
    ClassForm form;
    form.rows = staying.constraints();
    form.stay_bits = form.bits();
    form.sets_apart = tier != tiers_.size();
    const int more = std::max(*std::max_element(from.begin(), from.end()),
                              *std::max_element(to.begin(), to.end()));
    // Coordinates by the members, and by what completes them to a basis of all places.
    std::vector<Word> columns, known;
    for (const Member& m : members) columns.push_back(m.vector), independent(m.vector, known);
    for (int b = 0; b < width(); ++b)
      if (independent(bit(b), known)) columns.push_back(bit(b));
    const auto coordinates = BitMatrix::from_columns(width(), columns).inverse();
    FARO_CHECK(coordinates.has_value());
    form.rows.resize(static_cast<std::size_t>(form.stay_bits + more));
    for (std::size_t i = 0; i < members.size(); ++i)
      if (bits[i])
        form.rows[static_cast<std::size_t>(form.stay_bits + *bits[i])].mask ^=
            coordinates->row(static_cast<int>(i));
    if (tier == 0 || !form.sets_apart) return form;
    form.shift = shift_of(form, tier);
    if (!form.shift) return {};
    return form;
  }

  static Word apply(const std::vector<Parity>& rows, Word x) {
    Word value = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) value |= Word{parity(x & rows[i].mask)} << i;
    return value;
  }

  // Another class for what stays, which no tier below meets in the step that it has already.
  std::optional<Word> shift_of(const ClassForm& form, std::size_t tier) const {
    std::vector<std::vector<Word>> met;
    for (std::size_t t = 0; t < tier; ++t)
      for (const AffineSpace* space : {&tiers_[t].from, &tiers_[t].to}) {
        std::vector<Word> images;
        for (const Word d : space->directions()) images.push_back(apply(form.rows, d));
        std::vector<Word> basis = reduced_basis(images);
        const int at_once = space->dimension() - static_cast<int>(basis.size());
        if (at_once + 1 > tiers_[t].room_log2) met.push_back(std::move(basis));
      }
    const auto serves = [&](Word shift) {
      return (shift & low_mask(form.stay_bits)) != 0 &&
             std::none_of(met.begin(), met.end(),
                          [&](const auto& basis) { return reduce(shift, basis) == 0; });
    };
    Random random(1);
    for (Word i = 1; i < bit(std::min(form.bits(), shift_bits_max)); ++i) {
      const Word shift = form.bits() <= shift_bits_max ? i : random.next() & low_mask(form.bits());
      if (serves(shift)) return shift;
    }
    return {};
  }

  BitMap map_;
  int memory_;
  std::vector<Tier> tiers_;
};

}  // namespace

Count ClassForm::steps() const {
  const Count each = Count{1} << (bits() - stay_bits);
  return (each << stay_bits) - (sets_apart ? each : Count{0});
}

ClassForm class_form(const Crossbar& tree, const BitMap& map, int memory) {
  return Forms(tree, map, memory).cheapest();
}

}  // namespace faro::inline v1::ranks
