#include "algebra/notation_invertible.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faro::inline v1::notation {
namespace {

// "a[1]^b[1]"
std::string bits_text(Word mask, const std::vector<PlacedField>& fields, const char* joint) {
  std::string result;
  for (const PlacedField& f : fields)
    for (int b = f.width - 1; b >= 0; --b)
      if (has_bit(mask, f.low + b))
        result += fmt::format("{}{}[{}]", result.empty() ? "" : joint, f.name, b);
  return result;
}

std::string repeated(const Form& form, const std::vector<Word>& rows,
                     const std::vector<PlacedField>& fields) {
  if (form.mask == 0) return "a bit here is constant";
  const std::string bits = bits_text(form.mask, fields, "^");
  const bool twice = std::find(rows.begin(), rows.end(), form.mask) != rows.end();
  return fmt::format("{} is {}", bits, twice ? "used twice" : "a sum of bits left of it");
}

class Collector {
 public:
  Collector(const std::vector<PlacedField>& fields, int width)
      : fields_(fields), width_(width), seen_(fields.size()) {}

  void add(const Form& form, std::size_t at) {
    if (form.length >= 0) {
      const auto which = static_cast<std::size_t>(form.length);
      if (seen_[which]) note(at, fmt::format("{} is there twice", fields_[which].name));
      seen_[which] = true;
    } else if (reduce(form.mask, basis_) == 0) {
      note(at, repeated(form, rows_, fields_));
    } else {
      rows_.push_back(form.mask);
      basis_ = reduced_basis(rows_);
      complement_ = (complement_ << 1) | Word{form.inverted};
    }
  }

  BitMap map(std::size_t end, std::string_view text) {
    const std::string lost = lost_text();
    if (fault_ || !lost.empty()) {
      std::string reason = fault_ ? fault_->second : "";
      if (!lost.empty()) reason += (reason.empty() ? "lost: " : "; lost: ") + lost;
      throw NotationError(NotationFault::singular, fault_ ? fault_->first : end, reason, text);
    }
    std::reverse(rows_.begin(), rows_.end());
    return BitMap::from_matrix(BitMatrix::from_rows(width_, rows_), complement_);
  }

 private:
  void note(std::size_t at, std::string reason) {
    if (!fault_) fault_.emplace(at, std::move(reason));
  }

  std::string lost_text() const {
    std::vector<Word> lost = BitMatrix::from_rows(width_, rows_).kernel();
    std::reverse(lost.begin(), lost.end());
    std::string text;
    for (const Word combination : lost) {
      text += (text.empty() ? "" : ", ") + bits_text(combination, fields_, "+");
      if (!is_power_of_two(combination)) text += " (flipping these together changes nothing)";
    }
    for (std::size_t k = 0; k < fields_.size(); ++k)
      if (fields_[k].length > 0 && !seen_[k])
        text += fmt::format("{}{}", text.empty() ? "" : ", ", fields_[k].name);
    return text;
  }

  const std::vector<PlacedField>& fields_;
  int width_;
  std::vector<bool> seen_;
  std::vector<Word> rows_;  // highest result bit first
  std::vector<Word> basis_;
  Word complement_ = 0;
  std::optional<std::pair<std::size_t, std::string>> fault_;
};

}  // namespace

BitMap invertible(const TermForms& terms, const std::vector<PlacedField>& fields, int width,
                  std::size_t end, std::string_view text) {
  Collector collector(fields, width);
  for (const auto& [term, forms] : terms)
    for (const Form& form : forms) collector.add(form, term->at);
  return collector.map(end, text);
}

}  // namespace faro::inline v1::notation
