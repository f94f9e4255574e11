// Rows in the order in which they enter; gates are counted from the last change of a row back.
#include "planners/cube/butterfly/gated_chains.hpp"

#include <algorithm>
#include <utility>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::butterfly {
namespace {

bool outside(Word form, const std::vector<Form>& rows) {
  return reduce(form, reduced_basis(masks_of(rows))) != 0;
}

// How many targets could be entered next.
int open_targets(const std::vector<Form>& rows, const std::vector<Form>& targets) {
  int count = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].mask != targets[j].mask && outside(targets[j].mask, rows)) ++count;
  }
  return count;
}

// Appends rows until every dimension has its target: a target that is independent of the rows there
// is entered at once; where none is, a memory form makes room.
void restore(const ButterflyNetwork& request, std::vector<Form> rows, GatedChains& chains) {
  const std::vector<Form> targets = output_forms(request);
  const auto change = [&](std::size_t j, Form row) {
    chains.changes[j].push_back({row, 0});
    rows[j] = row;
  };
  // Each round enters a target or opens one; a bound on the rounds guards against going in circles.
  for (int round = 0; round < 4 * request.processor_bits + 4; ++round) {
    bool entered = false;
    bool all = true;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[j].mask == targets[j].mask) continue;
      all = false;
      if (!outside(targets[j].mask, rows)) continue;
      change(j, targets[j]);
      entered = true;
    }
    if (all) return;
    if (entered) continue;
    int best_open = -1;
    std::size_t best_row = 0;
    Form best_form;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[j].mask == targets[j].mask) continue;
      for (const int b : memory_index_bits(request)) {
        if (!outside(bit(b), rows)) continue;
        std::vector<Form> tried = rows;
        tried[j] = bit_form(b);
        const int open = open_targets(tried, targets);
        if (open > best_open) {
          best_open = open;
          best_row = j;
          best_form = bit_form(b);
        }
      }
    }
    if (best_open < 0) break;
    change(best_row, best_form);
  }
}

// The gates of one chain, from the last change back: a bit that enters for good must have had its
// stage; one that a later change, open before that stage, drops again need not.
void set_gates(const ButterflyNetwork& request, std::vector<GatedRow>& changes) {
  for (std::size_t i = changes.size(); i-- > 0;) {
    int gate = 0;
    for (Word rest = changes[i].row.mask; rest != 0; rest &= rest - 1) {
      const int b = lowest_bit(rest);
      const int stage = stage_of(request, b);
      bool dropped = false;
      for (std::size_t later = i + 1; later < changes.size() && !dropped; ++later) {
        if (changes[later].gate > stage) break;
        dropped = !has_bit(changes[later].row.mask, b);
      }
      if (!dropped) gate = std::max(gate, stage + 1);
    }
    changes[i].gate = gate;
  }
}

// With k stages done, the rows that can be reached must not hold the bit of stage k.
bool every_stage_becomes_local(const ButterflyNetwork& request, const GatedChains& chains) {
  for (int b = 0; b < request.index_bits; ++b) {
    const int stage = stage_of(request, b);
    for (std::size_t j = 0; j < chains.start.size(); ++j) {
      Word row = chains.start[j].mask;
      for (const GatedRow& change : chains.changes[j]) {
        if (change.gate > stage) break;
        row = change.row.mask;
      }
      if (has_bit(row, b)) return false;
    }
  }
  return true;
}

// The chains, their gates set; nothing if a stage never becomes local or rows are dependent.
std::optional<GatedChains> sound(const ButterflyNetwork& request, GatedChains chains) {
  for (auto& changes : chains.changes) set_gates(request, changes);
  if (!every_stage_becomes_local(request, chains)) return {};
  if (BitMatrix::from_rows(request.index_bits, masks_of(chains.final_rows())).rank() !=
      request.processor_bits)
    return {};
  return chains;
}

}  // namespace

std::vector<Form> GatedChains::final_rows() const {
  std::vector<Form> rows = start;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (!changes[j].empty()) rows[j] = changes[j].back().row;
  }
  return rows;
}

std::optional<GatedChains> gated_chains(const ButterflyNetwork& request, int controls,
                                        Coding coding) {
  const std::vector<int> dimensions = stage_dimensions(request);
  std::vector<int> memory = memory_index_bits(request);
  if (controls < 1 || controls > static_cast<int>(memory.size()) ||
      controls > request.processor_bits) {
    return std::nullopt;
  }
  std::vector<Form> rows;  // by stage
  if (whole_cyclic(request) && most_significant_first(request)) {
    // b_n stands in the top row already: it is the last control.
    std::rotate(memory.begin(), memory.begin() + 1, memory.end());
    std::rotate(memory.begin(), memory.end() - 1, memory.end());
  }
  for (int i = 0; i < controls; ++i)
    rows.push_back(bit_form(memory[memory.size() - 1 - static_cast<std::size_t>(i)]));

  const std::vector<Form> outputs = output_forms(request);
  const auto output_of = [&](int k) {
    return outputs[static_cast<std::size_t>(dimensions[static_cast<std::size_t>(k)])];
  };
  const auto plain_of = [&](int k) {
    return bit_form(base_of(request) + dimensions[static_cast<std::size_t>(k)]);
  };
  const int n = request.processor_bits;
  const bool plain = coding == Coding::later;
  for (int k = controls; k < n; ++k) {
    rows.push_back(plain ? plain_of(k - controls) : output_of(k - controls));
  }

  GatedChains chains{start_rows(request), {}};
  chains.changes.resize(static_cast<std::size_t>(n));
  std::vector<Form> current(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const auto d = static_cast<std::size_t>(dimensions[static_cast<std::size_t>(k)]);
    chains.changes[d].push_back({rows[static_cast<std::size_t>(k)], 0});
    current[d] = rows[static_cast<std::size_t>(k)];
  }
  const auto then_row = [&](int k, Form row) {
    const auto d = static_cast<std::size_t>(dimensions[static_cast<std::size_t>(k)]);
    if (current[d].mask == row.mask) return;
    chains.changes[d].push_back({row, 0});
    current[d] = row;
  };
  if (request.finish == Finish::restored) {
    restore(request, current, chains);
  } else {
    if (plain) {
      for (int k = controls; k < n; ++k) then_row(k, output_of(k - controls));
    }
    if (!memory_first(request)) {
      for (int k = 0; k < controls; ++k) then_row(k, output_of(n - controls + k));
    }
  }
  return sound(request, std::move(chains));
}

std::optional<GatedChains> paired_chains(const ButterflyNetwork& request) {
  const int n = request.processor_bits;
  const std::vector<int> memory = memory_index_bits(request);
  if (n < 2 || memory.size() < 2 || !memory_first(request) || !most_significant_first(request) ||
      !coded(request) || whole_cyclic(request) || request.finish == Finish::restored)
    return std::nullopt;
  const std::vector<Form> outputs = output_forms(request);
  GatedChains chains{start_rows(request), {}};
  for (int d = 0; d < n; ++d) {
    std::vector<GatedRow> changes;
    const int below_top = n - 1 - d;
    if (below_top >= 2) {
      if (below_top % 2 == 0) changes.push_back({bit_form(base_of(request) + d), 0});
      changes.push_back({outputs[static_cast<std::size_t>(d) + 2], 0});
    } else {
      changes.push_back(
          {bit_form(memory[memory.size() - 1 - static_cast<std::size_t>(below_top)]), 0});
    }
    chains.changes.push_back(std::move(changes));
  }
  return sound(request, std::move(chains));
}

}  // namespace faro::inline v1::butterfly
