// Groups: which arrays are in one, and what it says of itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "disk/stored/array_form.hpp"
#include "disk/stored_array.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr const char* zarr3_name = "zarr.json";

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

std::optional<std::string> text_in(const files::ChunkFolder& root, const std::string& node,
                                   const char* name) {
  return root.text(joined(node, name), limits::zarr_metadata_bytes_max);
}

RawJson json_in(const files::ChunkFolder& root, const std::string& node, const std::string& text) {
  try {
    return RawJson::parse(text);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}/{}: {}", root.folder(), node, error.what()));
  }
}

// A node of a tree of groups; an array of either version, or a group.
struct Node {
  enum class Kind { none, array, group } kind = Kind::none;
  bool zarr3 = false;
  bool consolidated = false;
  RawJson document;        // of Zarr 3, without consolidated metadata
  std::string attributes;  // of Zarr 2; empty: none
};

Node node_at(const files::ChunkFolder& root, const std::string& path) {
  Node node;
  if (const auto text = text_in(root, path, zarr3_name)) {
    node.zarr3 = true;
    node.document = json_in(root, path, *text);
    const std::string* const type = node.document.find("node_type");
    if (type == nullptr || (*type != "\"array\"" && *type != "\"group\""))
      throw Error(ErrorCode::usage,
                  fmt::format("{}/{}: zarr.json is of no array and no group", root.folder(), path));
    node.kind = *type == "\"array\"" ? Node::Kind::array : Node::Kind::group;
    const std::string* const all = node.document.find("consolidated_metadata");
    node.consolidated = all != nullptr && *all != "null";
    node.document.erase("consolidated_metadata");
    return node;
  }
  if (root.size_bytes(joined(path, ".zarray")))
    node.kind = Node::Kind::array;
  else if (root.size_bytes(joined(path, ".zgroup")))
    node.kind = Node::Kind::group;
  node.consolidated = root.size_bytes(joined(path, ".zmetadata")).has_value();
  node.attributes = text_in(root, path, ".zattrs").value_or("");
  return node;
}

using Nodes = std::map<std::string, Node>;

// Arrays are not looked into: their folders have chunks.
void walk(const files::ChunkFolder& root, const std::string& path, int depth, Nodes& nodes) {
  if (depth > limits::zarr_group_depth_max)
    throw Error(ErrorCode::limit, fmt::format("{}: groups within groups, more than {}",
                                              root.folder(), limits::zarr_group_depth_max));
  Node node = node_at(root, path);
  const bool is_array = node.kind == Node::Kind::array;
  if (node.kind != Node::Kind::none) nodes.emplace(path, std::move(node));
  if (is_array) return;
  for (const std::string& name : files::folders_in(joined(root.folder(), path)))
    if (!name.starts_with('.')) walk(root, joined(path, name), depth + 1, nodes);
}

Nodes nodes_in(const files::ChunkFolder& root) {
  Nodes nodes;
  walk(root, "", 0, nodes);
  return nodes;
}

void put_group(files::ChunkFolder& to, const std::string& path, const Node& node, bool zarr3) {
  const auto put = [&](const char* name, const std::string& text) {
    to.put(joined(path, name), text, joined(path, "." + files::own_name() + ".part"));
  };
  if (!zarr3) {
    std::string attributes = node.attributes;
    if (node.zarr3)
      if (const std::string* const kept = node.document.find("attributes")) attributes = *kept;
    if (!attributes.empty()) put(".zattrs", attributes);
    return put(".zgroup", "{\n  \"zarr_format\": 2\n}");
  }
  RawJson document = node.document;
  document.set("zarr_format", "3");
  document.set("node_type", "\"group\"");
  if (!node.zarr3) document.set("attributes", node.attributes.empty() ? "{}" : node.attributes);
  put(zarr3_name, document.text());
}

// What is said of every node below, as it is now.
std::string consolidated3(const files::ChunkFolder& to, const Nodes& nodes,
                          const std::string& path) {
  RawJson metadata;
  for (const auto& [name, node] : nodes) {
    const std::string inside =
        path.empty() ? name : name.substr(std::min(name.size(), path.size() + 1));
    if (inside.empty() || (!path.empty() && !name.starts_with(path + "/"))) continue;
    metadata.set(inside, node_at(to, name).document.text());
  }
  RawJson all;
  all.set("kind", "\"inline\"");
  all.set("must_understand", "false");
  all.set("metadata", metadata.text());
  return all.text();
}

std::string consolidated2(const files::ChunkFolder& to, const Nodes& nodes,
                          const std::string& path) {
  RawJson metadata;
  for (const auto& [name, node] : nodes) {
    if (name != path && !path.empty() && !name.starts_with(path + "/")) continue;
    const std::string inside = path.empty()   ? name
                               : name == path ? ""
                                              : name.substr(path.size() + 1);
    for (const char* const file : {".zgroup", ".zarray", ".zattrs"})
      if (const auto text = text_in(to, name, file)) metadata.set(joined(inside, file), *text);
  }
  RawJson all;
  all.set("zarr_consolidated_format", "1");
  all.set("metadata", metadata.text());
  return all.text();
}

}  // namespace

std::vector<std::string> stored_arrays(const std::string& path) {
  if (std::error_code none; !std::filesystem::is_directory(path, none)) return {""};
  const files::PosixFolder root(path);
  std::vector<std::string> arrays;
  const Nodes nodes = nodes_in(root);
  for (const auto& [name, node] : nodes)
    if (node.kind == Node::Kind::array) arrays.push_back(name);
  if (nodes.empty())
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: has no zarr.json, .zarray or .zgroup: is no Zarr array or group", path));
  return arrays;
}

void copy_groups(const std::string& from, const std::string& to) {
  const files::PosixFolder source(from);
  files::PosixFolder target(to);
  const Nodes nodes = nodes_in(source);
  const Nodes made = nodes_in(target);
  const auto array = std::find_if(made.begin(), made.end(), [](const auto& one) {
    return one.second.kind == Node::Kind::array;
  });
  bool zarr3 = !nodes.empty() && nodes.begin()->second.zarr3;
  if (array != made.end()) zarr3 = array->second.zarr3;
  Nodes all = made;
  // From the innermost, so that a group is there when all below it are; then what lists them.
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at)
    if (at->second.kind == Node::Kind::group) {
      put_group(target, at->first, at->second, zarr3);
      all[at->first] = node_at(target, at->first);
    }
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    if (!at->second.consolidated) continue;
    const std::string own = joined(at->first, "." + files::own_name() + ".part");
    if (!zarr3) {
      target.put(joined(at->first, ".zmetadata"), consolidated2(target, all, at->first), own);
      continue;
    }
    RawJson document = node_at(target, at->first).document;
    document.set("consolidated_metadata", consolidated3(target, all, at->first));
    target.put(joined(at->first, zarr3_name), document.text(), own);
  }
}

}  // namespace faro::inline v1::disk
