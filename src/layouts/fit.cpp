#include "layouts/fit.hpp"

#include <fmt/format.h>

#include <vector>

#include "layouts/fitting.hpp"

namespace faro::inline v1 {

const char* name_of(LayoutFault fault) {
  switch (fault) {
    case LayoutFault::size:
      return "size";
    case LayoutFault::uneven:
      return "uneven";
    case LayoutFault::replicated:
      return "replicated";
    case LayoutFault::partial:
      return "partial";
    case LayoutFault::manual:
      return "manual";
    case LayoutFault::holes:
      return "holes";
    case LayoutFault::overlap:
      return "overlap";
    case LayoutFault::adds:
      return "adds";
    case LayoutFault::complement:
      return "complement";
    case LayoutFault::exclusive:
      return "xor";
    case LayoutFault::unknown:
      break;
  }
  return "unknown";
}

namespace layouts {

std::string images_that_say(Word index) {
  if (index == 0) return "0";
  std::vector<Word> powers{0};
  for (Word left = index; left != 0; left &= left - 1) powers.push_back(bit(lowest_bit(left)));
  std::string text;
  for (std::size_t k = 0; k < powers.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : (k + 1 == powers.size() ? " and " : ", "), powers[k]);
  return text;
}

Candidate candidate_of(std::span<const std::uint64_t> table) {
  const int width = log2_exact(table.size());
  Candidate result{BitMatrix(width, width), table[0], {}};
  for (int b = 0; b < width; ++b) result.matrix.set_column(b, table[bit(b)] ^ table[0]);
  for (Word x = 0; x < table.size(); ++x)
    if ((result.matrix.apply(x) ^ result.complement) != table[x]) {
      result.denied_at = x;
      break;
    }
  return result;
}

}  // namespace layouts

BitMap fit(std::span<const std::uint64_t> table) {
  if (!is_power_of_two(table.size()))
    throw Error(ErrorCode::impossible,
                fmt::format("{} entries: a bit map moves 2^p elements", table.size()));
  std::vector<bool> taken(table.size());
  for (std::size_t x = 0; x < table.size(); ++x) {
    if (table[x] >= table.size())
      throw Error(ErrorCode::usage,
                  fmt::format("entry {} is {}; a permutation of 0 to {} is wanted", x, table[x],
                              table.size() - 1));
    if (taken[table[x]])
      throw Error(
          ErrorCode::usage,
          fmt::format("entry {} is {}, which came before; a permutation of 0 to {} is wanted", x,
                      table[x], table.size() - 1));
    taken[table[x]] = true;
  }
  const layouts::Candidate found = layouts::candidate_of(table);
  if (found.denied_at) {
    const Word x = *found.denied_at;
    const Word expected = found.matrix.apply(x) ^ found.complement;
    throw NotAffine(x, table[x], expected,
                    fmt::format("index {} goes to {}; the images of {} say {}", x, table[x],
                                layouts::images_that_say(x), expected));
  }
  return BitMap::from_matrix(found.matrix, found.complement);
}

}  // namespace faro::inline v1
