// The C API of the component for MPI: handles around values, statuses around exceptions.
#include "faro/mpi_c/faro_mpi.h"

#include <limits>
#include <string>
#include <vector>

#include "c/guard.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi/communicator.hpp"

struct faro_mpi_plan {
  faro::mpi::Communicator ranks;
  faro::MpiPlan plan;
  std::string description;
};

struct faro_mpi_array {
  faro::SharedArray array;
};

namespace {

using faro::c::guarded;
using faro::c::need;
using faro::c::taken;

// A map knows its columns by what it does; the handle is the other library's.
faro::BitMap map_from(const faro_map* handle) {
  const int width = faro_map_width(handle);
  if (width < 0) throw faro::Error(faro::ErrorCode::usage, faro_last_error());
  const std::uint64_t complement = faro_map_apply(handle, 0);
  std::vector<faro::Word> columns;
  for (int i = 0; i < width; ++i) {
    columns.push_back(faro_map_apply(handle, faro::bit(i)) ^ complement);
  }
  return faro::BitMap::from_columns(columns, complement);
}

faro::MpiOptions options_from(const faro_mpi_options& given) {
  if (given.transport < FARO_MPI_AUTOMATIC || given.transport > FARO_MPI_MEASURED) {
    throw faro::Error(faro::ErrorCode::usage,
                      "transport " + std::to_string(given.transport) + " is none");
  }
  faro::MpiOptions options;
  options.exchange.in_place = given.in_place != 0;
  options.exchange.ranks = given.relabelled != 0 ? faro::Ranks::relabelled : faro::Ranks::fixed;
  options.exchange.node_bits = given.node_bits;
  options.exchange.buffer_bytes = given.buffer_bytes;
  options.transport = static_cast<faro::Transport>(given.transport);
  options.check = given.unchecked != 0 ? faro::MpiOptions::Check::no : faro::MpiOptions::Check::yes;
  return options;
}

std::uint64_t at_most(faro::Count count) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  return count > faro::Count{largest} ? largest : static_cast<std::uint64_t>(count);
}

std::span<const std::byte> bytes_at(const void* data, size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}
std::span<std::byte> bytes_at(void* data, size_t bytes) {
  return {static_cast<std::byte*>(data), bytes};
}

}  // namespace

extern "C" {

const char* faro_mpi_last_error(void) {
  return faro::c::last_error.c_str();
}

faro_status faro_mpi_plan_create(MPI_Comm communicator, const faro_map* map,
                                 const faro_mpi_options* options, faro_mpi_plan** plan) {
  return guarded([&] {
    const faro::mpi::Communicator ranks(communicator);
    faro::BitMap wanted;
    faro::MpiOptions how;
    std::uint64_t element_bytes = 1;
    // One rank's NULL is everybody's error.
    ranks.agree({}, "argument", [&] {
      need("faro_mpi_plan_create", "map plan", map, plan);
      const faro_mpi_options defaults = FARO_MPI_OPTIONS;
      const faro_mpi_options all = options == nullptr ? defaults : taken(*options, defaults);
      wanted = map_from(map);
      how = options_from(all);
      element_bytes = all.element_bytes;
    });
    faro::MpiPlan made(communicator, wanted, element_bytes, how);
    std::string description = made.plan().describe();
    *plan = new faro_mpi_plan{faro::mpi::Communicator(communicator), std::move(made),
                              std::move(description)};
  });
}

faro_status faro_mpi_plan_get_cost(const faro_mpi_plan* plan, faro_mpi_cost* cost) {
  return guarded([&] {
    need("faro_mpi_plan_get_cost", "plan cost", plan, cost);
    const faro::ExchangePlan& exchange = plan->plan.plan();
    const faro::ExchangeCost& known = exchange.cost();
    faro_mpi_cost all = taken(*cost, FARO_MPI_COST);
    const size_t size = cost->struct_size;
    all.struct_size = size;
    all.rho = known.rho;
    all.local_passes = exchange.local_passes();
    all.partners = known.partners;
    all.rounds = known.rounds;
    all.steps = exchange.steps();
    all.message_bytes = exchange.block_bytes();
    all.moved_bytes = at_most(known.ranks.moved_bytes);
    all.least_bytes = at_most(known.ranks.least_bytes);
    all.least_bytes_relabelled = at_most(known.ranks.least_bytes_relabelled);
    all.most_sent_bytes = at_most(known.most_sent_bytes);
    all.keepers = known.keepers;
    all.local_bytes = exchange.local_bytes();
    all.buffer_bytes = exchange.buffer_bytes();
    std::memcpy(cost, &all, std::min(sizeof all, size));
  });
}

const char* faro_mpi_plan_describe(const faro_mpi_plan* plan) {
  return plan == nullptr ? "" : plan->description.c_str();
}

uint64_t faro_mpi_plan_relabelled(const faro_mpi_plan* plan, uint64_t rank) {
  if (plan == nullptr) return rank;
  const faro::BitMap& relabelling = plan->plan.plan().relabelling();
  return relabelling(rank & faro::low_mask(relabelling.width()));
}

faro_status faro_mpi_plan_execute(faro_mpi_plan* plan, const void* from, void* to, size_t bytes) {
  return guarded([&] {
    need("faro_mpi_plan_execute", "plan", plan);
    plan->plan.execute(bytes_at(from, bytes), bytes_at(to, bytes));
  });
}

faro_status faro_mpi_plan_execute_in_place(faro_mpi_plan* plan, void* data, size_t bytes) {
  return guarded([&] {
    need("faro_mpi_plan_execute_in_place", "plan", plan);
    plan->plan.execute_in_place(bytes_at(data, bytes));
  });
}

faro_status faro_mpi_plan_verify(faro_mpi_plan* plan, const void* from, const void* to,
                                 size_t bytes) {
  return guarded([&] {
    need("faro_mpi_plan_verify", "plan", plan);
    const faro::ExchangePlan& exchange = plan->plan.plan();
    if (!faro::verify_exchange(plan->ranks.handle(), exchange.executed_map(),
                               exchange.element_bytes(), bytes_at(from, bytes),
                               bytes_at(to, bytes))) {
      throw faro::Error(faro::ErrorCode::refused,
                        "the arrays are not what the plan makes of each other: fingerprints of all "
                        "elements and their places differ");
    }
  });
}

void faro_mpi_plan_free(faro_mpi_plan* plan) {
  delete plan;
}

faro_status faro_mpi_array_create(MPI_Comm communicator, uint64_t bytes, faro_mpi_array** array) {
  return guarded([&] {
    const faro::mpi::Communicator ranks(communicator);
    ranks.agree({}, "argument", [&] { need("faro_mpi_array_create", "array", array); });
    *array = new faro_mpi_array{faro::mpi::allocate(communicator, bytes)};
  });
}

void* faro_mpi_array_data(const faro_mpi_array* array) {
  return array == nullptr ? nullptr : array->array.data().data();
}

faro_status faro_mpi_plan_execute_shared(faro_mpi_plan* plan, const faro_mpi_array* from,
                                         faro_mpi_array* to) {
  return guarded([&] {
    need("faro_mpi_plan_execute_shared", "plan from to", plan, from, to);
    plan->plan.execute(from->array, to->array);
  });
}

void faro_mpi_array_free(faro_mpi_array* array) {
  delete array;
}

}  // extern "C"
