// `faro plan` with several machines, a row each, and what processors have for each other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {

// Plans on each machine; one that cannot do it has its reason in its row. 0 if any can.
int plan_on_many(const std::vector<std::string>& machines,
                 const std::function<Request(const std::string&)>& request_on,
                 const PlanOptions& options, Output& out);

// Who sends how much to whom, whatever the way; each of the request's elements stands for so many
// of the array.
int report_traffic(const Request& request, std::uint64_t unit_elements, Output& out);

}  // namespace faro::cli
