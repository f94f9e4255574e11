// Reads and writes the JSON that stands beside tensors: which file has which, and their digests.
#include "checkpoints/index_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/require.hpp"
#include "checkpoints/maxima.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::checkpoints {
namespace {

nlohmann::json json_file(const std::string& path) {
  check_regular(path);
  InputFile file = InputFile::open(path);
  if (file.size_bytes() > limits::checkpoint_json_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("{}: more than {} bytes of JSON", path,
                                              limits::checkpoint_json_bytes_max));
  std::string text(file.size_bytes(), '\0');
  text.resize(file.read_full(std::as_writable_bytes(std::span(text))));
  // Duplicate keys would be lost in a tree: two files for one tensor.
  std::vector<std::map<std::string, bool>> keys;
  const nlohmann::json::parser_callback_t once = [&](int, nlohmann::json::parse_event_t event,
                                                     nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key)
      require(keys.back().emplace(value.get<std::string>(), true).second,
              "{}: '{}' stands twice in one object", path, value.get<std::string>());
    return true;
  };
  try {
    return nlohmann::json::parse(text, once);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::usage, fmt::format("{}: is no JSON as it should be", path));
  }
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

// Of [128, 128], the blocks that have one scale.
std::optional<std::uint64_t> quantised_block(const nlohmann::json& json) {
  const auto found = json.find("quantization_config");
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const nlohmann::json block = found->value("weight_block_size", nlohmann::json());
  if (!block.is_array() || block.size() != 2 || block[0] != block[1]) return std::nullopt;
  if (!block[0].is_number_unsigned() || block[0] == 0U) return std::nullopt;
  return block[0].get<std::uint64_t>();
}

}  // namespace

std::map<std::string, std::string> read_index(const std::string& path) {
  const nlohmann::json json = json_file(path);
  require(json.is_object() && json.contains("weight_map") && json["weight_map"].is_object(),
          "{}: is no index: it has no object 'weight_map'", path);
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : json["weight_map"].items()) {
    require(file.is_string() && is_file_name(file.get<std::string>()),
            "{}: tensor '{}' is in no file of this folder: {}", path, tensor, file.dump());
    check_name(tensor, path);
    files[tensor] = file.get<std::string>();
  }
  return files;
}

std::string index_text(std::uint64_t bytes, const std::map<std::string, std::string>& files) {
  nlohmann::ordered_json json;
  json["metadata"]["total_size"] = bytes;
  json["weight_map"] = files;
  return json.dump(2) + "\n";
}

void suppose_config(Layout& layout, const std::string& folder) {
  const std::string path = folder + "/config.json";
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return;
  nlohmann::json json = json_file(path);
  if (!json.is_object()) return;
  if (const auto block = quantised_block(json)) layout.suppose("block", *block);
  if (json.contains("text_config")) json = json["text_config"];
  if (!json.is_object()) return;
  const auto number = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto found = json.find(name);
          found != json.end() && found->is_number_unsigned() && *found > 0U)
        return found->get<std::uint64_t>();
    return std::uint64_t{0};
  };
  const std::uint64_t heads = number({"num_attention_heads", "n_head"});
  std::uint64_t kv_heads = number({"num_key_value_heads", "num_query_groups"});
  if (kv_heads == 0) kv_heads = heads;
  if (heads != 0) layout.suppose("heads", heads);
  if (kv_heads != 0) layout.suppose("kv_heads", kv_heads);
  if (const std::uint64_t vocab = number({"vocab_size"})) layout.suppose("vocab", vocab);
  if (const auto tied = json.find("tie_word_embeddings"); tied != json.end() && tied->is_boolean())
    layout.suppose("tied", tied->get<bool>() ? 1 : 0);
}

std::map<std::string, std::string> read_digests(const std::string& folder) {
  const std::string path = folder + "/" + digests_name;
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};
  const nlohmann::json json = json_file(path);
  std::map<std::string, std::string> digests;
  require(json.is_object() && json.value("format", nlohmann::json()) == "faro-checkpoint-digests/1",
          "{}: is no list of digests that is known; remove it to go without", path);
  require(json.contains("tensors") && json["tensors"].is_object(), "{}: has no tensors", path);
  for (const auto& [name, tensor] : json["tensors"].items()) {
    require(tensor.is_object() && tensor.contains("digest") && tensor["digest"].is_string(),
            "{}: tensor '{}' has no digest", path, name);
    digests[name] = tensor["digest"].get<std::string>();
  }
  return digests;
}

std::string digests_text(const std::vector<TensorDigest>& digests) {
  nlohmann::ordered_json json;
  json["format"] = "faro-checkpoint-digests/1";
  json["tensors"] = nlohmann::ordered_json::object();
  for (const TensorDigest& one : digests)
    json["tensors"][one.tensor.name] = {
        {"dtype", one.tensor.type->name}, {"shape", one.tensor.shape}, {"digest", one.digest}};
  return json.dump(1) + "\n";
}

}  // namespace faro::inline v1::checkpoints
