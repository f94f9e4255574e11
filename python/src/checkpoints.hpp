// What bindings of checkpoints share: a request's keywords, and what is told of its run.
#pragma once

#include "faro/checkpoints/checkpoints.hpp"
#include "module.hpp"

namespace faro::python {

ReshardOptions reshard_options(const nb::dict& given);
nb::object facts_of(const ReshardReport& report);

}  // namespace faro::python
