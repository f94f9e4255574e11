// Golden tables of the mesh: lines of cells between semicolons, # before a comment.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "faro/base/count.hpp"
#include "machines/mesh/bpc_vector.hpp"
#include "paths.hpp"

namespace faro::testing {

inline std::vector<std::vector<std::string>> table(const std::string& name) {
  std::ifstream file(source_path("tests/data/mesh/" + name));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ';');)
      cells.push_back(cell.substr(cell.find_first_not_of(' ')));
    rows.push_back(std::move(cells));
  }
  return rows;
}

inline std::vector<int> shape_from(const std::string& text) {
  std::vector<int> sides;
  std::stringstream stream(text);
  for (std::string side; std::getline(stream, side, 'x');)
    sides.push_back(log2_exact(std::stoull(side)));
  return sides;
}

inline BpcVector vector_from(const std::string& text) {
  BpcVector bits;
  std::stringstream stream(text);
  for (std::string entry; std::getline(stream, entry, ',');) {
    const bool inverted = entry.starts_with('-');
    bits.target.insert(bits.target.begin(), std::stoi(inverted ? entry.substr(1) : entry));
    bits.inverted.insert(bits.inverted.begin(), inverted);
  }
  return bits;
}

inline std::vector<Count> numbers(const std::string& text) {
  std::vector<Count> result;
  std::stringstream stream(text);
  for (std::uint64_t n = 0; stream >> n;) result.push_back(n);
  return result;
}

}  // namespace faro::testing
