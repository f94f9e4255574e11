// Who is timed beside the engine, and on what. A peer that is not installed, or cannot say a map,
// adds nothing; what it needs and where it is looked for stands in bench/CMakeLists.txt.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../timing.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::peers {

// Elements of 4 bytes are floats to those who know only numbers, of 8 doubles, of 16 complex.
struct Task {
  std::string name;
  BitMap map;
  std::size_t element_bytes;
  std::span<const std::byte> from;  // in place the same as `to`
  std::span<std::byte> to;
  int threads;

  bool in_place() const { return from.data() == to.data(); }
};

// Consecutive bits that stay together: bits low..low+count-1 go to place..place+count-1.
struct Group {
  int low;
  int place;
  int count;
};

// What others can say: a permutation of bits without complements; nothing for other maps.
std::optional<std::vector<Group>> groups_of(const BitMap& map);

// The groups' numbers in the order of their places.
std::vector<int> by_place(const std::vector<Group>& groups);

// rows x columns, row by row, to columns x rows: nothing for other maps.
struct Transpose {
  std::size_t rows;
  std::size_t columns;
};
std::optional<Transpose> transpose_of(const BitMap& map);

using Contenders = std::vector<bench::Contender>;

void add_loops(const Task& task, Contenders& contenders);        // the obvious one, COBRA
void add_transposers(const Task& task, Contenders& contenders);  // OpenBLAS, MKL, libxsmm
void add_planners(const Task& task, Contenders& contenders);     // FFTW, HPTT, oneDNN, Eigen

// Names of the columns, and of those that this build or machine does not have.
std::vector<std::string> transposers(bool missing);
std::vector<std::string> planners(bool missing);

}  // namespace faro::peers
