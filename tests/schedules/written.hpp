// A schedule's file as text.
#pragma once

#include <string>

#include "faro/schedules/json.hpp"

namespace faro::testing {

inline std::string written(const RecordingSink& schedule) {
  TextSink text;
  JsonWriter writer(text);
  schedule.replay_into(writer);
  return text.text();
}

}  // namespace faro::testing
