#include "words/twice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "words/terms.hpp"

namespace faro::inline v1::words {
namespace {

Word last_of(const Form& form) {  // 2^64 - 1 of the highest bit
  return form.low * form.length - 1;
}

// A bit of a field of bits, or one that a roll leaves of a length.
struct SourceBit {
  Word low;
  const PlacedField* field;
  int bit;  // in the field; -1 of a length
};

class Once {
 public:
  explicit Once(const std::vector<PlacedField>& fields) : fields_(fields) {
    for (auto f = fields.rbegin(); f != fields.rend(); ++f) {
      const Forms digits = digits_of(*f);
      for (std::size_t b = 0; b < digits.size(); ++b)
        if (digits[digits.size() - 1 - b].is_sum)
          bits_.push_back({digits[digits.size() - 1 - b].bits[0], &*f, static_cast<int>(b)});
    }
  }

  void add(const Form& form, std::size_t at) {
    const auto bits = bits_of(form);
    if (!bits) return add_part(form, at);
    for (const Form& sum : *bits) add_sum(sum, at);
  }

  void check(std::size_t end, std::string_view text) const {
    const std::string lost = lost_text();
    if (!fault_ && lost.empty()) return;
    std::string reason = fault_ ? fault_->second : "";
    if (!lost.empty()) reason += (reason.empty() ? "lost: " : "; lost: ") + lost;
    throw NotationError(NotationFault::singular, fault_ ? fault_->first : end, reason, text);
  }

 private:
  void add_part(const Form& form, std::size_t at) {
    const Word last = last_of(form);
    const auto meets = [&](Word low, Word high) { return low <= last && form.low <= high; };
    bool twice = parts_.meets(form);
    for (const Word low : added_) twice = twice || meets(low, 2 * low - 1);
    if (twice) note(at, fmt::format("{} is there twice", name_at(form.low)));
    parts_.add({form});
    for (std::size_t b = 0; b < bits_.size(); ++b)
      if (meets(bits_[b].low, 2 * bits_[b].low - 1)) add_row(bit(static_cast<int>(b)));
  }

  void add_sum(const Form& sum, std::size_t at) {
    Word row = 0;
    for (const Word low : sum.bits) {
      if (parts_.meets(part(low, 2))) {
        note(at, fmt::format("{} is there twice", name_at(low)));
        return;
      }
      added_.push_back(low);
      const auto known = place_of(low);
      if (!known) return note(at, "more than 64 bits");
      row |= bit(*known);
    }
    if (reduce(row, basis_) == 0)
      note(at, repeated(row));
    else
      add_row(row);
  }

  std::optional<int> place_of(Word low) {
    for (std::size_t b = 0; b < bits_.size(); ++b)
      if (bits_[b].low == low) return static_cast<int>(b);
    if (bits_.size() == word_bits) return {};
    const PlacedField* field = &fields_.front();
    for (const PlacedField& f : fields_)
      if (f.low > low) field = &f + 1;
    bits_.push_back({low, field, -1});
    return static_cast<int>(bits_.size()) - 1;
  }

  void add_row(Word row) {
    if (reduce(row, basis_) == 0) return;
    rows_.push_back(row);
    basis_ = reduced_basis(rows_);
  }

  std::string repeated(Word row) const {
    if (row == 0) return "a bit here is constant";
    const bool twice = std::find(rows_.begin(), rows_.end(), row) != rows_.end();
    return fmt::format("{} is {}", bits_text(row, "^"),
                       twice ? "used twice" : "a sum of bits left of it");
  }

  // "a[1]^b[1]"
  std::string bits_text(Word row, const char* joint) const {
    std::string result;
    for (std::size_t b = bits_.size(); b-- > 0;)
      if (has_bit(row, static_cast<int>(b)))
        result += fmt::format("{}{}{}", result.empty() ? "" : joint, bits_[b].field->name,
                              bits_[b].bit < 0 ? "" : fmt::format("[{}]", bits_[b].bit));
    return result;
  }

  std::string_view name_at(Word low) const {
    for (const PlacedField& field : fields_)
      if (field.low <= low && field.length > Count{1}) return field.name;
    return "a digit";
  }

  std::string lost_text() const {
    std::string text;
    const auto note_lost = [&](std::string_view what) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
    };
    std::vector<Word> lost = BitMatrix::from_rows(static_cast<int>(bits_.size()), rows_).kernel();
    std::reverse(lost.begin(), lost.end());
    for (const Word row : lost) {
      note_lost(bits_text(row, "+"));
      if (!is_power_of_two(row)) text += " (flipping these together changes nothing)";
    }
    for (const PlacedField& field : fields_)
      if (const Forms digits = digits_of(field);
          digits.size() == 1 && !digits[0].is_sum && !is_there(digits[0]))
        note_lost(field.name);
    return text;
  }

  bool is_there(const Form& digit) const {
    return parts_.meets(digit) || std::any_of(added_.begin(), added_.end(), [&](Word low) {
             return digit.low <= low && low <= last_of(digit);
           });
  }

  void note(std::size_t at, std::string reason) {
    if (!fault_) fault_.emplace(at, std::move(reason));
  }

  const std::vector<PlacedField>& fields_;
  std::vector<SourceBit> bits_;  // the source's, from the last one up
  Occupied parts_;
  std::vector<Word> added_;  // bits in sums
  std::vector<Word> rows_;
  std::vector<Word> basis_;
  std::optional<std::pair<std::size_t, std::string>> fault_;
};

}  // namespace

void Occupied::add(const Forms& forms) {
  for (const Form& form : forms) {
    if (!form.is_sum) spans_.emplace_back(form.low, last_of(form));
    for (const Word low : form.bits) spans_.emplace_back(low, 2 * low - 1);
  }
}

bool Occupied::meets(const Form& form) const {
  const Word low = form.is_sum ? form.bits.front() : form.low;
  const Word last = form.is_sum ? 2 * low - 1 : last_of(form);
  return std::any_of(spans_.begin(), spans_.end(), [&](const std::pair<Word, Word>& span) {
    return span.first <= last && low <= span.second;
  });
}

void check_each_once(const Side& side, const PlacedFields& fields, std::size_t end,
                     std::string_view text) {
  Once once(fields.list);
  for (const auto& [term, forms] : side.terms)
    for (const Form& form : forms) once.add(form, term->at);
  once.check(end, text);
}

}  // namespace faro::inline v1::words
