// Numbers, texts and costs in JSON as every format of ours writes them: numbers below 2^53, which
// all readers hold exactly, above them decimal strings.
#pragma once

#include <string>

#include "base/report.hpp"
#include "faro/base/count.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

// "17", or "\"9007199254740993\"" with its quotation marks.
inline std::string json_number(Count count) {
  return count < Count{1} << 53U ? to_string(count) : '"' + to_string(count) + '"';
}

// In quotation marks, in ASCII.
std::string json_quoted(const std::string& text);

inline Report cost_report(const Cost& cost, const Machine& machine) {
  Report object = Report::object();
  for (const CostPart& part : kind_of(machine).cost) object[part.key] = cost.*part.count;
  return object;
}

}  // namespace faro::inline v1
