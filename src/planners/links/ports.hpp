// Ways and times of elements on a cube with few ports: in a step a processor uses so many
// dimensions, for sending and for receiving; with one port the links of a step are a matching of
// the cube, both ways.
#pragma once

#include "planners/links/search.hpp"

namespace faro::inline v1::links {

// A search for the cheapest way of one packet looks at every link and step.
struct PortsEffort {
  int attempts = 1;
  int rounds = 0;  // of an attempt
  std::uint64_t searches = ~std::uint64_t{0};
};

// Ways and times together for a given number of steps, negotiated from the beginning: everybody
// takes the cheapest way, links that others need or whose ends others need for another dimension
// become dearer, for the moment and for good, and those in the way choose again. A link whose
// reverse is used already is cheap. Updates ways and times; false, and nothing changed, where the
// effort does not do.
bool negotiate_ports(const LinkTable& cube, int ports, std::vector<Packet>& packets,
                     Timetable& times, std::uint32_t steps, PortsEffort effort);

}  // namespace faro::inline v1::links
