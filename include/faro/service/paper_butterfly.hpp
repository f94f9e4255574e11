// The page of Johnsson and Ho 1990, "Boolean cube emulation of butterfly networks encoded by Gray
// code".
#pragma once

#include "faro/service/paper.hpp"

namespace faro {

extern const Paper butterfly_paper;

}  // namespace faro
