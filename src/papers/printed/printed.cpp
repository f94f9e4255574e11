// Of two machines the papers count more than their planners say of themselves.
#include "papers/printed/printed.hpp"

namespace faro::inline v1 {

std::optional<PaperCount> printed_count(const Request& request) {
  if (!request.moves()) return {};
  if (std::holds_alternative<Pops>(request.machine())) return printed_pops_count(request);
  if (std::holds_alternative<Hypercube>(request.machine())) return printed_shuffle_count(request);
  return {};
}

std::optional<PaperCount> fewer(const std::optional<PaperCount>& a,
                                const std::optional<PaperCount>& b) {
  if (!a || (b && b->formula.value < a->formula.value)) return b;
  return a;
}

}  // namespace faro::inline v1
