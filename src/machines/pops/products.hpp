// What registers hold while matrices are multiplied, as polynomials in the entries of A and B:
// nothing, 0, an entry, a sum of some of the terms of one C[i,j], or something else.
//
// That is enough to decide whether C is A·B for all matrices. Operations add and multiply, so
// coefficients are never negative and nothing cancels: what is no part of a C[i,j], with each term
// once, cannot become one by adding to it, and what has degree 2 cannot by multiplying.
//
//   order 2:  A[0,1]·B[1,0] is the term 1 of C[0,0]; with A[0,0]·B[0,0] added, all of C[0,0]
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1::pops_products {

struct Value {
  enum class Kind : std::uint8_t { nothing, zero, a, b, part, other };
  Kind kind = Kind::nothing;
  // A[i,j], B[i,j], or of C[i,j] the terms k whose bits are set.
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  std::vector<Word> terms = {};
};

// What an operation puts where `before` was; `order` is that of the matrices. Requires operands
// that are not `nothing`, where the operation has them.
Value result(PopsOperation::Kind kind, const Value& before, const Value& a, const Value& b,
             std::uint64_t order);

// Whether it is C[i,j].
bool is_result(const Value& value, std::uint64_t i, std::uint64_t j, std::uint64_t order);

}  // namespace faro::inline v1::pops_products
