// What an exchange says of itself: format faro-exchange/1, and its words.
#pragma once

#include "base/report.hpp"
#include "faro/distributed/exchange_plan.hpp"

namespace faro::inline v1 {

Report report_of(const ExchangePlan& plan, const NetworkModel& network = {});

}  // namespace faro::inline v1
