// The page of Johnsson and Ho 1990, "Boolean cube emulation of butterfly networks encoded by Gray
// code".
#pragma once

#include "papers/paper.hpp"

namespace faro::inline v1 {

extern const Paper butterfly_paper;

}  // namespace faro::inline v1
