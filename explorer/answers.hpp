// What the page asks and what it is told: the same public calls that the program makes, as JSON.
//
//   {"do":"explain","map":"i:4 -> rev(i)"}
//       {"ok":true,"map":{"format":"faro-map/1", ...},"figures":{"strands":"<svg ...", ...}}
//   {"do":"plan","map":"a -> ungray(a)","on":"cube:4","elements":10}
//       {"ok":true,"plan":{"format":"faro-plan/1", ...},"unit":"steps"}
//   {"do":"explain","map":"i:4 -> rew(i)"}
//       {"ok":false,"code":"usage","message":"name at column 8: ...","at":7}
//
// The schedule that was planned or loaded last is held; "schedule", "verify", "play", "picture" and
// "export" speak of it. docs/explorer.md lists all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faro::explorer {

// Never throws.
std::string answer(std::string_view request);

// The text of a schedule file that the next requests speak of.
void hold(std::string text);

// What "play" found: seven numbers a move: from, from_slot, to, to_slot, channel, and where the
// element was at the start, processor and slot, both 2^32 - 1 where that is not known.
const std::vector<std::uint32_t>& moves();

}  // namespace faro::explorer
