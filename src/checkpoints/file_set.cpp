// Finds the files of a checkpoint by their names and reads their headers.
#include "checkpoints/file_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/require.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/name_pattern.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::checkpoints {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error))
    names.push_back(at->path().filename().string());
  if (error)
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot be read: {}", folder, error.message()));
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

void add_file(FileSet& set, const std::string& name, std::uint64_t rank,
              std::uint64_t json_bytes_max) {
  const std::string path = set.folder + "/" + name;
  HeldFile file{name, 0, read_safetensors(path, json_bytes_max - set.json_bytes)};
  file.bytes = file.header.data_start;
  set.json_bytes += file.header.data_start;
  if (!file.header.tensors.empty()) file.bytes += file.header.tensors.back().end;
  for (const SafeTensor& tensor : file.header.tensors) {
    set.ranks[rank].push_back(tensor);
    set.file_of[rank].push_back(set.files.size());
  }
  for (const auto& [key, value] : file.header.metadata) {
    if (std::find(set.differing.begin(), set.differing.end(), key) != set.differing.end()) continue;
    if (set.metadata.emplace(key, value).first->second == value) continue;
    set.metadata.erase(key);
    set.differing.push_back(key);
  }
  set.files.push_back(std::move(file));
}

// A name stands in one file of a rank.
void check_names(const FileSet& set) {
  for (std::size_t rank = 0; rank < set.ranks.size(); ++rank) {
    check_tensors(set.ranks[rank].size(), set.folder);
    std::map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < set.ranks[rank].size(); ++i) {
      const auto [at, is_new] = seen.emplace(set.ranks[rank][i].name, set.file_of[rank][i]);
      require(is_new, "{}: tensor '{}' is in {} and in {}", set.folder, at->first,
              set.files[at->second].name, set.files[set.file_of[rank][i]].name);
    }
  }
}

FileSet whole_set(const std::string& folder, const std::vector<std::string>& names,
                  std::uint64_t json_bytes_max, std::uint64_t json_bytes = 0) {
  FileSet set;
  set.json_bytes = json_bytes;
  set.folder = folder.empty() ? "." : folder;
  set.ranks.resize(1);
  set.file_of.resize(1);
  for (const std::string& name : names) add_file(set, name, 0, json_bytes_max);
  check_names(set);
  return set;
}

FileSet indexed_set(const std::string& folder, const std::string& index,
                    std::uint64_t json_bytes_max) {
  const std::string path = folder + "/" + index;
  std::error_code none;
  const std::uint64_t bytes = fs::is_regular_file(path, none) ? fs::file_size(path, none) : 0;
  if (bytes > json_bytes_max) refuse_json_memory(path, bytes, json_bytes_max);
  const auto map = read_index(path);
  std::set<std::string> names;
  for (const auto& [tensor, file] : map) names.insert(file);
  FileSet set = whole_set(folder, {names.begin(), names.end()}, json_bytes_max, bytes);
  std::set<std::string_view> found;
  for (std::size_t i = 0; i < set.ranks[0].size(); ++i) {
    const std::string& tensor = set.ranks[0][i].name;
    const auto at = map.find(tensor);
    require(at != map.end(), "{}: tensor '{}' of {} is not in the index", index, tensor,
            set.files[set.file_of[0][i]].name);
    require(at->second == set.files[set.file_of[0][i]].name,
            "{}: the index has tensor '{}' in {}, it is in {}", index, tensor, at->second,
            set.files[set.file_of[0][i]].name);
    found.insert(tensor);
  }
  for (const auto& [tensor, file] : map)
    require(found.contains(tensor), "{}: tensor '{}' is not in {}, where the index has it", index,
            tensor, file);
  return set;
}

}  // namespace

FileSet open_whole_files(const std::string& path, std::uint64_t json_bytes_max) {
  std::error_code none;
  const fs::path at(path);
  if (!fs::is_directory(at, none)) {
    const std::string folder = at.parent_path().string();
    const std::string name = at.filename().string();
    if (name.ends_with(".json"))
      return indexed_set(folder.empty() ? "." : folder, name, json_bytes_max);
    return whole_set(folder, {name}, json_bytes_max);
  }
  std::vector<std::string> files;
  std::vector<std::string> indices;
  for (const std::string& name : names_in(path)) {
    if (name.ends_with(".safetensors.index.json")) indices.push_back(name);
    if (name.ends_with(".safetensors")) files.push_back(name);
  }
  require(indices.size() <= 1, "{}: there are several indices, {} and {}; name one of them", path,
          indices.empty() ? "" : indices[0], indices.size() < 2 ? "" : indices[1]);
  require(!files.empty() || !indices.empty(), "{}: there is no .safetensors file", path);
  return indices.empty() ? whole_set(path, files, json_bytes_max)
                         : indexed_set(path, indices[0], json_bytes_max);
}

std::string rank_file_name(const std::string& pattern, std::uint64_t rank, std::uint64_t part) {
  NameParts parts;
  parts.numbers = {{"rank", fmt::format("{}", rank)}, {"part", fmt::format("{}", part)}};
  return NamePattern(pattern).with(parts);
}

void check_rank_names(const std::string& text) {
  require(text.find("{rank}") != std::string::npos && text.find('*') == std::string::npos &&
              text.find('/') == std::string::npos && text.find("}{") == std::string::npos &&
              text.ends_with(".safetensors"),
          "names '{}': wanted a file name with {{rank}}, and {{part}} where a rank has several, as "
          "in rank{{rank}}-{{part}}.safetensors",
          text);
}

FileSet open_rank_files(const std::string& folder, const std::string& text, std::uint64_t ranks,
                        std::uint64_t json_bytes_max) {
  check_rank_names(text);
  const NamePattern pattern(text);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;
  for (const std::string& name : names_in(folder)) {
    const auto parts = pattern.match(name);
    if (!parts) continue;
    const std::uint64_t rank = parts->number("rank").value_or(UINT64_MAX);
    const std::uint64_t part =
        parts->numbers.contains("part") ? parts->number("part").value_or(UINT64_MAX) : 0;
    require(rank < ranks, "{}/{}: is of rank {}, and the layout has ranks 0 to {}", folder, name,
            parts->numbers.at("rank"), ranks - 1);
    names[{rank, part}] = name;
  }
  FileSet set;
  set.folder = folder;
  set.ranks.resize(ranks);
  set.file_of.resize(ranks);
  std::vector<std::uint64_t> parts(ranks);
  for (const auto& [at, name] : names) {
    const std::uint64_t wanted = parts[at.first]++;
    require(wanted == at.second, "{}: {} is missing", folder,
            rank_file_name(text, at.first, wanted));
    add_file(set, name, at.first, json_bytes_max);
  }
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    require(parts[rank] != 0, "{}: {} is missing", folder, rank_file_name(text, rank, 0));
  check_names(set);
  return set;
}

}  // namespace faro::inline v1::checkpoints
