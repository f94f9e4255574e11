#include "faro/engine/permute_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"
#include "engine/exchange.hpp"
#include "engine/involutions.hpp"
#include "engine/motion.hpp"
#include "engine/passes.hpp"
#include "engine/plan_facts.hpp"
#include "engine/small_table.hpp"
#include "engine/timed_pass.hpp"
#include "engine/tuning.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {

struct PermutePlan::State {
  PlanFacts facts;
  // One of these; of small data in place too, by way of the stack.
  std::vector<engine::Motion> motions;  // each of its part of the data
  std::optional<engine::SmallTable> table;
  // In place these, one after another.
  std::vector<engine::Pass> passes;
  std::vector<engine::Exchange> exchanges;

  void run_motions(const std::byte* from, std::byte* to, const Progress& progress) const;
};

namespace {

std::uint64_t bytes_of(const BitMap& map, const PermuteShape& shape) {
  if (shape.element_bytes == 0) {
    throw Error(ErrorCode::usage,
                "permute: elements of 0 bytes; the shape needs element_bytes >= 1");
  }
  if (map.width() > limits::permute_bits_max) {
    throw Error(
        ErrorCode::limit,
        fmt::format("permute: a map of {} bits; memory holds at most 2^48 elements", map.width()));
  }
  const std::uint64_t block = size_product(shape.inner, shape.element_bytes, "bytes per index");
  return size_product(size_product(shape.outer, bit(map.width()), "elements"), block, "bytes");
}

void check_threads(const PermuteOptions& options) {
  if (options.threads < 0 || options.threads > limits::threads_max) {
    throw Error(
        options.threads < 0 ? ErrorCode::usage : ErrorCode::limit,
        fmt::format("permute: {} threads; 0 (as many as there are cores) to {} are possible",
                    options.threads, limits::threads_max));
  }
}

void check_sizes(std::uint64_t wanted, std::uint64_t from_bytes, std::uint64_t to_bytes) {
  if (from_bytes != wanted || to_bytes != wanted) {
    throw Error(
        ErrorCode::usage,
        from_bytes == to_bytes
            ? fmt::format("permute: {} bytes to move; the plan moves {} bytes", to_bytes, wanted)
            : fmt::format("permute: buffers of {} and {} bytes; the plan moves {} bytes",
                          from_bytes, to_bytes, wanted));
  }
}

void check_sizes(const PlanFacts& facts, std::uint64_t from_bytes, std::uint64_t to_bytes) {
  if (facts.from_bytes == facts.data_bytes && facts.to_bytes == facts.data_bytes) {
    check_sizes(facts.data_bytes, from_bytes, to_bytes);
  } else if (from_bytes < facts.from_bytes || to_bytes < facts.to_bytes) {
    throw Error(ErrorCode::usage,
                fmt::format("permute: buffers of {} and {} bytes; the arrays reach to {} and {}",
                            from_bytes, to_bytes, facts.from_bytes, facts.to_bytes));
  }
}

void check_apart(std::span<const std::byte> from, std::span<const std::byte> to) {
  const auto a = reinterpret_cast<std::uintptr_t>(from.data());
  const auto b = reinterpret_cast<std::uintptr_t>(to.data());
  if (a < b + to.size() && b < a + from.size()) {
    throw Error(ErrorCode::usage,
                "permute: the buffers overlap; use two that do not, or a plan in place");
  }
}

// In place such data goes by way of the stack, in one pass whatever the map.
bool fits_stack(std::uint64_t data_bytes, const PermuteOptions& options) {
  return data_bytes != 0 && data_bytes <= engine::SmallTable::bytes_max &&
         options.simd == Simd::automatic && options.stores == Stores::automatic;
}

std::vector<engine::Pass> candidates_of(const BitMap& map, const PermuteShape& shape,
                                        const PermuteOptions& options, engine::Place place) {
  std::vector<engine::Pass> all;
  while (auto pass = engine::plan_pass(map, shape, options, place, all.size())) {
    all.push_back(std::move(*pass));
  }
  return all;
}

// The fastest of these; what they do to the data is done an even number of times each, which in
// place leaves it as it was.
engine::Pass fastest(std::vector<engine::Pass> candidates, const std::byte* from,
                     std::span<std::byte> to) {
  // The best of some rounds each: candidates in turn, so that a slow moment of the machine falls
  // on all of them.
  constexpr int rounds = 4;
  std::vector<double> seconds(candidates.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds && candidates.size() > 1; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      engine::bring_near(to);
      seconds[i] = std::min(seconds[i], engine::seconds_of(candidates[i], from, to.data()));
    }
  }
  const auto best = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
  engine::Pass pass = std::move(candidates[static_cast<std::size_t>(best)]);
  for (engine::Section& section : pass.sections) {
    section.reason += fmt::format(" (measured, best of {})", candidates.size());
  }
  return pass;
}

}  // namespace

void PermutePlan::State::run_motions(const std::byte* from, std::byte* to,
                                     const Progress& progress) const {
  std::uint64_t before = 0;
  for (const engine::Motion& motion : motions) {
    Progress part = progress;
    if (progress && motions.size() > 1) {
      part = [&progress, before, total = facts.data_bytes](std::uint64_t done, std::uint64_t) {
        return progress(before + done, total);
      };
    }
    engine::run_motion(motion, from, to, part);
    before += motion.form.data_bytes;
  }
}

PermutePlan PermutePlan::make(const BitMap& map, const PermuteShape& shape,
                              std::vector<engine::Pass> passes, engine::Place place) {
  auto state = std::make_shared<State>();
  state->facts = facts_of(passes, bytes_of(map, shape), place);
  if (place == engine::Place::apart) {
    engine::Motion& motion = state->motions.emplace_back();
    motion.form.data_bytes = state->facts.data_bytes;
    motion.pass = std::move(passes.front());
  } else {
    state->passes = std::move(passes);
  }
  return PermutePlan(std::move(state));
}

PermutePlan PermutePlan::make(engine::SmallTable table) {
  auto state = std::make_shared<State>();
  state->facts = table.facts();
  state->table = std::move(table);
  return PermutePlan(std::move(state));
}

// Of a plan just made, which nobody else has: it may change still.
std::shared_ptr<PermutePlan::State> PermutePlan::unshared(const PermutePlan& plan) {
  return std::const_pointer_cast<State>(plan.state_);
}

PermutePlan PermutePlan::by_stack(const PermutePlan& apart) {
  auto state = unshared(apart);
  PlanFacts& facts = state->facts;
  facts.in_place = true;
  if (state->table == std::nullopt) {
    facts.working_bytes += facts.data_bytes;
    facts.bytes_moved += 2 * facts.data_bytes;
  }
  return PermutePlan(std::move(state));
}

PermutePlan PermutePlan::make(engine::Motion motion) {
  auto state = std::make_shared<State>();
  state->facts = facts_of(motion);
  state->motions.push_back(std::move(motion));
  return PermutePlan(std::move(state));
}

PermutePlan PermutePlan::make(const engine::NormalForm& form,
                              std::vector<engine::Exchange> exchanges) {
  auto state = std::make_shared<State>();
  state->facts = facts_of(form, exchanges);
  state->exchanges = std::move(exchanges);
  return PermutePlan(std::move(state));
}

PermutePlan PermutePlan::out_of_place(const BitMap& map, const PermuteShape& shape,
                                      const PermuteOptions& options) {
  check_threads(options);
  const std::uint64_t data_bytes = bytes_of(map, shape);
  if (auto table = engine::SmallTable::of(map, shape, options)) {
    return make(std::move(*table));
  }
  const auto of_any_length = [&] {
    return beside(beside(Map::identity(shape.outer), Map::from_bits(map)),
                  Map::identity(shape.inner));
  };
  if (data_bytes != 0 && !is_power_of_two(shape.inner * shape.element_bytes)) {
    return out_of_place(of_any_length(), TensorShape{shape.element_bytes, {}, {}}, options);
  }
  if (data_bytes > engine::tuning().ordinary_bytes_max && bit_places(map)) {
    auto motion = engine::plan_transpose(
        engine::normal_form(of_any_length(), TensorShape{shape.element_bytes, {}, {}}), options);
    if (motion) return make(std::move(*motion));
  }
  std::vector<engine::Pass> passes;
  passes.push_back(*engine::plan_pass(map, shape, options, engine::Place::apart));
  return make(map, shape, std::move(passes), engine::Place::apart);
}

PermutePlan PermutePlan::out_of_place(const Map& map, const TensorShape& shape,
                                      const PermuteOptions& options) {
  check_threads(options);
  std::vector<engine::NormalForm> forms = engine::normal_forms(map, shape);
  if (auto table = engine::SmallTable::of(map, shape, forms, options)) {
    return make(std::move(*table));
  }
  if (forms.size() == 1) return make(*engine::plan_motion(std::move(forms.front()), options));
  auto state = std::make_shared<State>();
  std::uint64_t largest = 0;
  PlanFacts whole;  // its pass is that of the largest range
  for (engine::NormalForm& form : forms) {
    engine::Motion& motion =
        state->motions.emplace_back(*engine::plan_motion(std::move(form), options));
    PlanFacts facts = facts_of(motion);
    whole.threads = std::max(whole.threads, facts.threads);
    whole.working_bytes = std::max(whole.working_bytes, facts.working_bytes);
    whole.data_bytes += facts.data_bytes;
    whole.bytes_moved += facts.bytes_moved;
    whole.from_bytes = facts.from_bytes;
    whole.to_bytes = facts.to_bytes;
    if (facts.data_bytes <= largest) continue;
    largest = facts.data_bytes;
    whole.passes = std::move(facts.passes);
  }
  for (PassFacts& pass : whole.passes)
    pass.reason += fmt::format("; the largest of {} ranges", forms.size());
  state->facts = std::move(whole);
  return PermutePlan(std::move(state));
}

PermutePlan PermutePlan::in_place(const BitMap& map, const PermuteShape& shape,
                                  const PermuteOptions& options) {
  check_threads(options);
  if (fits_stack(bytes_of(map, shape), options)) return by_stack(out_of_place(map, shape, options));
  std::vector<engine::Pass> passes;
  for (const BitMap& factor : engine::involutions(map)) {
    passes.push_back(*engine::plan_pass(factor, shape, options, engine::Place::same));
  }
  return make(map, shape, std::move(passes), engine::Place::same);
}

PermutePlan PermutePlan::in_place(const Map& map, const TensorShape& told,
                                  const PermuteOptions& options) {
  check_threads(options);
  TensorShape shape = engine::shape_in_place(told);
  const bool dense = engine::is_dense(shape.from, shape.element_bytes) &&
                     engine::is_dense(shape.to, shape.element_bytes);
  if (dense) {
    // One axis each, which cuts nothing of the map.
    shape.from.strides.clear();
    shape.to.strides.clear();
  }
  const std::uint64_t data_bytes = engine::data_bytes_of(map, shape.element_bytes);
  const bool moves = map != Map::identity(static_cast<Word>(map.elements()));
  if (dense && moves && fits_stack(data_bytes, options)) {
    return by_stack(out_of_place(map, shape, options));
  }
  const engine::RollsApart apart = engine::rolls_apart(map, shape.element_bytes, options);
  if (!apart.rolls.empty()) {
    if (!dense) {
      throw Error(ErrorCode::impossible,
                  "permute: in place an array with gaps takes no digit that is rolled; copy it "
                  "through PermutePlan::out_of_place");
    }
    const PermutePlan plain = in_place(apart.plain, shape, options);
    auto state = unshared(plain);
    for (const engine::Exchange& roll : apart.rolls) {
      engine::add_pass(state->facts, roll);
      state->exchanges.push_back(roll);
    }
    return PermutePlan(std::move(state));
  }
  const engine::NormalForm form = engine::normal_form(map, shape);
  if (const auto bits = engine::batch_of_bits(form)) {
    return in_place(bits->map, {.element_bytes = form.element_bytes, .outer = bits->count},
                    options);
  }
  return make(form, engine::plan_in_place(map, shape, options));
}

PermutePlan PermutePlan::measured(const BitMap& map, const PermuteShape& shape,
                                  std::span<const std::byte> from, std::span<std::byte> to,
                                  const PermuteOptions& options) {
  check_threads(options);
  const std::uint64_t data_bytes = bytes_of(map, shape);
  check_sizes(data_bytes, from.size(), to.size());
  check_apart(from, to);
  std::vector<engine::Pass> passes;
  passes.push_back(
      fastest(candidates_of(map, shape, options, engine::Place::apart), from.data(), to));
  engine::run_pass(passes.front(), from.data(), to.data(), {});
  return make(map, shape, std::move(passes), engine::Place::apart);
}

PermutePlan PermutePlan::measured_in_place(const BitMap& map, const PermuteShape& shape,
                                           std::span<std::byte> data,
                                           const PermuteOptions& options) {
  check_threads(options);
  check_sizes(bytes_of(map, shape), data.size(), data.size());
  std::vector<engine::Pass> passes;
  for (const BitMap& factor : engine::involutions(map)) {
    passes.push_back(
        fastest(candidates_of(factor, shape, options, engine::Place::same), data.data(), data));
  }
  for (const engine::Pass& pass : passes) engine::run_pass(pass, data.data(), data.data(), {});
  return make(map, shape, std::move(passes), engine::Place::same);
}

PermutePlan::PermutePlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
PermutePlan::PermutePlan(const PermutePlan&) = default;
PermutePlan& PermutePlan::operator=(const PermutePlan&) = default;
// What is shared is never changed: a plan that was moved from is as good as before.
PermutePlan::PermutePlan(PermutePlan&& other) noexcept : state_(other.state_) {}
PermutePlan& PermutePlan::operator=(PermutePlan&& other) noexcept {
  state_ = other.state_;
  return *this;
}
PermutePlan::~PermutePlan() = default;

std::uint64_t PermutePlan::data_bytes() const {
  return state_->facts.data_bytes;
}
const PlanFacts& PermutePlan::facts() const {
  return state_->facts;
}
std::string PermutePlan::describe() const {
  const PlanFacts& all = facts();
  std::string text = fmt::format(
      "{} bytes {}, {} pass{}, {} bytes moved, {} thread{}, {} bytes of working memory\n",
      all.data_bytes, all.in_place ? "in place" : "to another buffer", all.passes.size(),
      all.passes.size() == 1 ? "" : "es", all.bytes_moved, all.threads, all.threads == 1 ? "" : "s",
      all.working_bytes);
  for (const PassFacts& pass : all.passes) {
    text += fmt::format("  {} tiles of {} bytes, runs of {} to runs of {}; {}; {} stores: {}\n",
                        pass.tiles, pass.tile_bytes, pass.from_run_bytes, pass.to_run_bytes,
                        pass.kernel, pass.stores == Stores::streaming ? "streaming" : "ordinary",
                        pass.reason);
  }
  return text;
}

void PermutePlan::execute(std::span<const std::byte> from, std::span<std::byte> to,
                          const Progress& progress) const {
  check_sizes(facts(), from.size(), to.size());
  check_apart(from, to);
  if (facts().in_place) {
    throw Error(ErrorCode::usage,
                "permute: a plan in place moves one buffer; use execute_in_place, or make the plan "
                "with PermutePlan::out_of_place");
  }
  if (state_->table) {
    state_->table->move(from.data(), to.data());
    report(progress, data_bytes(), data_bytes());
    return;
  }
  state_->run_motions(from.data(), to.data(), progress);
}

void PermutePlan::execute_in_place(std::span<std::byte> data, const Progress& progress) const {
  check_sizes(facts(), data.size(), data.size());
  if (!facts().in_place) {
    throw Error(ErrorCode::usage,
                "permute: this plan moves data to another buffer; make one with "
                "PermutePlan::in_place");
  }
  if (data.empty()) {
    report(progress, 0, 0);
    return;
  }
  if (state_->table) {
    state_->table->move_in_place(data.data());
    report(progress, data_bytes(), data_bytes());
    return;
  }
  if (!state_->motions.empty()) {
    alignas(engine::line_bytes) std::array<std::byte, engine::SmallTable::bytes_max> copy;
    std::memcpy(copy.data(), data.data(), data.size());
    state_->run_motions(copy.data(), data.data(), progress);
    return;
  }
  const std::uint64_t total = data_bytes() * facts().passes.size();
  std::uint64_t before = 0;
  const auto part = [&]() -> Progress {
    if (!progress) return {};
    return [&](std::uint64_t done, std::uint64_t) { return progress(before + done, total); };
  };
  for (const engine::Pass& pass : state_->passes) {
    engine::run_pass(pass, data.data(), data.data(), part());
    before += data_bytes();
  }
  for (const engine::Exchange& exchange : state_->exchanges) {
    engine::run_exchange(exchange, data.data(), part());
    before += data_bytes();
  }
}

void PermutePlan::execute_through(std::span<std::byte> data, std::span<std::byte> scratch) const {
  execute(data, scratch);
  if (data.empty()) return;
  constexpr std::uint64_t part_bytes = std::uint64_t{1} << 20U;
  in_parallel(facts().threads, (data.size() + part_bytes - 1) / part_bytes, [&](Word part, int) {
    const std::uint64_t begin = part * part_bytes;
    const auto piece = std::span(scratch).subspan(begin).first(
        std::min<std::uint64_t>(part_bytes, scratch.size() - begin));
    std::memcpy(data.data() + begin, piece.data(), piece.size());
  });
}

}  // namespace faro::inline v1
