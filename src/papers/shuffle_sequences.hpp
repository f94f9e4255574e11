// The exchange sequences of section 4 as a table.
#pragma once

#include "papers/paper.hpp"

namespace faro::inline v1 {

PaperTable exchange_sequences();

}  // namespace faro::inline v1
