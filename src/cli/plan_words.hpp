// The words in which every plan is reported, whether of a map, a butterfly network or a transform
// that was performed:
//
//   fft of 3 lines of 2^12 values
//     machine      cube:6, 64 elements in each processor
//     layout       cyclic:6|6 binary||gray, most significant bit first
//     algorithm    butterfly-local: bi-sectioning with local code conversion, memory stages first
//     from         Johnsson, Ho 1990, Theorems 1 and 4
//     cost         37 steps, 12288 moves
//     formula      K/2 + n - 1 = 37
//     paper        Johnsson, Ho 1990, Theorem 1 (Table 4: K/2 + n - 1): K/2 + n - 2 = 36
//     bound        no plan takes fewer than 32: ...
//     gap          5 steps above the bound
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "faro/machines/verifier.hpp"
#include "service/reports.hpp"

namespace faro::cli {

struct PlanWords {
  std::string what;            // the first line
  std::string canonical = {};  // of a map that was typed otherwise
  Count elements = 0;          // in each processor
  const char* element = "element";
  std::string layout = {};  // of a butterfly network, with its order
  std::string planner;
  std::string expression = {};  // what the plan is made of, where that is not the planner alone
  std::string title;
  std::string citation;
  Price price;
};

// "1 step", "2 unit routes".
std::string in_units(Count count, const Machine& machine);

// The lines above.
std::string words_text(const PlanWords& words, const Output& out);
std::string storage_line(std::uint64_t slots);
// "proved for all 2^60 processors; replayed 96 moves".
std::string verified_line(const std::vector<Verdict>& verdicts, const ScheduleHeader& header,
                          const Output& out);
// The use of the links of a cube; nothing where nothing moves.
std::string link_bars(const std::vector<Count>& crossings, Count steps, const Output& out);

}  // namespace faro::cli
