// Collects the header of a schedule file, key by key in any order, and says in the end what
// schedule it begins, or what is wrong with it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "faro/schedules/json.hpp"
#include "schedules/json_parts.hpp"

namespace faro::inline v1::json {

using Tell = std::function<void(const Breach&)>;

class HeaderReader {
 public:
  static bool knows(std::string_view key);

  // A key of the header begins. Whether its value is well formed shows later.
  void begin_key(const std::string& key) { keys_.insert(key); }
  // The value of any key but "goal". Throws Breach; Error(usage) for another format.
  void take(std::string_view key, const Value& value, const Unknown& unknown);
  // "goal" is a list, and an entry of it.
  void begin_goal() { goal_listed_ = true; }
  void take_goal(const Value& entry);

  bool has_format() const { return has_format_; }
  // All keys are there that come before the steps. Nothing, if something that must be said is not
  // or makes no sense; `tell` has heard of it.
  std::optional<ScheduleHeader> complete(const ReadOptions& options, const Tell& tell);

 private:
  std::optional<Goal> goal_of(const ScheduleHeader& header, const ReadOptions& options);
  static MapGoal map_of(const std::string& text, const ScheduleHeader& header,
                        const ReadOptions& options);
  void take_repeat(const Value& value, const Unknown& unknown);
  void read_changes(const ReadOptions& options);
  void check_agreement(const MapGoal& map, const ScheduleHeader& header) const;

  bool has_format_ = false;
  std::set<std::string, std::less<>> keys_;
  std::optional<Machine> machine_;
  std::optional<std::uint64_t> elements_;
  std::optional<std::uint64_t> slots_;
  std::optional<std::string> map_text_;
  std::optional<std::string> before_;  // of repeat
  std::optional<std::string> after_;
  std::optional<Goal> special_goal_;  // of problem or goal_spec
  bool goal_listed_ = false;
  MovesGoal goal_list_;
  ScheduleHeader header_;
};

}  // namespace faro::inline v1::json
