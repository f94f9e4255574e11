// Ways and times of elements on a machine whose links all work at once, a mesh or a cube: the
// search behind planners of explicit moves.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "faro/planners/planner.hpp"
#include "faro/schedules/steps.hpp"
#include "machines/mesh/geometry.hpp"
#include "search/route.hpp"

namespace faro::inline v1::links {

using Link = std::uint32_t;

// Directed links, those that leave a processor together.
struct LinkTable {
  std::vector<Link> first;  // of a processor; one more at the end
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;

  explicit LinkTable(const MeshGeometry& geometry);
  // Link p·n + d leaves processor p across dimension d.
  static LinkTable of_cube(int dimensions);
  std::size_t processors() const { return first.size() - 1; }
  std::size_t size() const { return to.size(); }
  Link between(Word p, Word q) const;
  // Links on the shortest ways from `start` to every processor; each can be reached.
  std::vector<std::uint32_t> distances_from(Word start) const;

 private:
  LinkTable() = default;
};

// An element that has to leave its processor, with its way.
struct Packet {
  Move move;
  std::vector<Link> way;
};

// starts[i][h] = step in which packet i crosses link h of its way.
struct Timetable {
  std::vector<std::vector<std::uint32_t>> starts;
  std::uint32_t steps = 0;
};

// Coordinates one after the other, the short way round; `order` lists dimensions. Of two equally
// short ways round, `upward` decides.
struct DimensionOrder {
  std::vector<int> order;
  bool upward = true;
};
std::vector<Link> way_by_order(const MeshGeometry& geometry, const LinkTable& links, Word from,
                               Word to, const DimensionOrder& order);

// Rounds of a search that may do so much work, each costing so much.
struct Rounds {
  std::uint64_t work = 0;
  std::uint64_t each = 1;
  int most = 0;
};
int rounds_for(const Rounds& rounds);

// Moves packets to ways over less loaded links, cheapest way after cheapest way, for some rounds.
void balance(const LinkTable& links, std::vector<Packet>& packets, int rounds, Random& random);

// A step at a time, each link takes the waiting packet of the highest priority; priorities are the
// links left, each counted favour_of_a_link, plus `favour` (by packet, may be empty), ties by
// number.
constexpr std::uint64_t favour_of_a_link = 2500;
Timetable first_come(const LinkTable& links, const std::vector<Packet>& packets,
                     const std::vector<std::uint64_t>& favour);

// The same again and again, with more favour for packets that were last; stops at `enough` steps.
Timetable improve(const LinkTable& links, const std::vector<Packet>& packets, int rounds,
                  std::uint32_t enough, Random& random);

// Cheapest ways through links and steps, where every link has a price in every step. Waiting is
// free.
class TimedWays {
 public:
  TimedWays(const LinkTable& links, std::uint32_t steps);

  // False where the packet cannot be in time. prices[t * links + link].
  bool find(const search::Price* prices, const Packet& packet, search::Way& way);

 private:
  const LinkTable& links_;
  std::size_t steps_;
  search::StepwiseWays finder_;
  std::vector<std::uint32_t> distance_;  // links, from p times q
  std::uint32_t farthest_ = 0;
};

// Where each element of a map or of destinations goes, those of a processor together.
std::vector<Move> moves_of(const Request& request);

// Ways and times as steps of moves, the last one inside processors. A packet takes the slot wanted
// in the end wherever that is free, before the others; or at the end of its way only, in turn.
struct ListedSteps {
  std::vector<CubeStep> steps;
  std::uint64_t slots = 0;
};
enum class OwnSlots { everywhere, at_home };
ListedSteps listed(const Request& request, const LinkTable& links,
                   const std::vector<Packet>& packets, const Timetable& times, OwnSlots own);

// The links and steps of packets, and back.
std::vector<search::Way> timed_ways(const std::vector<Packet>& packets, const Timetable& times);
void keep(const std::vector<search::Way>& ways, std::uint32_t steps, std::vector<Packet>& packets,
          Timetable& times);

// Ways and times together for a given number of steps: every link of every step has one seat, and
// seats are negotiated. A search for the cheapest seats of one packet looks at every link and step.
// Updates the ways; false, and nothing changed, where so many searches do not do.
bool negotiate_seats(const LinkTable& links, std::vector<Packet>& packets, Timetable& times,
                     std::uint32_t steps, std::uint64_t searches);

}  // namespace faro::inline v1::links
