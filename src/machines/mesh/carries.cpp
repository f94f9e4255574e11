#include "machines/mesh/carries.hpp"

#include <algorithm>
#include <set>

#include "base/check.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::mesh {
namespace {

// a_k at 2k, b_k at 2k + 1.
using Routes = std::vector<std::int64_t>;

// How many choices of so many routes there are, or more than `limit`.
constexpr Count choices_max = limits::bound_carries_choices_max;
Count choices(Count routes, Count kinds) {
  Count all = 1;
  for (Count i = 1; i < kinds && all <= choices_max; ++i) all = all * (routes + i) / i;
  return all;
}

// Somebody is not served: whatever serves him takes more routes of one kind or another, and each
// way is tried. A choice that was tried is not tried again.
class Search {
 public:
  Search(const MeshGeometry& geometry, const std::vector<Word>& shifts, std::int64_t routes)
      : geometry_(geometry), shifts_(shifts), left_(routes) {
    for (int k = geometry.dimensions() - 1; k >= 0; --k)
      if (geometry.side_log2(k) > 0) dimensions_.push_back(k);
  }

  // A choice of at most so many routes, nothing if there is none.
  Routes run() {
    serves(Routes(2 * static_cast<std::size_t>(geometry_.dimensions()), 0), left_);
    return found_;
  }

 private:
  bool serves(const Routes& routes, std::int64_t left) {
    if (!tried_.insert(routes).second) return false;
    for (const Word shift : shifts_)
      if (!arrives(routes, shift, 0)) {
        Routes more = routes;
        return extend(more, left, shift, 0);
      }
    found_ = routes;
    return true;
  }

  Word stride(std::size_t at) const { return bit(geometry_.low(dimensions_[at])); }
  Word reduced(Word shift) const { return shift & low_mask(geometry_.bits()); }
  static std::size_t up(int k) { return 2 * static_cast<std::size_t>(k); }

  bool arrives(const Routes& routes, Word rest, std::size_t at) const {
    if (at == dimensions_.size()) return reduced(rest) == 0;
    // What is left must be a multiple of the strides to come.
    const std::size_t k = up(dimensions_[at]);
    for (std::int64_t x = -routes[k + 1]; x <= routes[k]; ++x)
      if (arrives(routes, rest - static_cast<Word>(x) * stride(at), at + 1)) return true;
    return false;
  }

  // Every way to bring the shift home with at most `left` routes more.
  bool extend(Routes& routes, std::int64_t left, Word rest, std::size_t at) {
    if (at == dimensions_.size()) return reduced(rest) == 0 && serves(routes, left);
    const std::size_t k = up(dimensions_[at]);
    const Routes before = routes;
    for (std::int64_t x = -before[k + 1] - left; x <= before[k] + left; ++x) {
      routes[k] = std::max(before[k], x);
      routes[k + 1] = std::max(before[k + 1], -x);
      const std::int64_t used = routes[k] - before[k] + routes[k + 1] - before[k + 1];
      if (extend(routes, left - used, rest - static_cast<Word>(x) * stride(at), at + 1))
        return true;
    }
    routes = before;
    return false;
  }

  const MeshGeometry& geometry_;
  const std::vector<Word>& shifts_;
  std::int64_t left_;
  std::vector<int> dimensions_;  // highest first
  std::set<Routes> tried_;
  Routes found_;
};

}  // namespace

CarriedRoutes routes_with_carries(const MeshGeometry& geometry, std::vector<Word> shifts,
                                  Count at_least) {
  FARO_CHECK(geometry.bits() <= limits::mesh_gamma_log2_max);
  std::sort(shifts.begin(), shifts.end());
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  const auto kinds = static_cast<Count>(2 * geometry.proper_dimensions());
  CarriedRoutes routes{.count = at_least, .choice = {}};
  for (; choices(routes.count, kinds) <= choices_max; ++routes.count) {
    routes.choice = Search(geometry, shifts, static_cast<std::int64_t>(routes.count)).run();
    if (!routes.choice.empty()) break;
  }
  return routes;
}

}  // namespace faro::inline v1::mesh
