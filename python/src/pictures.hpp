// The library's pictures, by the names that Python gives them.
#pragma once

#include <string>

#include "faro/algebra/notation.hpp"
#include "faro/service/plan.hpp"

namespace faro::python {

// "standard", "strands", "matrix", "array" or "all", as "svg" or "tikz"; throws Error(usage).
std::string map_picture(const Notation& notation, const std::string& what,
                        const std::string& format);
// "links", "steps" or "machine" (in one step).
std::string schedule_picture(const MachinePlan& plan, const std::string& what, std::uint64_t step,
                             const std::string& format);
// "faro", or a format of faro/exports; the file appears when it is complete.
void save_schedule(const MachinePlan& plan, const std::string& path, const std::string& format);

}  // namespace faro::python
