// Certificates of products of matrices on a POPS network, of schedules that form every term of
// C[i,j] where it ends: then processor iN + j needs the N entries A[i,.] and the N entries B[.,j],
// each in a message of its own, for sums do not say their summands.
//
//   port   the entries that a processor lacks, one a slot, or one from each group
//   group  the entries that somebody in a group lacks, over the g couplers to it
#include <vector>

#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1::certificates {
namespace {

using namespace certificate;

// The entries of A in a row of which a group has so many processors: all, but the one that its only
// processor holds. Of B and columns likewise.
Count told(const std::vector<std::uint64_t>& processors, std::uint64_t order) {
  Count sum = 0;
  for (const std::uint64_t count : processors)
    if (count > 0) sum += count == 1 ? order - 1 : order;
  return sum;
}

Count lacked_by_group(const Pops& pops, std::uint64_t order, std::uint64_t group) {
  std::vector<std::uint64_t> of_row(order);
  std::vector<std::uint64_t> of_column(order);
  const Count end = Count{group + 1} * pops.group_size;
  for (Count p = Count{group} * pops.group_size; p < end && p < Count{order} * order; ++p) {
    ++of_row[static_cast<std::size_t>(p / order)];
    ++of_column[static_cast<std::size_t>(p % order)];
  }
  return told(of_row, order) + told(of_column, order);
}

}  // namespace

Proved product_proves(const Pops& pops, const MatmulGoal& goal, const Bound& bound) {
  const std::string where = "schedules that form each term of C[i,j] where it ends";
  const std::uint64_t order = goal.order;
  const Count places = Count{order} * order;
  if (order == 0 || places > Count{pops::processors(pops)})
    return fault("the matrices do not fit the network");
  if (order > limits::matmul_order_max) throw Unchecked{"there are too many entries to count them"};
  if (const auto* c = std::get_if<Port>(&bound.certificate)) {
    if (c->way != Way::in || Count{c->processor} >= places)
      return fault("the certificate names no processor that needs entries");
    return {ceil_div(Count{2} * (order - 1), pops.multi_receive ? pops.groups : 1), {}, where};
  }
  if (const auto* c = std::get_if<Group>(&bound.certificate)) {
    if (c->way != Way::in || c->group >= pops.groups)
      return fault("the certificate names no group that needs entries");
    return {ceil_div(lacked_by_group(pops, order, c->group), pops.groups), {}, where};
  }
  return other_machine();
}

}  // namespace faro::inline v1::certificates
