// The layouts that have a name: llama, qwen, mixtral, gpt, whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace faro::inline v1::checkpoints {

// The words of a layout file (layout.hpp); nothing where no layout has the name.
std::optional<std::string> preset_words(std::string_view name);

}  // namespace faro::inline v1::checkpoints
