// How a tensor map from one buffer to another is moved: by strides (strided_plan.hpp), or where its
// bits lie side by side on both sides by the kernels of bits (passes.hpp), with other axes as an
// odometer around those.
//
//   r=6001 c=6001 -> c r               strides: carry
//   r=1000 b:20 -> r gray(b)           bits, 1000 times
//   r=100 b:8 c=64 -> c rev(b) r       strides: what kernels of bits could do is too little
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/normal_form.hpp"
#include "engine/passes.hpp"
#include "engine/strided_plan.hpp"

namespace faro::inline v1::engine {

// Bits that lie side by side, from the element on, at the source and at the destination.
struct BitsForm {
  BitMap map;
  std::vector<int> outer;  // the axes around them, slowest first
};
std::optional<BitsForm> bits_form(const NormalForm& form);

// What is one array after another of bits, and nothing around them.
struct BitsBatch {
  BitMap map;
  std::uint64_t count = 1;
};
std::optional<BitsBatch> batch_of_bits(const NormalForm& form);

struct Motion {
  NormalForm form;
  std::optional<StridedPlan> strided;
  // A pass at every place of the outer axes; where there are both, it is for buffers on the grid of
  // lines, and strides for others.
  Pass pass;
  std::vector<int> outer;

  bool has_pass() const { return !pass.sections.empty(); }
  std::string way() const;  // "bits", "carry", .. on the grid
  int threads() const { return strided ? strided->threads : pass.threads; }
  std::uint64_t working() const;
};

// A large permutation of bits that is one long axis against another: off the grid of lines by
// strides, since wherever rows begin in their lines they are streamed whole.
std::optional<Motion> plan_transpose(const NormalForm& form, const PermuteOptions& options);

// `wanted`: a name that Motion::way gives, for tests; nothing where that does not apply.
std::optional<Motion> plan_motion(NormalForm form, const PermuteOptions& options,
                                  const std::string& wanted = {});

void run_motion(const Motion& motion, const std::byte* from, std::byte* to,
                const Progress& progress);

}  // namespace faro::inline v1::engine
