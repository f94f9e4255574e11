#include "faro/algebra/notation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/notation_syntax.hpp"

namespace faro::inline v1 {
namespace {

using namespace notation;

ErrorCode code_of(NotationFault fault) {
  if (fault == NotationFault::limit) return ErrorCode::limit;
  const bool impossible = fault == NotationFault::impossible || fault == NotationFault::adds;
  return impossible ? ErrorCode::impossible : ErrorCode::usage;
}

// The text around the place, in one line of at most about 95 characters, and a caret below.
std::string quoted(std::string_view text, std::size_t at) {
  constexpr std::size_t before_max = 50;
  constexpr std::size_t after_max = 45;
  const auto inside = [&](std::size_t i) {  // within a character of several bytes
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80;
  };
  std::size_t start = at > before_max ? at - before_max : 0;
  std::size_t end = std::min(text.size(), at + after_max);
  while (start < at && inside(start)) ++start;
  while (end > at && inside(end)) --end;
  std::string line(text.substr(start, end - start));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  std::size_t caret = 0;  // in characters, so that the caret stands right below UTF-8 too
  for (std::size_t i = start; i < std::min(at, text.size()); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) ++caret;
  return fmt::format("  {}\n  {}^", line, std::string(caret, ' '));
}

}  // namespace

const char* name_of(NotationFault fault) {
  switch (fault) {
    case NotationFault::lex:
      return "lex";
    case NotationFault::syntax:
      return "syntax";
    case NotationFault::name:
      return "name";
    case NotationFault::size:
      return "size";
    case NotationFault::range:
      return "range";
    case NotationFault::width:
      return "width";
    case NotationFault::cut:
      return "cut";
    case NotationFault::singular:
      return "singular";
    case NotationFault::limit:
      return "limit";
    case NotationFault::impossible:
      return "impossible";
    case NotationFault::adds:
      return "adds";
  }
  return "syntax";
}

NotationError::NotationError(NotationFault fault, std::size_t at, const std::string& reason,
                             std::string_view text)
    : Error(code_of(fault), fmt::format("{} at column {}: {}\n{}", name_of(fault), at + 1, reason,
                                        quoted(text, at))),
      fault_(fault),
      at_(at),
      reason_(reason) {}

NotationError::NotationError(const NotationError& other, const std::string& message)
    : Error(other.code(), message), fault_(other.fault_), at_(other.at_), reason_(other.reason_) {}

bool NotationError::is_of_sizes() const {
  return fault_ == NotationFault::size || fault_ == NotationFault::width ||
         fault_ == NotationFault::range;
}

NotationError NotationError::told_of(std::string_view whom) const {
  return {*this, fmt::format("{}: {}", whom, what())};
}

Layout notation::layout_of(const NamedLayout& text, const KnownSizes& known, std::size_t at,
                           std::string_view words) {
  const auto fail = [&](NotationFault fault, std::size_t place, const std::string& reason) {
    throw NotationError(fault, place, reason, words);
  };
  Layout layout;
  layout.allocation = text.name == "cyclic" ? Allocation::cyclic : Allocation::consecutive;
  std::optional<int> n = known.processor;
  std::optional<int> m;
  if (known.total && known.processor) m = *known.total - *known.processor;
  if (text.processor_bits) {
    if (text.processor_bits->value > word_bits)
      fail(NotationFault::limit, text.processor_bits->at, "a width above 64");
    if (text.memory_bits->value > word_bits - text.processor_bits->value)
      fail(NotationFault::limit, text.memory_bits->at, "more than 64 bits together");
    const int stated_n = static_cast<int>(text.processor_bits->value);
    const int stated_m = static_cast<int>(text.memory_bits->value);
    if (n && *n != stated_n)
      fail(NotationFault::size, text.processor_bits->at,
           fmt::format("{} processor bits, there are {}", stated_n, *n));
    if (known.total && *known.total != stated_n + stated_m)
      fail(NotationFault::size, text.memory_bits->at,
           fmt::format("{} bits together, there are {}", stated_n + stated_m, *known.total));
    n = stated_n;
    m = stated_m;
  }
  if (!n || !m) {
    // As it was written, with sizes that would fit.
    std::size_t end = at;
    while (end < words.size() && words[end] >= 'a' && words[end] <= 'z') ++end;
    const int some = n.value_or(known.total ? *known.total / 2 : 4);
    fail(NotationFault::size, at,
         fmt::format("needs its sizes: {}:{}|{}", words.substr(at, end - at), some,
                     known.total ? *known.total - some : 16));
  }
  if (*m < 0)
    fail(NotationFault::size, at,
         fmt::format("{} processor bits exceed the {} bits there are", *n, *known.total));
  if (!text.encoding.empty()) {
    const auto encoding = encoding_named(text.encoding);
    if (!encoding)
      fail(NotationFault::name, text.encoding_at,
           "encodings: binary, gray, gray||gray, binary||gray");
    layout.encoding = *encoding;
  }
  layout.processor_bits = *n;
  layout.memory_bits = *m;
  return layout;
}

Layout parse_layout(std::string_view text, const KnownSizes& known) {
  const Tree tree = tree_of(text);
  const auto* named = std::get_if<NamedLayout>(&tree.first.what);
  if (named == nullptr || tree.second)
    throw NotationError(NotationFault::syntax, tree.second ? tree.second->at : tree.first.at,
                        "wanted a layout: cyclic or consecutive, then binary, gray, gray||gray or "
                        "binary||gray, as in 'cyclic binary||gray'",
                        text);
  return layout_of(*named, known, tree.first.at, text);
}

}  // namespace faro::inline v1
