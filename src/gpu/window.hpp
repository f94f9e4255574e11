// Axes of any length on a GPU: windows of both sides' fast axes, through shared memory.
#pragma once

#include "engine/normal_form.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

// Fills in a plan of kind window for forms whose strides are bytes, a window each.
void make_windows(Plan& plan, const std::vector<engine::NormalForm>& forms);

// Its kernel's body.
std::string windows_text(const Plan& plan, const char* type);

}  // namespace faro::inline v1::gpu
