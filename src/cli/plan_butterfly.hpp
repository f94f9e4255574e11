// What the commands that plan or perform butterfly networks take and say in common.
#pragma once

#include <cstdint>
#include <string>

#include "faro/planners/planner.hpp"

namespace faro::cli {

// `faro plan --butterfly BITS`, or `--sort BITS`.
struct ButterflyText {
  ButterflyGoal::Computation computation = ButterflyGoal::Computation::network;
  std::uint64_t index_bits = 0;
  std::string on;
  std::string layout = "cyclic";
  std::string order = "msb";      // or lsb
  std::string output = "binary";  // or gray, natural
};

// Throws Error(usage), NotationError.
Request butterfly_request(const ButterflyText& text);

// The cube of a machine that butterfly networks run on: all ports. Throws Error(usage) for others.
const Hypercube& butterfly_cube(const Machine& machine);

// "msb", "lsb".
const char* order_word(ButterflyGoal::Order order);
// "cyclic:6|6 binary||gray, most significant bit first".
std::string layout_text(const ButterflyNetwork& request);
// "b4 b3^b2": rows of a goal, "none" where there are none.
std::string rows_text(const std::vector<Word>& rows);

}  // namespace faro::cli
