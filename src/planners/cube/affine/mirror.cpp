// A representative is the least key of an orbit under all orders of dimensions: what rearrangements
// and translations leave of a map. Its plan comes back step by step.
#include "planners/cube/affine/mirror.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/words_less.hpp"
#include "faro/schedules/schedule.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1::mirrors {
namespace {

Word placed(Word bits, const std::vector<int>& place) {
  Word moved = 0;
  for (; bits != 0; bits &= bits - 1)
    moved |= bit(place[static_cast<std::size_t>(lowest_bit(bits))]);
  return moved;
}

// What the free rearrangements and the translations leave of a map's processor part, p -> A p + B s
// + c, under one order of names.
struct Key {
  std::vector<Word> b;  // a reduced basis of its columns' span
  std::vector<Word> a;  // columns modulo b
  Word c = 0;           // modulo b and what translations add
  bool operator<(const Key& other) const {
    if (b != other.b) return WordsLess{}(b, other.b);
    if (a != other.a) return WordsLess{}(a, other.a);
    return c < other.c;
  }
};

Key key_of(const BitMap& map, int memory_bits, const std::vector<int>& place) {
  Key key;
  const auto column = [&](int i) { return placed(map.column(i) >> memory_bits, place); };
  for (int i = 0; i < memory_bits; ++i) key.b.push_back(column(i));
  key.b = reduced_basis(key.b);
  key.a.resize(place.size());
  std::vector<Word> shifts = key.b;
  for (std::size_t i = 0; i < place.size(); ++i) {
    Word& moved = key.a[static_cast<std::size_t>(place[i])];
    moved = reduce(column(memory_bits + static_cast<int>(i)), key.b);
    shifts.push_back(moved ^ bit(place[i]));
  }
  key.c = reduce(placed(map.complement() >> memory_bits, place), reduced_basis(shifts));
  return key;
}

// The least key among all orders, and its order.
std::pair<Key, std::vector<int>> least_key(const BitMap& map, int memory_bits) {
  std::vector<int> place(static_cast<std::size_t>(map.width() - memory_bits));
  std::iota(place.begin(), place.end(), 0);
  std::optional<std::pair<Key, std::vector<int>>> least;
  do {
    Key key = key_of(map, memory_bits, place);
    if (!least || key < least->first) least.emplace(std::move(key), place);
  } while (std::next_permutation(place.begin(), place.end()));
  return *least;
}

// A map of the key's processor part. Its memory part tells apart what the processor part does not.
BitMap map_of(const Key& key, int memory_bits) {
  const auto n = static_cast<int>(key.a.size());
  std::vector<Word> columns(static_cast<std::size_t>(memory_bits), 0);
  std::copy(key.b.begin(), key.b.end(), columns.begin());
  columns.insert(columns.end(), key.a.begin(), key.a.end());
  const std::vector<Word> kernel = BitMatrix::from_columns(n, columns).kernel();
  for (Word& column : columns) column <<= memory_bits;
  for (std::size_t j = 0; j < kernel.size(); ++j)
    columns[static_cast<std::size_t>(highest_bit(kernel[j]))] |= bit(static_cast<int>(j));
  return BitMap::from_columns(columns, key.c << memory_bits);
}

// Addresses (p, s) to (p, s') that `seen` takes to the same processors as the map does (p, s). The
// memory columns of `seen` are independent, or 0 from some bit on.
BitMap before_of(const BitMap& map, const BitMap& seen, int memory_bits) {
  const int n = map.width() - memory_bits;
  const BitMatrix from_memory = seen.matrix().block(memory_bits, n, 0, memory_bits);
  const auto wanted = [&](Word difference) {
    const std::optional<Word> slot = from_memory.solve(difference >> memory_bits);
    FARO_CHECK(slot.has_value());
    return *slot;
  };
  std::vector<Word> columns;
  for (int i = 0; i < memory_bits; ++i) columns.push_back(wanted(map.column(i)));
  // The other slot bits: memory bits that the first ones do not tell apart.
  const std::vector<Word> kernel = BitMatrix::from_columns(memory_bits, columns).kernel();
  for (std::size_t j = 0; j < kernel.size(); ++j)
    columns[static_cast<std::size_t>(highest_bit(kernel[j]))] |=
        bit(memory_bits - static_cast<int>(kernel.size() - j));
  for (int i = memory_bits; i < map.width(); ++i)
    columns.push_back(bit(i) | wanted(map.column(i) ^ seen.column(i)));
  return BitMap::from_columns(columns, wanted(map.complement() ^ seen.complement()));
}

// a such that the key's map is this one, renamed and translated by a, but for memory.
Word translation_of(const BitMap& map, int memory_bits, const Key& key,
                    const std::vector<int>& place) {
  const auto n = static_cast<int>(place.size());
  std::vector<Word> columns;
  for (int i = 0; i < n; ++i) columns.push_back(key.a[static_cast<std::size_t>(i)] ^ bit(i));
  columns.insert(columns.end(), key.b.begin(), key.b.end());
  // n + r columns, r <= n of memory.
  const auto solved = BitMatrix::from_columns(n, columns)
                          .solve(placed(map.complement() >> memory_bits, place) ^ key.c);
  FARO_CHECK(solved.has_value());
  return *solved & low_mask(n);
}

// On addresses: memory bits stay.
BitMap on_addresses(const Renaming& names, int memory_bits) {
  std::vector<int> all(static_cast<std::size_t>(memory_bits));
  std::iota(all.begin(), all.end(), 0);
  for (const int to : names.place) all.push_back(memory_bits + to);
  return BitMap::from_places(all, names.translation << memory_bits);
}

Renaming then(const Renaming& first, const Renaming& second) {
  Renaming both{{}, placed(first.translation, second.place) ^ second.translation};
  for (const int to : first.place) both.place.push_back(second.place[static_cast<std::size_t>(to)]);
  return both;
}

void reverse(std::vector<CubeStep>& steps) {
  std::reverse(steps.begin(), steps.end());
  for (CubeStep& step : steps) invert(step);
}

int memory_bits_of(const Request& request) {
  return request.map().cut ? request.map().memory_bits : 0;
}

// The same request for another map.
Request with_map(const Request& request, const BitMap& map) {
  return Request::of(
      request.machine(),
      MapGoal{.map = map, .cut = request.map().cut, .memory_bits = memory_bits_of(request)},
      request.elements());
}

}  // namespace

Renaming Renaming::none(int dimensions) {
  Renaming same{std::vector<int>(static_cast<std::size_t>(dimensions)), 0};
  std::iota(same.place.begin(), same.place.end(), 0);
  return same;
}

Renaming Renaming::back() const {
  Renaming inverse{std::vector<int>(place.size()), 0};
  for (std::size_t i = 0; i < place.size(); ++i) {
    inverse.place[static_cast<std::size_t>(place[i])] = static_cast<int>(i);
    if (has_bit(translation, place[i])) inverse.translation |= bit(static_cast<int>(i));
  }
  return inverse;
}

BitMap renamed(const BitMap& map, int memory_bits, const Renaming& names) {
  const BitMap to = on_addresses(names, memory_bits);
  return then(then(to.inverse(), map), to);
}

void rename(CubeStep& step, const Renaming& names) {
  for (Rule& rule : step.rules) {
    for (Parity& condition : rule.where) {
      condition.mask = placed(condition.mask, names.place);
      condition.value ^= parity(condition.mask & names.translation);
    }
    if (rule.across != inside) rule.across = names.place[static_cast<std::size_t>(rule.across)];
  }
  for (Move& move : step.moves) {
    move.from_processor = placed(move.from_processor, names.place) ^ names.translation;
    move.to_processor = placed(move.to_processor, names.place) ^ names.translation;
  }
}

Mirror::Mirror(const Request& request)
    : request_(request), question_(request), names_(Renaming::none(processor_bits(request))) {}

Mirror Mirror::representative(const Request& request) {
  Mirror mirror(request);
  const int m = memory_bits_of(request);
  BitMap map = request.map().map;
  auto least = least_key(map, m);
  auto other = least_key(map.inverse(), m);
  mirror.reversed_ = mirror.rearranged_backwards_ = other.first < least.first;
  if (mirror.reversed_) {
    least = std::move(other);
    map = map.inverse();
  }
  const auto& [key, place] = least;
  mirror.names_ = {place, translation_of(map, m, key, place)};
  mirror.question_ = with_map(request, map_of(key, m));
  const BitMap seen = renamed(mirror.question_.map().map, m, mirror.names_.back());
  mirror.rearrange(before_of(map, seen, m));
  return mirror;
}

Mirror Mirror::rearranged(const Request& request, const BitMap& map, const BitMap& before) {
  Mirror mirror(request);
  mirror.question_ = with_map(request, map);
  mirror.rearrange(before);
  return mirror;
}

void Mirror::rearrange(const BitMap& before) {
  const BitMap& map = request_.map().map;
  const BitMap there =
      then(before, renamed(question_.map().map, memory_bits_of(request_), names_.back()));
  before_ = *split_map(with_map(request_, before));
  after_ = *split_map(with_map(request_, then(there.inverse(), reversed_ ? map.inverse() : map)));
}

Mirror Mirror::of_processors(const Request& request, const BitMap& map, const Renaming& names) {
  Mirror mirror(request);
  mirror.question_ = Request::of(request.machine(), MapGoal{.map = map}, request.elements());
  mirror.names_ = names.back();
  mirror.after_ = *split_map(request);
  return mirror;
}

Mirror Mirror::seen(const Renaming& names, bool backwards) const {
  Mirror other = *this;
  const BitMap& map = question_.map().map;
  other.question_ = with_map(
      question_, renamed(backwards ? map.inverse() : map, memory_bits_of(question_), names));
  other.names_ = then(names_, names);
  other.reversed_ = reversed_ != backwards;
  return other;
}

Mirror Mirror::in_pairs() const {
  Mirror other = *this;
  other.copied_ = reversed_ && memory_bits_of(question_) == 0 && question_.elements() % 2 == 1;
  if (other.copied_) other.question_ = question_.with_elements(question_.elements() + 1);
  return other;
}

// Passes steps on, or keeps them to the end where that comes first.
class Mirror::TakenBack : public ScheduleSink {
 public:
  TakenBack(const Mirror& mirror, std::string_view planner, ScheduleSink& sink)
      : mirror_(mirror), back_(mirror.names_.back()), planner_(planner), sink_(sink) {}

  void begin(const ScheduleHeader& header) override {
    sink_.begin(header_of(mirror_.request_, planner_, header.slots));
    if (mirror_.copied_) {
      CubeStep copy;
      const std::uint64_t last = mirror_.request_.elements();
      copy.rules.push_back({.where = {}, .from = 0, .across = inside, .to = Slot(last)});
      sink_.step(copy);
    }
    rearrange(mirror_.rearranged_backwards_ ? mirror_.after_ : mirror_.before_);
  }
  void step(const CubeStep& step) override {
    if (plain_) return sink_.step(step);
    CubeStep mine = step;
    rename(mine, back_);
    if (mirror_.reversed_)
      kept_.push_back(std::move(mine));
    else
      sink_.step(mine);
  }
  void finish() override {
    push_backwards(std::move(kept_));
    rearrange(mirror_.rearranged_backwards_ ? mirror_.before_ : mirror_.after_);
    sink_.finish();
  }

 private:
  void rearrange(const SplitMap& slots) {
    RecordingSink made;
    push_slots(slots, mirror_.request_.elements(), mirror_.rearranged_backwards_ ? made : sink_);
    push_backwards(std::move(made.cube_steps));
  }
  void push_backwards(std::vector<CubeStep> steps) {
    reverse(steps);
    for (const CubeStep& step : steps) sink_.step(step);
  }

  const Mirror& mirror_;
  Renaming back_;
  std::string_view planner_;
  ScheduleSink& sink_;
  bool plain_ = !mirror_.reversed_ && back_.translation == 0 &&
                std::is_sorted(back_.place.begin(), back_.place.end());
  std::vector<CubeStep> kept_;
};

void Mirror::push(const Offer& plan, std::string_view planner, ScheduleSink& sink) const {
  TakenBack back(*this, planner, sink);
  plan.push(back);
}

Offer Mirror::taken_back(Offer plan, std::string_view planner, std::string_view words) const {
  Estimate estimate{.cost = plan.estimate.cost};
  if (!words.empty()) estimate.cost.text = words;
  std::string expression =
      plan.expression.empty() ? std::string() : fmt::format("mirror({})", plan.expression);
  return {.estimate = std::move(estimate),
          .push = [mirror = *this, plan = std::move(plan),
                   planner](ScheduleSink& sink) { mirror.push(plan, planner, sink); },
          .expression = std::move(expression)};
}

Numbered::Numbered(Mirror whole, std::uint64_t seed, Names names)
    : whole_(std::move(whole)),
      random_(seed),
      how_(names),
      names_(Renaming::none(processor_bits(whole_.question()))) {}

Mirror Numbered::next() {
  const std::uint64_t i = number_++;
  const auto n = static_cast<int>(names_.place.size());
  if (i >= 2 && (how_ == Names::drawn_for_each || i % 2 == 0)) {
    const bool drawn = how_ != Names::mixed_for_two;
    if (drawn) names_ = Renaming::none(n);
    random_.mix(names_.place);
    if (drawn) names_.translation = random_.next() & low_mask(n);
  }
  return whole_.seen(names_, i % 2 == 1);
}

}  // namespace faro::inline v1::mirrors
