// Reads the words of other systems, one after another; every fault has its column in the whole
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/notation.hpp"
#include "faro/base/limits.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1::layouts {

class Scanner {
 public:
  // Reads text[begin..]; `system` stands at the front of refusals. Longer texts are refused.
  Scanner(std::string_view text, std::size_t begin, std::string system,
          std::size_t bytes_max = limits::notation_bytes_max);

  // Comments are blanks from here on: "#" and "//" to the end of the line, with "//" also /* .. */.
  void take_comments(std::string_view begin);

  const std::string& system() const { return system_; }
  std::size_t at() const { return at_; }  // of the next word
  bool done();
  // What is left, without blanks at its ends; and going on from elsewhere.
  std::string_view rest();
  void go_to(std::size_t at) { at_ = at; }
  // What stood from `begin` to here.
  std::string words_from(std::size_t begin) const;

  // True, and past it, if `word` is next. A word of letters is not the start of a longer one.
  bool accept(std::string_view word);
  bool next_is(std::string_view word);
  void expect(std::string_view word);
  void expect_end();

  bool name_is_next();
  bool number_is_next();
  std::string name();    // a letter or _, then letters, digits, _
  std::string quoted();  // '...' or "..."
  std::string name_or_quoted();
  std::uint64_t number();  // decimal or 0x..., at most 2^62
  std::int64_t integer();  // the same with '-' before it
  // open number, number, ... close; a comma may stand before close, as in (4,).
  std::vector<std::uint64_t> numbers(std::string_view open, std::string_view close);
  std::vector<std::int64_t> integers(std::string_view open, std::string_view close);

  // Faults of writing (usage) and what no map says (impossible).
  [[noreturn]] void fail(const std::string& reason) { fail_at(at_, reason); }
  [[noreturn]] void fail_at(std::size_t at, const std::string& reason,
                            NotationFault fault = NotationFault::syntax) const;
  [[noreturn]] void refuse(LayoutFault fault, const std::string& reason) const;

 private:
  void skip_blanks();

  std::string_view text_;
  std::size_t at_;
  std::string system_;
  std::string_view comment_;  // how one begins; empty: there are none
};

}  // namespace faro::inline v1::layouts
