// Names of tensors by pattern.
//
//   model.layers.{layer}.mlp.experts.{expert}.w1.weight    {word}: a number, which the rule may use
//   model.layers.*.weight                                  *: any text without a dot
//   **                                                     any text
//
// What a pattern stood for is put into another one: {layer} by its name, the stars in their order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faro::inline v1::checkpoints {

struct NameParts {
  std::map<std::string, std::string> numbers;  // layer -> 12
  std::vector<std::string> stars;

  std::optional<std::uint64_t> number(const std::string& word) const;
};

class NamePattern {
 public:
  // Throws Error(usage) where a { has no } or its word is empty.
  explicit NamePattern(std::string_view text);

  const std::string& text() const { return text_; }
  std::optional<NameParts> match(std::string_view name) const;
  // The name that has these parts. Throws Error(usage) where one is missing.
  std::string with(const NameParts& parts) const;

 private:
  struct Piece {
    enum class Kind { text, number, star, stars };
    Kind kind = Kind::text;
    std::string text;  // or the number's word
  };
  bool match_from(std::string_view name, std::size_t piece, std::size_t at, NameParts& parts,
                  std::vector<bool>& failed) const;
  static std::vector<std::size_t> ends(const Piece& piece, std::string_view name, std::size_t at);

  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace faro::inline v1::checkpoints
