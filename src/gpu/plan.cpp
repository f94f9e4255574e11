#include "faro/gpu/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/require.hpp"
#include "gpu/frame.hpp"
#include "gpu/only.hpp"
#include "gpu/pairs.hpp"
#include "gpu/plain.hpp"
#include "gpu/swizzle.hpp"
#include "gpu/window.hpp"

namespace faro::inline v1::gpu {
namespace {

constexpr int vector_bytes_log2 = 4;  // the widest access of every GPU since 2006
constexpr int word_bytes_log2 = 2;
constexpr int registers_log2 = 3;  // elements of a thread, in place in one block

// Elements above 16 bytes become identity bits; low bits that stay become part of the element.
void normalise(Plan& plan) {
  Words columns;
  for (int i = 0; i < plan.map.width(); ++i) columns.push_back(plan.map.column(i));
  Word c = plan.map.complement();
  int& e = plan.unit_log2;
  for (; e > vector_bytes_log2; --e) {
    for (Word& v : columns) v <<= 1U;
    columns.insert(columns.begin(), 1);
    c <<= 1U;
  }
  const auto stays = [&] {
    Word low = c & 1U;
    for (std::size_t i = 1; i < columns.size(); ++i) low |= columns[i] & 1U;
    return !columns.empty() && columns[0] == 1 && low == 0;
  };
  for (; e < vector_bytes_log2 && plan.units == 1 && stays(); ++e) {
    columns.erase(columns.begin());
    for (Word& v : columns) v >>= 1U;
    c >>= 1U;
  }
  plan.map = BitMap::from_columns(columns, c);
}

struct Runs {
  int from, to;
};

Frame tile_of(const BitMatrix& back, const Runs& runs) {
  Frame frame(units(0, runs.from));
  for (int j = 0; j < runs.to; ++j) frame.insert(back.column(j));
  return frame;
}

// Runs on both sides, from a line up, as long as the tile allows; the shorter side grows first.
Runs grow(const Plan& plan, const BitMatrix& back, int tile_log2) {
  const int n = plan.map.width();
  const int e = plan.unit_log2;
  const auto fits = [&](const Runs& r) {
    return std::max(r.from, r.to) <= n && tile_of(back, r).dimension() + e <= tile_log2;
  };
  const int line = std::clamp(plan.machine.line_log2 - e, 0, n);
  Runs runs{line, line};
  // Down to a sector; an element of several units may be longer than one.
  const int least = plan.machine.sector_log2 - e - highest_bit(static_cast<Word>(plan.units));
  while (!fits(runs) && runs.from > std::max(0, least)) runs = {runs.from - 1, runs.to - 1};
  for (bool more = true; more;) {
    more = false;
    const int a = runs.from <= runs.to ? 1 : 0;
    const std::array<Runs, 3> free = {{{runs.from + a, runs.to + (runs.from >= runs.to ? 1 : 0)},
                                       {runs.from + 1, runs.to},
                                       {runs.from, runs.to + 1}}};
    const std::array<Runs, 3> both = {
        {{runs.from + 1, runs.to + 1}, {n + 1, n + 1}, {n + 1, n + 1}}};
    for (const Runs& next : plan.asked.in_place ? both : free)
      if (!more && fits(next)) {
        runs = next;
        more = true;
      }
  }
  return runs;
}

// Directions outside the tile, both sides' runs made longer in turn: neighbours in time are
// neighbours in pages on both sides.
Words order_outer(const BitMatrix& back, int n, const Words& covered) {
  Frame frame(covered);
  Words out;
  for (int i = 0; i < n; ++i)
    for (const Word v : {bit(i), back.column(i)})
      if (frame.insert(v)) out.push_back(v);
  return out;
}

Words without(const Words& vectors, Word mask) {
  Words out;
  for (const Word v : vectors) out.push_back(v & ~mask);
  return Frame(out).basis();
}

// The run's own bits from the vector on, then what spans the runs.
void schedule(Side& side, const Words& high, int threads) {
  const Words all = joined(units(side.vector_log2, side.run_log2), high);
  side.threads = first_of(all, threads);
  side.steps = rest_of(all, threads);
}

// Below words, the last steps of the side that writes are where the source's low bits go, if these
// leave the line: then those steps read the same words.
void share_words(Plan& plan) {
  Side& to = plan.to;
  if (plan.unit_log2 >= word_bytes_log2) return;
  Words low;
  for (int i = 0; i < word_bytes_log2 - plan.unit_log2; ++i) {
    low.push_back(plan.map.column(i));
    if ((low.back() & low_mask(to.vector_log2)) != 0) return;
  }
  const Words head = first_of(to.threads, 3);  // 8 lanes of 16 bytes are a line
  if (low.size() > to.steps.size() || extend(head, low).size() != low.size()) return;
  const int threads = static_cast<int>(to.threads.size());
  Words order = joined(head, extend(joined(head, low), joined(to.threads, to.steps)));
  if (order.size() + low.size() != to.threads.size() + to.steps.size()) return;
  order = joined(std::move(order), low);
  to.threads = first_of(order, threads);
  to.steps = rest_of(order, threads);
}

// The places of vectors where blocks begin: low bits cleared at the source, and at the destination
// as far as directions of the tile do it; what is left there is a place in shared memory.
class Places {
 public:
  Places(const Plan& plan, const BitMatrix& back, const Frame& shared, const Words& high)
      : plan_(plan),
        back_(back),
        shared_(shared),
        low_from_(low_mask(plan.from.run_log2)),
        low_to_(low_mask(plan.to.run_log2)) {
    for (const Word h : high)
      if (helps_.insert(plan.map.matrix().apply(h) & low_to_)) helpers_.push_back(h);
  }

  Place operator()(Word w) const {
    w &= ~low_from_;
    w ^= sum_of(helpers_, helps_.reduced(plan_.map.matrix().apply(w) & low_to_).sum);
    return split(w, plan_.map.matrix().apply(w));
  }
  Place complement() const { return split(0, plan_.map.complement()); }
  std::vector<Place> of(const Words& vectors) const {
    std::vector<Place> out;
    for (const Word w : vectors) out.push_back((*this)(w));
    return out;
  }

 private:
  Place split(Word from, Word to) const {
    return {from, to & ~low_to_,
            shared_.coordinates(back_.apply(to & low_to_))
                << (plan_.kind == Kind::odd ? 0 : plan_.unit_log2)};
  }

  const Plan& plan_;
  const BitMatrix& back_;
  const Frame& shared_;
  Word low_from_, low_to_;
  Frame helps_;
  Words helpers_;
};

void place_blocks(Plan& plan, const BitMatrix& back, const Frame& shared, const Words& high) {
  const Words outer = order_outer(back, plan.map.width(), plan.tile);
  const Places place(plan, back, shared, high);
  const Place c = place.complement();
  plan.start = c;
  if (!plan.asked.in_place) {
    plan.blocks = place.of(outer);
    return;
  }
  const PairVectors pairs = pair_up(plan.map, plan.tile, outer);
  const Place start = place(pairs.start);
  plan.start = {start.from, start.to ^ c.to, start.shared ^ c.shared};
  plan.pairs = {place.of(pairs.moving), place.of(pairs.moves), place.of(pairs.staying),
                place(pairs.shift),     place(pairs.pair),     pairs.shifted};
}

// Whether no thread and no block shifts bytes within a word of shared memory; a constant may.
bool keeps_words(const Plan& plan) {
  Word low = 0;
  for (std::size_t i = 0; i < plan.to.threads.size(); ++i) low |= plan.to.shared[i];
  const auto add = [&](const std::vector<Place>& places) {
    for (const Place& p : places) low |= p.shared;
  };
  add(plan.blocks);
  add(plan.pairs.moving);
  add(plan.pairs.moves);
  add(plan.pairs.staying);
  low |= plan.pairs.shift.shared | plan.pairs.pair.shared;
  return (low & low_mask(word_bytes_log2)) == 0;
}

void set_tile(Plan& plan, const BitMatrix& back, const Runs& runs) {
  plan.from.run_log2 = runs.from;
  plan.to.run_log2 = runs.to;
  plan.tile = tile_of(back, runs).basis();
}

struct High {
  Words from, to;
};
High high_of(const Plan& plan) {
  Words images;
  for (const Word w : plan.tile) images.push_back(plan.map.matrix().apply(w));
  return {without(plan.tile, low_mask(plan.from.run_log2)),
          without(images, low_mask(plan.to.run_log2))};
}

bool make_tile(Plan& plan, const BitMatrix& back, int tile_log2) {
  plan.kind = Kind::tile;
  const Runs runs = grow(plan, back, tile_log2);
  set_tile(plan, back, runs);
  const int v = vector_bytes_log2 - plan.unit_log2;
  const int d = static_cast<int>(plan.tile.size());
  // A warp of 32 lanes on every machine: shared memory serves 128 bytes at once.
  if (d - v < plan.machine.banks_log2 || runs.from < v || runs.to < v) return false;
  const int threads = std::min(plan.asked.threads_log2, d - v);
  const High high = high_of(plan);
  plan.from.vector_log2 = plan.to.vector_log2 = v;
  schedule(plan.from, high.from, threads);
  schedule(plan.to, high.to, threads);
  share_words(plan);
  const Frame shared = place_in_shared_memory(plan, back);
  place_blocks(plan, back, shared, high.from);
  plan.word_loads = plan.unit_log2 < word_bytes_log2 && keeps_words(plan);
  return true;
}

// Elements of several units: the tile in elements, units of memory in order.
void make_odd(Plan& plan, const BitMatrix& back) {
  plan.kind = Kind::odd;
  int tile_log2 = plan.asked.tile_log2;
  const std::uint64_t limit = plan.machine.shared_bytes / (plan.asked.in_place ? 2 : 1);
  while (tile_log2 > 0 && static_cast<std::uint64_t>(plan.units) << tile_log2 > limit) --tile_log2;
  set_tile(plan, back, grow(plan, back, tile_log2));
  const High high = high_of(plan);
  const int threads = plan.asked.threads_log2;
  schedule(plan.from, high.from, threads);
  schedule(plan.to, high.to, threads);
  plan.from.width_log2 = plan.to.width_log2 = plan.unit_log2;
  // Places are numbers of elements: the lanes that store at once, the lanes that load, and the
  // rest.
  const int lanes = std::min<int>(plan.machine.banks_log2, static_cast<int>(plan.tile.size()));
  const Words stores = first_of(joined(plan.from.threads, plan.from.steps), lanes);
  Words loads;
  for (const Word y : first_of(joined(plan.to.threads, plan.to.steps), lanes))
    loads.push_back(back.apply(y));
  const Frame shared(joined(stores, common_complement(plan.tile, {}, stores, loads)));
  FARO_CHECK(shared.dimension() == std::ssize(plan.tile));
  for (const Word w : joined(plan.from.threads, plan.from.steps))
    plan.from.shared.push_back(shared.coordinates(w));
  for (const Word w : joined(plan.to.threads, plan.to.steps))
    plan.to.shared.push_back(shared.coordinates(back.apply(w)));
  place_blocks(plan, back, shared, high.from);
}

// No shared memory: the order of index bits decides which lanes move what.
void make_without_shared(Plan& plan, const Words& order, int steps) {
  const int threads = std::min<int>(plan.asked.threads_log2, static_cast<int>(order.size()));
  const auto image = [&](Word w) { return plan.map.matrix().apply(w); };
  steps = std::min<int>(steps, static_cast<int>(order.size()) - threads);
  plan.tile = first_of(order, threads + steps);
  plan.from.threads = first_of(order, threads);
  plan.from.steps = rest_of(plan.tile, threads);
  for (const Word w : plan.from.threads) plan.to.threads.push_back(image(w));
  for (const Word w : plan.from.steps) plan.to.steps.push_back(image(w));
  for (const Word w : rest_of(order, threads + steps)) plan.blocks.push_back({w, image(w), 0});
  plan.start = {0, plan.map.complement(), 0};
}

// Whole on both sides where the lines of both, or their sectors, are within what lanes ask at
// once.
bool make_direct(Plan& plan, const BitMatrix& back) {
  const int n = plan.map.width();
  const int e = plan.unit_log2;
  const int lanes = plan.machine.banks_log2 - std::max(0, e - word_bytes_log2);
  int whole = plan.machine.line_log2 - e;
  for (; whole >= plan.machine.sector_log2 - e; --whole)
    if (whole >= 0 && whole <= n && tile_of(back, {whole, whole}).dimension() <= lanes) break;
  if (whole < std::max(0, plan.machine.sector_log2 - e) || n < plan.machine.lanes_log2)
    return false;
  plan.kind = Kind::direct;
  Words order;
  for (const int r : {whole, std::min(n, plan.machine.line_log2 - e)}) {
    Words both = units(0, r);
    for (int i = 0; i < r; ++i) both.push_back(back.column(i));
    order = joined(order, extend(order, both));
  }
  order = joined(order, order_outer(back, n, order));
  make_without_shared(plan, order, 2);
  plan.from.run_log2 = plan.to.run_log2 = whole;
  return true;
}

void make_element(Plan& plan) {
  plan.kind = Kind::element;
  make_without_shared(plan, units(0, plan.map.width()), plan.asked.in_place ? registers_log2 : 0);
}

// One block moves everything where all elements are in registers before the first is written.
bool is_one_block(const Plan& plan) {
  return plan.map.width() <= plan.asked.threads_log2;
}

void check_in_place(const Plan& plan, bool one_block) {
  if (plan.map == plan.map.inverse() || one_block) return;
  throw Error(ErrorCode::impossible,
              "in place a kernel exchanges tiles, so the map must be its own inverse, and this one "
              "is not; plan it out of place, or as several maps that are their own inverses");
}

void check(const Options& options) {
  require(options.element_bytes >= 1 && options.element_bytes <= 64,
          "elements of {} bytes: wanted 1 to 64", options.element_bytes);
  require(options.tile_log2 >= 10 && options.tile_log2 <= 14,
          "a tile of 2^{} bytes: wanted 2^10 to 2^14", options.tile_log2);
  require(options.threads_log2 >= 5 && options.threads_log2 <= 10,
          "2^{} threads a block: wanted 2^5 to 2^10", options.threads_log2);
}

void make(Plan& plan) {
  const std::optional<Kind> kind = plan.asked.kind;
  const BitMatrix back = *plan.map.matrix().inverse();
  const int line = plan.machine.line_log2 - plan.unit_log2;
  if (plan.units > 1 || plan.asked.only.mask != 0 || kind == Kind::odd) {
    require(!kind || *kind == Kind::odd, "{} take a plan of kind odd",
            plan.asked.only.mask != 0
                ? "some elements only"
                : fmt::format("elements of {} bytes", plan.asked.element_bytes));
    return make_odd(plan, back);
  }
  if (plan.asked.in_place) {
    require(!kind || *kind == Kind::tile, "in place there are plans of kind tile only");
  } else {
    if (kind == Kind::element) return make_element(plan);
    const bool same_lines = plan.unit_log2 >= word_bytes_log2 && plan.map.width() >= line &&
                            tile_of(back, {line, line}).dimension() == line;
    if ((kind == Kind::direct || (!kind && same_lines)) && make_direct(plan, back)) return;
    require(kind != Kind::direct,
            "no direct kernel reads and writes whole sectors here; leave out the kind");
  }
  const bool inverse = !plan.asked.in_place || plan.map == plan.map.inverse();
  // In place a tile of lines is needed: 2^14 bytes always hold one.
  for (int log2 = plan.asked.tile_log2; inverse && log2 <= 14; ++log2) {
    Plan tile = plan;
    if (make_tile(tile, back, log2)) {
      plan = std::move(tile);
      return;
    }
    if (!plan.asked.in_place) break;
  }
  make_element(plan);
}

Plan plan_bits(const BitMap& map, const Options& options, const Machine& machine) {
  check(options);
  Plan out;
  out.machine = machine;
  out.asked = options;
  out.map_asked = out.map = map;
  out.unit_log2 = lowest_bit(options.element_bytes);
  const std::uint64_t odd = options.element_bytes >> static_cast<unsigned>(out.unit_log2);
  const bool some = options.only.mask != 0;
  if (odd > 1 || some) {
    // 48 bytes are three units of 16, 3 bytes are three of one.
    out.unit_log2 = std::min(out.unit_log2, vector_bytes_log2);
    out.units = static_cast<int>(options.element_bytes >> static_cast<unsigned>(out.unit_log2));
  }
  require(map.width() + 6 <= 62, "a map of {} bits: wanted at most 56", map.width());
  if (some)
    out.map = restricted(map, options.only);
  else
    normalise(out);
  if (options.in_place) check_in_place(out, is_one_block(out));
  make(out);
  // Elements of many bytes may not all fit the shared memory of a block.
  if (options.in_place) check_in_place(out, static_cast<int>(out.tile.size()) == out.map.width());
  if (some) spread(out, map);
  if (options.in_place && out.kind == Kind::element) FARO_CHECK(out.blocks.empty());
  return out;
}

Plan launchable(Plan plan) {
  require(plan.block_count() <= bit(31) - 1, "{} blocks are more than a launch takes, 2^31 - 1",
          plan.block_count());
  return plan;
}

}  // namespace

Plan plan_arrays(const Map& map, const TensorShape& shape, Options options,
                 const Machine& machine) {
  options.element_bytes = shape.element_bytes;
  check(options);
  require(!options.in_place, "in place: maps of bits on arrays without gaps");
  require(!options.kind || *options.kind == Kind::window,
          "axes of any length and strides take a plan of kind window");
  Plan out;
  out.machine = machine;
  out.asked = options;
  out.map_asked = map;
  make_windows(out, engine::normal_forms(map, shape));
  return launchable(std::move(out));
}

Plan plain_loop(const Plan& of) {
  Options options = of.asked;
  options.in_place = false;
  options.kind = Kind::element;
  return plan_bits(of.map_asked.as_bits(), options, of.machine);
}

Plan plan(const Map& map, const Options& options, const Machine& machine) {
  const BitMap* const bits = map.bits();
  if (bits != nullptr && options.kind != Kind::window)
    return launchable(plan_bits(*bits, options, machine));
  require(options.only.mask == 0, "some elements only: a map of bits, and no plan of kind window");
  return plan_arrays(map, {options.element_bytes, {}, {}}, options, machine);
}

std::uint64_t Plan::bytes() const {
  if (kind == Kind::window)
    return asked.element_bytes * static_cast<std::uint64_t>(map_asked.elements());
  return (static_cast<std::uint64_t>(units) << static_cast<unsigned>(unit_log2))
         << static_cast<unsigned>(map.width() - std::popcount(asked.only.mask));
}

std::uint64_t Plan::from_bytes() const {
  return kind == Kind::window ? windows_from_bytes : bytes() << std::popcount(asked.only.mask);
}

std::uint64_t Plan::to_bytes() const {
  return kind == Kind::window ? windows_to_bytes : from_bytes();
}

std::uint64_t Plan::block_count() const {
  if (kind == Kind::window) {
    Word count = 0;
    for (const Window& window : windows) count += window.block_count();
    return count;
  }
  const std::size_t in_pairs = pairs.moving.size() + pairs.staying.size();
  return bit(static_cast<int>(in_pairs > 0 ? in_pairs - 1 : blocks.size()));
}

std::uint64_t Plan::threads() const {
  return kind == Kind::odd || kind == Kind::window ? bit(asked.threads_log2)
                                                   : bit(static_cast<int>(from.threads.size()));
}

int Plan::tiles_a_block() const {
  return pairs.staying.empty() ? 1 : 2;
}

std::uint64_t Plan::tile_bytes() const {
  if (kind == Kind::window) {
    Word most = 0;
    for (const Window& window : windows) most = std::max(most, window.units());
    return most << static_cast<unsigned>(unit_log2);
  }
  return (static_cast<std::uint64_t>(units) << static_cast<unsigned>(unit_log2)) << tile.size();
}

std::uint64_t Plan::shared_bytes() const {
  if (kind == Kind::window) {
    Word most = 0;
    for (const Window& window : windows)
      if (window.turns()) most = std::max(most, window.places);
    return most << static_cast<unsigned>(unit_log2);
  }
  if (kind != Kind::tile && kind != Kind::odd) return 0;
  return tile_bytes() * static_cast<std::uint64_t>(tiles_a_block());
}

}  // namespace faro::inline v1::gpu
