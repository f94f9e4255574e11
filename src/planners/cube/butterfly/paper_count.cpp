// The formulas as printed.   [Johnsson, Ho 1990: sections 1, 5, 6; Theorems 1 to 5]
//
// Theorems 1 to 4 are for the most significant bit first; section 6 says that the least significant
// bit first costs the same, with the parts of the two allocations exchanged.
#include "planners/cube/butterfly/paper_count.hpp"

#include <algorithm>

#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1::butterfly {
namespace {

PaperCount johnsson_ho(const char* where, Count value, const char* formula) {
  return {std::string("Johnsson, Ho 1990, ") + where, {value, formula}};
}

}  // namespace

std::optional<PaperCount> paper_count(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  const Count k = request.elements();
  if (n == 0) return std::nullopt;
  const bool restored = request.finish == Finish::restored;
  if (!coded(request)) {
    if (memory_first(request) && k >= 2 && !restored)
      return johnsson_ho("section 1, two-sectioning in binary code", k / 2 + n - 1, "K/2 + n - 1");
    return johnsson_ho("section 1, pipelined in binary code", k + n - 1, "K + n - 1");
  }
  if (k == 1) return johnsson_ho("Theorem 5", n, "n");
  if (restored) return std::nullopt;
  const bool msb = most_significant_first(request);
  if (!memory_first(request)) {
    const char* where = msb ? "Theorem 3" : "Theorem 3, by section 6 for this order too";
    if (k == 2) return johnsson_ho(where, 1 + std::max(n, k), "K/2 + max(n, K)");
    return johnsson_ho(where, k / 2 + std::max(n, k / 2), "K/2 + max(n, K/2)");
  }
  if (whole_cyclic(request)) {
    if (k == 2) return johnsson_ho("Theorem 4", k + n - 1, "K + n - 1");
    return johnsson_ho("Theorem 4", k / 2 + n - 1, "K/2 + n - 1");
  }
  if (k == 2)
    return johnsson_ho(msb ? "Theorem 2" : "Theorem 2, by section 6 for this order too", k + n - 2,
                       "K + n - 2");
  return johnsson_ho(
      msb ? "Theorem 1 (Table 4: K/2 + n - 1)" : "Theorem 1, by section 6 for this order too",
      k / 2 + n - 2, "K/2 + n - 2");
}

}  // namespace faro::inline v1::butterfly
