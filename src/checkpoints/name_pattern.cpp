// Matches names of tensors, piece by piece.
#include "checkpoints/name_pattern.hpp"

#include <charconv>

#include "base/require.hpp"

namespace faro::inline v1::checkpoints {

std::optional<std::uint64_t> NameParts::number(const std::string& word) const {
  const auto found = numbers.find(word);
  if (found == numbers.end()) return std::nullopt;
  std::uint64_t value = 0;
  const char* end = found->second.data() + found->second.size();
  if (std::from_chars(found->second.data(), end, value).ec != std::errc()) return std::nullopt;
  return value;
}

NamePattern::NamePattern(std::string_view text) : text_(text) {
  using Kind = Piece::Kind;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '*') {
      const bool two = text.substr(at).starts_with("**");
      pieces_.push_back({two ? Kind::stars : Kind::star, ""});
      at += two ? 2 : 1;
    } else if (text[at] == '{') {
      const std::size_t end = text.find('}', at);
      require(end != std::string_view::npos && end > at + 1,
              "pattern '{}': wanted a word in braces, as in layers.{{layer}}.weight", text_);
      pieces_.push_back({Kind::number, std::string(text.substr(at + 1, end - at - 1))});
      at = end + 1;
    } else {
      const std::size_t end = std::min(text.find_first_of("*{", at), text.size());
      pieces_.push_back({Kind::text, std::string(text.substr(at, end - at))});
      at = end;
    }
  }
}

// Where in the name a piece that begins at `at` may end, longest first.
std::vector<std::size_t> NamePattern::ends(const Piece& piece, std::string_view name,
                                           std::size_t at) {
  if (piece.kind == Piece::Kind::text) {
    if (!name.substr(at).starts_with(piece.text)) return {};
    return {at + piece.text.size()};
  }
  std::size_t most = name.size();
  std::size_t least = at;
  if (piece.kind == Piece::Kind::star) most = std::min(name.find('.', at), name.size());
  if (piece.kind == Piece::Kind::number) {
    most = std::min(name.find_first_not_of("0123456789", at), name.size());
    // 019 is not a number of ours: two names would have one.
    if (most > at + 1 && name[at] == '0') return {};
    least = at + 1;
  }
  std::vector<std::size_t> all;
  for (std::size_t end = most + 1; end-- > least;) all.push_back(end);
  return all;
}

// Failures are kept, so that no pattern takes more than pieces times length.
bool NamePattern::match_from(std::string_view name, std::size_t piece, std::size_t at,
                             NameParts& parts, std::vector<bool>& failed) const {
  if (piece == pieces_.size()) return at == name.size();
  const std::size_t state = piece * (name.size() + 1) + at;
  if (failed[state]) return false;
  for (const std::size_t end : ends(pieces_[piece], name, at)) {
    const std::string_view part = name.substr(at, end - at);
    const auto kind = pieces_[piece].kind;
    if (!match_from(name, piece + 1, end, parts, failed)) continue;
    if (kind == Piece::Kind::number) parts.numbers[pieces_[piece].text] = part;
    if (kind == Piece::Kind::star || kind == Piece::Kind::stars) parts.stars.emplace_back(part);
    return true;
  }
  failed[state] = true;
  return false;
}

std::optional<NameParts> NamePattern::match(std::string_view name) const {
  NameParts parts;
  std::vector<bool> failed(pieces_.size() * (name.size() + 1));
  if (!match_from(name, 0, 0, parts, failed)) return std::nullopt;
  parts.stars = {parts.stars.rbegin(), parts.stars.rend()};  // they were found from the end on
  return parts;
}

std::string NamePattern::with(const NameParts& parts) const {
  std::string name;
  std::size_t stars = 0;
  for (const Piece& piece : pieces_) {
    if (piece.kind == Piece::Kind::text) {
      name += piece.text;
    } else if (piece.kind == Piece::Kind::number) {
      const auto found = parts.numbers.find(piece.text);
      require(found != parts.numbers.end(), "pattern '{}': nothing stands for {{{}}}", text_,
              piece.text);
      name += found->second;
    } else {
      require(stars < parts.stars.size(), "pattern '{}': nothing stands for star {}", text_,
              stars + 1);
      name += parts.stars[stars++];
    }
  }
  return name;
}

}  // namespace faro::inline v1::checkpoints
