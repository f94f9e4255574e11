// Where words are joined: A => B, an arrow within quotes being text of a system.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace faro::inline v1 {

// Of the first '=>' outside quotes.
inline std::optional<std::size_t> arrow_of(std::string_view text) {
  char quote = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    const char c = text[k];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '=' && text[k + 1] == '>') {
      return k;
    }
  }
  return {};
}

}  // namespace faro::inline v1
