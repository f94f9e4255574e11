// Meshes, maps and verdicts that tests of the mesh share.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/schedule.hpp"
#include "machines/mesh/bpc_vector.hpp"

namespace faro::testing {

// "[3, 2]" is 8x4.
inline Mesh mesh_of(std::vector<int> sides_log2, Mesh::Wrap wrap = Mesh::Wrap::none) {
  return {.sides_log2 = std::move(sides_log2), .wrap = wrap, .links = Mesh::Links::one_route};
}

// Every ordered shape of p bits with sides of 2 or more.
inline std::vector<std::vector<int>> shapes_of(int p) {
  if (p == 0) return {{}};
  std::vector<std::vector<int>> all;
  for (int first = 1; first <= p; ++first)
    for (std::vector<int> rest : shapes_of(p - first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  return all;
}

// Calls visit for every BPC vector of p bits: 2^p p! of them.
template <class Visit>
void for_every_bpc(int p, Visit&& visit) {
  BpcVector bits;
  bits.target.resize(static_cast<std::size_t>(p));
  std::iota(bits.target.begin(), bits.target.end(), 0);
  do {
    for (Word signs = 0; signs < bit(p); ++signs) {
      bits.inverted.clear();
      for (int i = 0; i < p; ++i) bits.inverted.push_back(has_bit(signs, i));
      visit(bits);
    }
  } while (std::next_permutation(bits.target.begin(), bits.target.end()));
}

inline BpcVector random_bpc(Random& random, int p) {
  BpcVector bits;
  for (int i = 0; i < p; ++i) {
    bits.target.push_back(i);
    bits.inverted.push_back(random.below(2) == 1);
  }
  for (int i = p - 1; i > 0; --i)
    std::swap(bits.target[static_cast<std::size_t>(i)],
              bits.target[random.below(static_cast<Word>(i) + 1)]);
  return bits;
}

inline std::vector<int> random_shape(Random& random, int p) {
  std::vector<int> shape;
  while (p > 0) {
    shape.push_back(1 + static_cast<int>(random.below(static_cast<Word>(p))));
    p -= shape.back();
  }
  return shape;
}

// From the top bit down, as the paper writes vectors; signs apart.
inline BpcVector bpc(std::vector<int> target_from_top, std::vector<int> inverted_bits = {}) {
  BpcVector bits;
  bits.target.assign(target_from_top.rbegin(), target_from_top.rend());
  bits.inverted.assign(bits.target.size(), false);
  for (const int i : inverted_bits) bits.inverted[static_cast<std::size_t>(i)] = true;
  return bits;
}

inline ScheduleHeader header_for(const Mesh& mesh, const BitMap& map) {
  ScheduleHeader header;
  header.machine = mesh;
  header.goal = MapGoal{.map = map};
  header.slots = 3;
  return header;
}

inline Verdict judged(Verifier& verifier, const ScheduleHeader& header,
                      const std::vector<MeshInstruction>& program) {
  verifier.begin(header);
  for (const MeshInstruction& instruction : program) verifier.step(instruction);
  verifier.finish();
  return verifier.verdict();
}

}  // namespace faro::testing
