// One inverse of the rows answers all questions of places.
#include "planners/cube/butterfly/places.hpp"

#include <optional>

#include "base/check.hpp"
#include "base/working.hpp"

namespace faro::inline v1::butterfly {

Places::Places(std::span<const Word> processor, std::span<const Word> slot)
    : processor_bits_(static_cast<int>(processor.size())) {
  std::vector<Word> rows(processor.begin(), processor.end());
  rows.insert(rows.end(), slot.begin(), slot.end());
  const std::optional<BitMatrix> inverse =
      BitMatrix::from_rows(static_cast<int>(rows.size()), rows).inverse();
  FARO_CHECK(inverse.has_value());
  index_of_ = *inverse;
  reading_of_ = inverse->transposed();
}

Reading Places::read(const Form& form, Word constants) const {
  const Word place = reading_of_.apply(form.mask);
  const Word slot = processor_bits_ == word_bits ? 0 : place >> processor_bits_;
  return {place & low_mask(processor_bits_), slot, form.value ^ parity(place & constants)};
}

IndexMap Places::indices(Word slot, Word constants) const {
  IndexMap map;
  const Word above = processor_bits_ == word_bits ? 0 : slot << processor_bits_;
  map.base = index_of_.apply(above ^ constants);
  for (int d = 0; d < processor_bits_; ++d) map.columns.push_back(index_of_.column(d));
  return map;
}

Word constants_of(std::span<const Form> processor, std::span<const Form> slot) {
  Word constants = 0;
  int at = 0;
  for (const Form& row : processor) constants |= Word{row.value} << at++;
  for (const Form& row : slot) constants |= Word{row.value} << at++;
  return constants;
}

bool also(std::vector<Parity>& where, const Reading& reading, unsigned value) {
  const unsigned wanted = value ^ reading.constant;
  if (reading.processor == 0) return wanted == 0;
  for (const Parity& known : where)
    if (known.mask == reading.processor) return known.value == wanted;
  where.push_back({reading.processor, wanted});
  return true;
}

namespace {

// The slot that the readings say, but for the part that depends on the processor.
Slot common_slot(std::span<const Reading> readings, Slot from) {
  Word to = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    to |= Word{parity(from & readings[i].slot) ^ readings[i].constant} << i;
  }
  return static_cast<Slot>(to);
}

// The slot bits that a mask of the reduced basis flips: those whose reading has its leading bit.
Slot flips(std::span<const Reading> readings, Word basis_mask) {
  Word bits = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (has_bit(readings[i].processor, highest_bit(basis_mask))) bits |= Word{1} << i;
  }
  return static_cast<Slot>(bits);
}

}  // namespace

void relabel(std::span<const Reading> readings, Slot first, Slot end, CompiledSink& sink) {
  std::vector<Word> masks;
  for (const Reading& reading : readings) masks.push_back(reading.processor);
  const std::vector<Word> basis = reduced_basis(masks);
  CompiledStep compiled;
  const auto add = [&](std::vector<Parity> where, Slot from, Slot to) {
    if (from != to) compiled.step.rules.push_back({std::move(where), from, inside, to});
  };
  for (Slot from = first; from < end; ++from) {
    still_working();
    const Slot to = common_slot(readings, from);
    if (basis.empty()) {
      add({}, from, to);
    } else {
      add({{basis[0], 0}}, from, to);
      add({{basis[0], 1}}, from, to ^ flips(readings, basis[0]));
    }
  }
  if (!compiled.step.rules.empty()) sink.step(compiled);
  for (std::size_t j = 1; j < basis.size(); ++j) {
    compiled.clear();
    const Slot flipped = flips(readings, basis[j]);
    for (Slot from = first; from < end; ++from) add({{basis[j], 1}}, from, from ^ flipped);
    sink.step(compiled);
  }
}

void relabel(std::span<const Form> processor, std::span<const Form> memory,
             std::span<const Form> wanted, CompiledSink& sink) {
  const Places before(masks_of(processor), masks_of(memory));
  std::vector<Reading> readings;
  for (const Form& row : wanted) readings.push_back(before.read(row, 0));
  relabel(readings, 0, static_cast<Slot>(bit(static_cast<int>(memory.size()))), sink);
}

void local_stages(int index_bits, std::span<const Form> processor, std::span<const Form> memory,
                  std::span<const int> stages, CompiledSink& sink) {
  const Places places(masks_of(processor), masks_of(memory));
  const Word constants = constants_of(processor, {});
  CompiledStep now;
  for (const int b : stages) {
    still_working();
    Word partner = 0;
    for (std::size_t i = 0; i < memory.size(); ++i)
      if (has_bit(memory[i].mask, b)) partner |= Word{1} << i;
    const Word of_slot = places.read(bit_form(b), constants).slot;
    for (Word s = 0; s < bit(static_cast<int>(memory.size())); ++s) {
      if (parity(s & of_slot) != 0) continue;
      now.step.butterfly_rules.push_back({.where = {},
                                          .low = static_cast<Slot>(s),
                                          .high = static_cast<Slot>(s ^ partner),
                                          .stage = index_bits - 1 - b});
      now.rule_indices.push_back(places.indices(s, constants));
    }
  }
  if (!now.step.butterfly_rules.empty()) sink.step(now);
}

}  // namespace faro::inline v1::butterfly
