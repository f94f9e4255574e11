// `faro paper shuffle`: Figures 1 to 10 and Tables 1 to 3 of Johnsson and Ho 1991, each number
// planned and verified while the page is made.
#pragma once

#include "papers/paper.hpp"

namespace faro::inline v1 {

PaperPage shuffle_page(const PaperTold& told = {});

extern const Paper shuffle_paper;

}  // namespace faro::inline v1
