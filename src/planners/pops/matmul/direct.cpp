// Products on groups that cut rows.   [faro]
//   cost:   counted; about 2 max(N, d)   (tested N <= 10, every d)
//   bound:  2(N-1); what a group lacks, over g couplers
//
// A job is one operand for one group: its coupler is that of the owner's group, its listeners those
// of the owner's row or column there. Slot by slot every group goes through what it still has to
// tell and sends what finds its coupler free and its listeners idle.
#include <algorithm>
#include <map>

#include "planners/pops/matmul/schedules.hpp"
#include "planners/pops/matmul/slots.hpp"

namespace faro::inline v1::matmul {
namespace {

class Direct {
 public:
  Direct(const Pops& machine, std::uint64_t order, ScheduleSink& sink)
      : n_(order),
        slots_(
            machine,
            {.order = order, .registers = 2 * order + 3, .c = 2, .planner = "pops-matmul-direct"},
            sink),
        operands_(slots_, 3, 3 + static_cast<Slot>(order)),
        told_(machine.groups) {
    for (std::uint64_t i = 0; i < n_; ++i)
      for (std::uint64_t j = 0; j < n_; ++j)
        for (const bool is_b : {false, true}) add(i, j, is_b);
    for (std::vector<Operand>& group : told_)
      std::stable_sort(group.begin(), group.end(),
                       [this](const Operand& x, const Operand& y) { return rank(x) < rank(y); });
  }

  void push() {
    for (std::uint64_t i = 0; i < n_; ++i) operands_.form(i, i, i);
    std::uint64_t turn = 0;
    do {
      ++turn;
      hears_.assign(n_ * n_, false);
      for (std::uint64_t s = 0; s < told_.size(); ++s) tell((s + turn) % told_.size());
      slots_.end();
    } while (left_ > 0);
    slots_.finish();
  }

 private:
  struct Operand {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    bool is_b = false;
    std::map<std::uint64_t, std::vector<Word>> listeners = {};  // by group
  };

  void add(std::uint64_t i, std::uint64_t j, bool is_b) {
    Operand operand{.row = i, .column = j, .is_b = is_b};
    for (std::uint64_t k = 0; k < n_; ++k) {
      const Word p = is_b ? k * n_ + j : i * n_ + k;
      if (p != i * n_ + j) operand.listeners[slots_.group(p / n_, p % n_)].push_back(p);
    }
    left_ += operand.listeners.size();
    told_[slots_.group(i, j)].push_back(std::move(operand));
  }

  // A's first; by diagonals, so that groups speak to other rows and columns at a time.
  std::pair<bool, std::uint64_t> rank(const Operand& x) const {
    const std::uint64_t ahead = x.is_b ? x.row + n_ - x.column : x.column + n_ - x.row;
    return {x.is_b, ahead % n_};
  }

  void tell(std::uint64_t s) {
    std::vector<bool> driven(told_.size(), false);
    std::vector<Word> spoke;
    for (Operand& operand : told_[s]) {
      const Word owner = operand.row * n_ + operand.column;
      if (std::find(spoke.begin(), spoke.end(), owner) != spoke.end()) continue;
      std::vector<std::uint64_t> to;
      for (const auto& [group, listeners] : operand.listeners)
        if (!driven[group] &&
            std::none_of(listeners.begin(), listeners.end(), [this](Word p) { return hears_[p]; }))
          to.push_back(group);
      if (to.empty()) continue;
      for (const std::uint64_t group : to) {
        driven[group] = true;
        for (const Word p : operand.listeners[group]) hear(operand, p, s);
        operand.listeners.erase(group);
      }
      left_ -= to.size();
      spoke.push_back(owner);
      slots_.send(operand.row, operand.column, operand.is_b ? 1 : 0, std::move(to));
    }
    std::erase_if(told_[s], [](const Operand& operand) { return operand.listeners.empty(); });
  }

  void hear(const Operand& operand, Word p, std::uint64_t from) {
    hears_[p] = true;
    if (operand.is_b)
      operands_.b_comes(p / n_, p % n_, operand.row, from);
    else
      operands_.a_comes(p / n_, p % n_, operand.column, from);
  }

  std::uint64_t n_;
  MatmulSlots slots_;
  MatmulOperands operands_;
  std::vector<std::vector<Operand>> told_;  // what each group has to tell
  std::vector<bool> hears_;
  std::uint64_t left_ = 0;
};

}  // namespace

void direct(const Pops& machine, std::uint64_t order, ScheduleSink& sink) {
  Direct(machine, order, sink).push();
}

}  // namespace faro::inline v1::matmul
