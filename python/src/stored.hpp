// What bindings of stored arrays share: a request's keywords, and what is told of its run.
#pragma once

#include <string>

#include "faro/disk/rechunk.hpp"
#include "module.hpp"

namespace faro::python {

RechunkOptions options_from(const std::string& from, const nb::dict& given);
nb::object facts_of(const RechunkReport& report);

}  // namespace faro::python
