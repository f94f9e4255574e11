// Counts of a plan, from ranks alone: over the lanes of one request the addresses are a coset, so
// they meet 2^rank sectors, lines, words and banks, whichever block and step it is.
#include <algorithm>
#include <cstdlib>

#include "faro/gpu/plan.hpp"
#include "gpu/frame.hpp"
#include "gpu/plain.hpp"

namespace faro::inline v1::gpu {
namespace {

constexpr int bank_log2 = 2;
constexpr int near_blocks_log2 = 10;  // about what a large device holds at one time
constexpr int page_log2 = 21;         // what one translation of an address covers

Words shifted(const Words& vectors, int up, int down) {
  Words out;
  for (const Word v : vectors)
    out.push_back((v << static_cast<unsigned>(up)) >> static_cast<unsigned>(down));
  return out;
}

int lanes_at_once(const Machine& machine, int width_log2, std::size_t threads) {
  return std::min<int>(machine.banks_log2 - std::max(0, width_log2 - bank_log2),
                       static_cast<int>(threads));
}

// Bytes side by side in the span of vectors of bytes.
std::uint64_t run_of(const Words& vectors) {
  const Frame frame(vectors);
  int run = 0;
  while (run < word_bits - 1 && frame.contains(bit(run))) ++run;
  return bit(run);
}

// Everything near in time: the tile and the lowest bits of the block number.
void count_near(const Plan& plan, const Words& block, Traffic& out) {
  const int e = plan.unit_log2;
  const Words near = joined(units(0, e), shifted(block, e, 0));
  out.near_run_bytes = run_of(near);
  out.near_pages = bit(rank_of(shifted(near, 0, page_log2)));
}

Traffic count(const Plan& plan, const Side& side, bool counted) {
  const int e = plan.unit_log2;
  const Machine& m = plan.machine;
  Traffic out;
  const std::uint64_t bytes = plan.bytes();
  const auto parts = [&](int log2) {
    return (bytes + low_mask(log2)) >> static_cast<unsigned>(log2);
  };
  out.ideal_sectors = parts(m.sector_log2);
  out.ideal_lines = parts(m.line_log2);
  if (!counted) return out;
  const int width = e + side.vector_log2;
  const int lanes = lanes_at_once(m, width, side.threads.size());
  const Words at = joined(units(0, width), shifted(first_of(side.threads, lanes), e, 0));
  out.requests = bytes >> static_cast<unsigned>(lanes + width);
  out.sectors = out.requests << static_cast<unsigned>(rank_of(shifted(at, 0, m.sector_log2)));
  out.lines = out.requests << static_cast<unsigned>(rank_of(shifted(at, 0, m.line_log2)));
  return out;
}

SharedTraffic count_shared(const Plan& plan, const Side& side, bool shares_words) {
  const int lanes = lanes_at_once(plan.machine, side.width_log2, side.threads.size());
  const int unit = std::max(bank_log2, side.width_log2);
  const Words words = shifted(first_of(side.shared, lanes), 0, unit);
  Words banks = words;
  for (Word& w : banks) w &= low_mask(plan.machine.banks_log2 + bank_log2 - unit);
  SharedTraffic out;
  out.width_bytes = bit(side.width_log2);
  out.conflict = bit(rank_of(words) - rank_of(banks));
  std::uint64_t requests = plan.bytes() >> static_cast<unsigned>(lanes + side.width_log2);
  if (shares_words) {
    const Words places =
        joined(side.inner, rest_of(side.shared, static_cast<int>(side.threads.size())));
    requests >>= static_cast<unsigned>(rank_of(places) - rank_of(shifted(places, 0, bank_log2)));
    out.width_bytes = bit(bank_log2);
  }
  out.wavefronts = requests * out.conflict;
  return out;
}

// Of the fast axes that continue one another.
std::uint64_t window_run_bytes(const Plan& plan, const Window& window, bool source) {
  std::int64_t run = 1;
  for (const std::size_t i : source ? window.read : window.written) {
    const WindowAxis& axis = window.axes[i];
    if (std::abs((source ? axis.from : axis.to).front()) != run || !axis.columns.empty()) break;
    run *= static_cast<std::int64_t>(axis.chunk);
    if (axis.chunk < axis.length) break;
  }
  return static_cast<std::uint64_t>(run) << static_cast<unsigned>(plan.unit_log2);
}

}  // namespace

Certificate certificate(const Plan& plan) {
  Certificate out;
  if (plan.kind == Kind::window) {
    out.counted = false;
    // Where lengths are rolled, of the part that most blocks move.
    const Window& most = *std::max_element(
        plan.windows.begin(), plan.windows.end(),
        [](const Window& a, const Window& b) { return a.block_count() < b.block_count(); });
    out.read.run_bytes = window_run_bytes(plan, most, true);
    out.written.run_bytes = window_run_bytes(plan, most, false);
    return out;
  }
  out.counted = plan.kind != Kind::odd;
  out.read = count(plan, plan.from, out.counted);
  out.written = count(plan, plan.to, out.counted);
  if (plan.kind == Kind::tile) {
    out.store = count_shared(plan, plan.from, false);
    out.load = count_shared(plan, plan.to, plan.word_loads);
  }
  Words from = plan.tile;
  Words to;
  const auto image = [&](Word w) { return plan.map.matrix().apply(w); };
  const auto unit = static_cast<std::uint64_t>(plan.units);
  const auto bytes_of = [&](const Words& v) {
    return run_of(joined(units(0, plan.unit_log2), shifted(v, plan.unit_log2, 0))) * unit;
  };
  for (const Word w : from) to.push_back(image(w));
  out.read.run_bytes = bytes_of(from);
  out.written.run_bytes = bytes_of(to);
  if (plan.asked.in_place || plan.kind == Kind::odd) return out;
  for (std::size_t i = 0; i < plan.blocks.size() && i < near_blocks_log2; ++i) {
    from.push_back(plan.blocks[i].from);
    to.push_back(image(plan.blocks[i].from));
  }
  count_near(plan, from, out.read);
  count_near(plan, to, out.written);
  return out;
}

Certificate plain_certificate(const Plan& of) {
  if (of.kind == Kind::window) return certificate(of);
  if (of.kind == Kind::odd)
    return {.counted = false, .read = {}, .written = {}, .store = {}, .load = {}};
  return certificate(plain_loop(of));
}

}  // namespace faro::inline v1::gpu
