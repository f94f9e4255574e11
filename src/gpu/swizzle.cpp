#include "gpu/swizzle.hpp"

#include <algorithm>

namespace faro::inline v1::gpu {
namespace {

constexpr int word_log2 = 2;    // bytes of a bank
constexpr int widest_log2 = 4;  // bytes of the widest access

struct Chosen {
  Words inside, banks, rows;
};

int phase_lanes_of(const Plan& plan, int width_log2) {
  return plan.machine.banks_log2 - std::max(0, width_log2 - word_log2);
}

Words images(const BitMatrix& back, const Words& vectors) {
  Words out;
  for (const Word v : vectors) out.push_back(back.apply(v));
  return out;
}

void reorder(Side& side, const Words& order) {
  const int threads = static_cast<int>(side.threads.size());
  side.threads = first_of(order, threads);
  side.steps = rest_of(order, threads);
}

// A vector is stored whole, 16 bytes a lane. The loads are free of conflicts exactly if the lanes
// of one load see all low bits of the source; those above the three that make a line can be
// chosen.
std::optional<Chosen> whole_vectors(Plan& plan, const BitMatrix& back) {
  const int v = plan.from.vector_log2;
  const int wide = phase_lanes_of(plan, widest_log2);
  const int lanes_wanted = phase_lanes_of(plan, plan.unit_log2);
  const Words all = joined(plan.to.threads, plan.to.steps);
  Words lanes = first_of(plan.to.threads, wide);
  Frame seen;
  for (const Word y : lanes) seen.insert(back.apply(y) & low_mask(v));
  for (const Word y : rest_of(all, wide))
    if (std::ssize(lanes) < lanes_wanted && seen.insert(back.apply(y) & low_mask(v)))
      lanes.push_back(y);
  if (seen.dimension() != v) return std::nullopt;
  reorder(plan.to, joined(lanes, extend(lanes, all)));
  plan.from.width_log2 = widest_log2;
  const Words loads = images(back, first_of(plan.to.threads, lanes_wanted));
  const Words stores = first_of(plan.from.threads, wide);
  return Chosen{units(0, v), stores,
                common_complement(joined(plan.from.threads, plan.from.steps), {}, stores,
                                  meet(loads, units(v, plan.map.width())))};
}

// Units are stored one by one, words where elements are smaller.
Chosen by_units(const Plan& plan, const BitMatrix& back) {
  const Words stores = first_of(plan.from.threads, phase_lanes_of(plan, plan.from.width_log2));
  Words loads = images(back, first_of(plan.to.threads, phase_lanes_of(plan, plan.to.width_log2)));
  if (plan.unit_log2 >= word_log2)
    return {{}, stores, common_complement(plan.tile, {}, stores, loads)};
  // The word is the source's low bits, which stay; the rest must not disturb them.
  const int inside = word_log2 - plan.unit_log2;
  Words all = joined(units(inside, plan.from.vector_log2), plan.from.threads);
  all = joined(std::move(all), plan.from.steps);
  for (Word& w : loads) w &= ~low_mask(inside);
  return {units(0, inside), stores,
          common_complement(all, units(0, inside), stores, extend({}, loads))};
}

}  // namespace

Words common_complement(const Words& x, const Words& word, const Words& f, const Words& g) {
  const Words loads = extend(word, g);
  const Words both = extend(word, meet(joined(word, f), joined(word, loads)));
  const Words known = joined(word, both);
  const Words a = extend(known, f);
  const Words b = extend(known, loads);
  Words rows = extend(joined(joined(known, a), b), x);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) rows.push_back(a[i] ^ b[i]);
  return rows;
}

Frame place_in_shared_memory(Plan& plan, const BitMatrix& back) {
  const int e = plan.unit_log2;
  plan.from.width_log2 = std::max(e, word_log2);
  plan.to.width_log2 = e;
  std::optional<Chosen> chosen;
  if (e == 2 || e == 3) chosen = whole_vectors(plan, back);
  if (!chosen) chosen = by_units(plan, back);
  const Frame frame(joined(joined(chosen->inside, chosen->banks), chosen->rows));
  FARO_CHECK(frame.dimension() == std::ssize(plan.tile));
  const auto place = [&](Word w) { return frame.coordinates(w) << e; };
  const auto fill = [&](Side& side, auto&& source) {
    for (const Word w : joined(side.threads, side.steps)) side.shared.push_back(place(source(w)));
    for (const Word w : units(0, side.vector_log2)) side.inner.push_back(place(source(w)));
  };
  fill(plan.from, [](Word w) { return w; });
  fill(plan.to, [&](Word w) { return back.apply(w); });
  return frame;
}

}  // namespace faro::inline v1::gpu
