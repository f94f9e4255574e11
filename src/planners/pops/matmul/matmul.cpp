#include "planners/pops/matmul/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "planners/pops/matmul/schedules.hpp"

namespace faro::inline v1 {
namespace {

// Larger over smaller: how far two group sizes are apart.
bool nearer(std::uint64_t a, std::uint64_t b, std::uint64_t wanted) {
  const auto apart = [wanted](std::uint64_t d) {
    return std::pair<Count, Count>(std::max(d, wanted), std::min(d, wanted));
  };
  const auto [a_above, a_below] = apart(a);
  const auto [b_above, b_below] = apart(b);
  return a_above * b_below < b_above * a_below;
}

template <MatmulAlgorithm algorithm>
std::optional<std::string> refusal(const Request& request) {
  const auto* product = request.get_if<MatrixProduct>();
  if (product == nullptr) return "it multiplies matrices";
  return matmul_refusal(std::get<Pops>(request.machine()), product->order, algorithm);
}

template <MatmulAlgorithm algorithm>
Offer offer(const Request& request) {
  const Pops machine = std::get<Pops>(request.machine());
  const std::uint64_t order = request.get_if<MatrixProduct>()->order;
  std::optional<PaperCount> paper;
  if (algorithm != MatmulAlgorithm::direct)
    paper =
        PaperCount{"Sahni 2000, section 2", matmul_slots(machine, order, MatmulAlgorithm::paper)};
  return {.estimate = {.cost = matmul_slots(machine, order, algorithm), .paper = paper},
          .push = [machine, order](ScheduleSink& sink) {
            push_matmul(machine, order, algorithm, sink);
          }};
}

std::uint64_t rows_of_chunk(const Pops& machine, std::uint64_t rows) {
  return std::min(rows, (machine.groups + 1) / 2);
}

}  // namespace

Pops nearest_matmul_machine(const Pops& machine, std::uint64_t order) {
  const std::uint64_t wanted = std::max<std::uint64_t>(1, machine.group_size);
  std::uint64_t best = order;
  for (std::uint64_t part = 1; part <= order; ++part) {
    if (order % part != 0) continue;
    for (const std::uint64_t d : {part, order * part})
      if (nearer(d, best, wanted)) best = d;
  }
  return {best, order * order / best, machine.multi_receive};
}

std::optional<std::string> matmul_misfit(const Pops& machine, std::uint64_t order) {
  if (order == 0) return "matrices of order 0 have no product";
  if (order > limits::matmul_order_max)
    return fmt::format("matrices of order {}; the limit is {}", order, limits::matmul_order_max);
  const Count count = Count{machine.group_size} * machine.groups;
  if (count >= Count{order} * order) return std::nullopt;
  const Pops fits = nearest_matmul_machine(machine, order);
  return fmt::format(
      "matrices of order {0} need {0}² = {1} processors, pops:{2},{3} has {4}; the nearest machine "
      "of that size is pops:{5},{6}",
      order, order * order, machine.group_size, machine.groups, to_string(count), fits.group_size,
      fits.groups);
}

std::optional<std::string> matmul_refusal(const Pops& machine, std::uint64_t order,
                                          MatmulAlgorithm algorithm) {
  if (auto why = matmul_misfit(machine, order)) return why;
  const std::uint64_t d = machine.group_size;
  const bool all = Count{d} * machine.groups == Count{order} * order;
  const bool divides = all && (order % d == 0 || d % order == 0);
  if (algorithm != MatmulAlgorithm::direct) {
    if (divides) return std::nullopt;
    const std::string why =
        all ? fmt::format("{0} does not divide the order {1}, nor {1} the {0}", d, order)
            : fmt::format("matrices of order {} leave processors of pops:{},{} empty", order, d,
                          machine.groups);
    const Pops fits = nearest_matmul_machine(machine, order);
    return fmt::format("{}; the nearest machine that fits is pops:{},{}", why, fits.group_size,
                       fits.groups);
  }
  if (divides) return "it is for groups that cut rows or are left empty";
  if (order > limits::matmul_listed_order_max)
    return fmt::format("order {}; where groups cut rows it lists every message, to order {}", order,
                       limits::matmul_listed_order_max);
  return std::nullopt;
}

Formula matmul_slots(const Pops& machine, std::uint64_t order, MatmulAlgorithm algorithm) {
  const Count n = order;
  if (algorithm == MatmulAlgorithm::direct) {
    CostCounter counter;
    matmul::direct(machine, order, counter);
    return {counter.cost().slots, "counted"};
  }
  if (algorithm == MatmulAlgorithm::paper)
    return machine.group_size <= order ? Formula{2 * n, "2N"}
                                       : Formula{2 * n * n / machine.groups, "2N²/g"};
  if (order == 1) return {0, "0: one processor"};
  if (machine.group_size <= order) return {2 * n - 2, "2N - 2"};
  const Count r = order / machine.groups;
  if (machine.groups == 2) return {3 * r * r, "3N²/4"};
  const Count p = rows_of_chunk(machine, order / machine.groups);
  if (p == 1) return {r * n + n * r, "2rN"};
  return {r * n + n * ceil_div(r, p) + 1, "rN + N·ceil(r/p) + 1, p = min(r, floor((g+1)/2))"};
}

void push_matmul(const Pops& machine, std::uint64_t order, MatmulAlgorithm algorithm,
                 ScheduleSink& sink) {
  if (const auto why = matmul_refusal(machine, order, algorithm))
    throw Error(ErrorCode::impossible, *why);
  const bool rows_are_groups = machine.group_size <= order;
  if (algorithm == MatmulAlgorithm::direct)
    matmul::direct(machine, order, sink);
  else if (algorithm == MatmulAlgorithm::paper)
    (rows_are_groups ? matmul::paper_by_row_groups : matmul::paper_by_rows)(machine, order, sink);
  else if (order == 1)
    matmul::single(machine, sink);
  else if (rows_are_groups)
    matmul::best_by_row_groups(machine, order, sink);
  else if (machine.groups == 2)
    matmul::best_two_groups(machine, order, sink);
  else
    matmul::best_by_rows(machine, order, rows_of_chunk(machine, order / machine.groups), sink);
}

const PlannerEntry pops_matmul({
    .name = "pops-matmul",
    .machine = "pops, matrix products (faro matmul)",
    .title = "every processor hears what it lacks, rows that share couplers by relays",
    .needs = "d g = N², and d divides N or N divides d",
    .cost = "2N - 2 for d <= N, 3N²/4 for g = 2, else rN + N ceil(r/p) + 1, r = N/g",
    .citation = "faro, after Sahni 2000, section 2",
    .refusal = refusal<MatmulAlgorithm::best>,
    .offer = offer<MatmulAlgorithm::best>,
    .computes = true,
});

const PlannerEntry pops_matmul_paper({
    .name = "pops-matmul-paper",
    .machine = "pops, matrix products (faro matmul)",
    .title = "for each k, A[i,k] to its row and B[k,j] to its column",
    .needs = "d g = N², and d divides N or N divides d",
    .cost = "2N for d <= N, 2N²/g else",
    .citation = "Sahni 2000, section 2, corrected",
    .refusal = refusal<MatmulAlgorithm::paper>,
    .offer = offer<MatmulAlgorithm::paper>,
    .computes = true,
});

const PlannerEntry pops_matmul_direct({
    .name = "pops-matmul-direct",
    .machine = "pops, matrix products (faro matmul)",
    .title = "every operand straight from its owner, where couplers and listeners idle",
    .needs = "d g >= N², N <= 64, groups that cut rows or are left empty",
    .cost = "counted, about 2 max(N, d)",
    .refusal = refusal<MatmulAlgorithm::direct>,
    .offer = offer<MatmulAlgorithm::direct>,
    .computes = true,
});

}  // namespace faro::inline v1
