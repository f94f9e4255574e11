// The writers behind export_schedule. Each writes what it is given and keeps at most one step;
// goal, chakra, msccl and the graphs keep what their order needs.
#pragma once

#include <functional>

#include "exports/transfers.hpp"
#include "faro/base/progress.hpp"

namespace faro::inline v1::exports {

using Push = std::function<void(ScheduleSink&)>;

void csv(const Push& push, ByteSink& to);
void perfetto(const Push& push, ByteSink& to);
void goal(const Push& push, ByteSink& to);
void graphml(const Push& push, ByteSink& to);
void dot(const Push& push, ByteSink& to);
void chakra(const Push& push, ByteSink& to);
void msccl(const Push& push, ByteSink& to);
void booksim(const Push& push, ByteSink& to);
void c_program(const Push& push, ByteSink& to);

}  // namespace faro::inline v1::exports
