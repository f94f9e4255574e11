// Lists of words in the order of their first difference. Not by operator<: g++ 12's library (mended
// in 13) compares lists of integers by too few bytes on big-endian processors.
#pragma once

#include <algorithm>
#include <vector>

#include "faro/base/bits.hpp"

namespace faro::inline v1 {

struct WordsLess {
  bool operator()(const std::vector<Word>& a, const std::vector<Word>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};

}  // namespace faro::inline v1
