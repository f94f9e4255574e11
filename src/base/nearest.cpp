#include "base/nearest.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace faro::inline v1 {
namespace {

std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '-' && c != '_')
      letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return letters;
}

// What was cut short counts as one letter.
std::size_t distance(const std::string& a, const std::string& b) {
  if (std::min(a.size(), b.size()) >= 3 && a != b && (a.starts_with(b) || b.starts_with(a)))
    return 1;
  return letters_apart(a, b);
}

}  // namespace

// Two neighbours in the wrong order are one letter (Damerau).
std::size_t letters_apart(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> older(columns);
  std::vector<std::size_t> old(columns);
  std::vector<std::size_t> row(columns);
  for (std::size_t j = 0; j < columns; ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older.swap(old);
    old.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j < columns; ++j) {
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  const std::string letters = plain(name);
  std::string_view best;
  std::size_t least = letters.size() / 3 + 1;
  for (const std::string_view candidate : known) {
    const std::size_t apart = distance(letters, plain(candidate));
    if (apart >= least) continue;
    least = apart;
    best = candidate;
  }
  return best;
}

}  // namespace faro::inline v1
