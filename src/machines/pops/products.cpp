// Two parts have a sum that is known only if they are of one entry and share no term; zero changes
// nothing.
#include "machines/pops/products.hpp"

#include <bit>

namespace faro::inline v1::pops_products {

using Kind = Value::Kind;

namespace {

Value product(const Value& x, const Value& y, std::uint64_t order) {
  if (x.kind == Kind::zero || y.kind == Kind::zero) return {.kind = Kind::zero};
  if (x.kind == Kind::b && y.kind == Kind::a) return product(y, x, order);
  if (x.kind != Kind::a || y.kind != Kind::b || x.j != y.i) return {.kind = Kind::other};
  Value term{.kind = Kind::part, .i = x.i, .j = y.j};
  term.terms.assign((order + word_bits - 1) / word_bits, 0);
  term.terms[x.j / word_bits] = bit(static_cast<int>(x.j % word_bits));
  return term;
}

Value sum(const Value& x, const Value& y) {
  if (x.kind == Kind::zero) return y;
  if (y.kind == Kind::zero) return x;
  if (x.kind != Kind::part || y.kind != Kind::part || x.i != y.i || x.j != y.j)
    return {.kind = Kind::other};
  Value both = x;
  for (std::size_t w = 0; w < both.terms.size(); ++w) {
    if ((both.terms[w] & y.terms[w]) != 0) return {.kind = Kind::other};  // a term twice
    both.terms[w] |= y.terms[w];
  }
  return both;
}

}  // namespace

Value result(PopsOperation::Kind kind, const Value& before, const Value& a, const Value& b,
             std::uint64_t order) {
  switch (kind) {
    case PopsOperation::Kind::multiply:
      return product(a, b, order);
    case PopsOperation::Kind::multiply_add:
      return sum(before, product(a, b, order));
    case PopsOperation::Kind::add:
      return sum(a, b);
    case PopsOperation::Kind::copy:
      return a;
    case PopsOperation::Kind::zero:
      break;
  }
  return {.kind = Kind::zero};
}

bool is_result(const Value& value, std::uint64_t i, std::uint64_t j, std::uint64_t order) {
  if (value.kind != Kind::part || value.i != i || value.j != j) return false;
  std::uint64_t terms = 0;
  for (const Word w : value.terms) terms += static_cast<std::uint64_t>(std::popcount(w));
  return terms == order;
}

}  // namespace faro::inline v1::pops_products
