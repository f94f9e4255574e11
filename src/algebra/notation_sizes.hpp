// Widths of fields: what the text says, what is known from elsewhere, and where they disagree.
#pragma once

#include <string_view>
#include <vector>

#include "algebra/notation_meaning.hpp"

namespace faro::inline v1::notation {

// The fields placed among the source bits. Throws NotationError: name, size, limit.
std::vector<PlacedField> placed_fields(const Arrow& arrow, const KnownSizes& known,
                                       std::string_view text);

// Throws NotationError(name) if field i has a name that it cannot have, or one's before it.
void check_field_name(const std::vector<FieldText>& fields, std::size_t i, std::string_view text);

// Whether all widths stand in the text.
bool states_its_sizes(const Arrow& arrow);

}  // namespace faro::inline v1::notation
