// Axes of any length on a GPU: windows of both sides' fast axes, through shared memory.
#pragma once

#include "engine/normal_form.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

// Fills in a plan of kind window for a form, whose strides are bytes.
void make_window(Plan& plan, const engine::NormalForm& form);

// Its kernel's body.
std::string window_text(const Plan& plan, const char* type);

}  // namespace faro::inline v1::gpu
