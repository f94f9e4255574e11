// How the tensors of a checkpoint lie on ranks, and how they are called there.
//
//   set tp 4                                          the numbers; LAYOUT:tp=8 goes before them
//   model.layers.{layer}.mlp.up_proj.weight  shard 0  axis 0 in tp equal parts
//   model.layers.{layer}.*_proj.weight       heads 1  the same, never through one of `heads` heads
//   ...k_proj.weight   kv 0          of `kv_heads`; on more ranks than those each has one, several
//                                    ranks the same
//   ...query_key_value.weight  groups 0   of `kv_heads` groups [q .. q k v]
//   ...qkv_proj.weight   qkv 0       three blocks of heads, kv_heads, kv_heads; a part of each
//   ...gate_up.weight    blocks 0 2  two equal blocks; a part of each
//   embed.weight         vocab 0 first tied   with zeros up to a multiple of `pad`
//   ...w13   shard 0 over ep blocks 1 2       several axes of the devices
//   norm.weight          copy last
//   **.weight_scale_inv  scale **.weight by 128   as its weight; a number for each 128 x 128
//   NAME = PART + PART along 0       ranks hold these parts as one tensor, or under another name
//   if gated LINE, if not gated LINE              by a number
//
// The first line whose pattern fits a name is its rule; a name that none fits is refused. Ranks
// are numbered tp first, then ep, then pp: rank = (pp_i ep + ep_i) tp + tp_i. {layer} of a name
// says its stage: layers are divided evenly over pp, or by split=10/11/11; `first` and `last`
// are on those stages, with `tied` on the last too where nothing else is the output's matrix.
// {expert} is divided over ep. What says neither is on all.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/name_pattern.hpp"
#include "checkpoints/safetensors.hpp"
#include "disk/box_copy.hpp"

namespace faro::inline v1::checkpoints {

using disk::Box;

enum class Cut { shard, heads, kv, groups, qkv, blocks, vocab };
// Their words, in their order.
inline constexpr std::array<std::string_view, 7> cut_names = {"shard", "heads",  "kv",   "groups",
                                                              "qkv",   "blocks", "vocab"};

struct Split {
  Cut cut = Cut::shard;
  std::size_t axis = 0;
  std::uint64_t blocks = 1;
  std::string over = "tp";
};

struct Rule {
  NamePattern pattern;
  std::string words;  // of the line
  std::vector<Split> splits;
  bool first = false, last = false, tied = false;
  // Of scales: the weights that they belong to, and how long a block of them is; 0: as the lengths
  // say.
  std::optional<NamePattern> scale_of = std::nullopt;
  std::uint64_t block = 0;
};

struct Fusion {
  NamePattern whole;
  std::vector<NamePattern> parts;
  std::size_t axis = 0;
};

struct Layout {
  std::string words;  // as said: llama:tp=4
  std::map<std::string, std::uint64_t> numbers;
  std::vector<std::uint64_t> stages;  // layers of each, where `split` says them
  std::vector<Rule> rules;
  std::vector<Fusion> fusions;

  // A preset or a layout file, and numbers: "llama:tp=4,pp=2", "mine.layout:tp=8". Throws
  // Error(usage) that names the line.
  static Layout parse(const std::string& words);

  bool is_whole() const;
  // What is not said: 1 device of each axis, else nothing.
  std::optional<std::uint64_t> find(const std::string& number) const;
  std::uint64_t devices(const std::string& axis) const { return find(axis).value_or(1); }
  std::uint64_t ranks() const;
  // Of tp, pp, ep.
  std::uint64_t place(std::uint64_t rank, const std::string& axis) const;
  // Takes what is not said yet.
  void suppose(const std::string& number, std::uint64_t value) { numbers.emplace(number, value); }
  // Throws Error(usage) for a name that has no rule.
  const Rule& rule_of(const SafeTensor& tensor) const;
};

// A part of a whole tensor in a tensor of a rank.
struct LocalBlock {
  std::size_t tensor = 0;  // of the whole ones
  Box whole;
  Box local;
};

// A tensor of a rank: blocks, and zeros where none is.
struct LocalTensor {
  std::uint64_t rank = 0;
  std::string name;
  const DataType* type = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<LocalBlock> blocks;
  std::string rule;  // for messages
  // Of scales: of each axis the weight's length, and how much of it has one number; 0: all of it.
  std::vector<std::uint64_t> covers = {}, each = {};
};

// What each rank holds of whole tensors, sorted by rank, then by natural_less. Throws Error(usage)
// for what does not fit, with name, shape and rule.
std::vector<LocalTensor> place_tensors(const Layout& layout, const std::vector<SafeTensor>& whole);

// The layout that says whether the last stage has what is tied, as the files of ranks do.
Layout with_ties(const Layout& layout, const std::vector<std::vector<SafeTensor>>& held);

// The whole tensors of what ranks hold, sorted by natural_less; their places are those of
// place_tensors, or Error(usage) says which is not. `held` has a list for each rank.
std::vector<SafeTensor> whole_tensors(const Layout& layout,
                                      const std::vector<std::vector<SafeTensor>>& held);

// Parts of an axis that device i of T holds: where in the whole one, how long, and where in the
// local one. `local` is its length there.
struct AxisPart {
  std::uint64_t whole = 0, local = 0, length = 0;
};
struct AxisParts {
  std::vector<AxisPart> parts;
  std::uint64_t local = 0;
};
// Throws a plain text: what does not fit.
AxisParts cut_axis(const Layout& layout, const Split& split, std::uint64_t length,
                   std::uint64_t device);
// The length of the whole axis.
std::uint64_t joined_axis(const Layout& layout, const Split& split, std::uint64_t local);
// How much of a fused axis belongs to this part, in proportion to the others.
std::uint64_t fused_weight(const Layout& layout, const Rule& rule, std::size_t axis);

// How much of an axis of a weight has one of its `scales`; 0: all of it. Throws as cut_axis does.
std::uint64_t scale_block(const Layout& layout, const Rule& rule, std::uint64_t length,
                          std::uint64_t scales);
// The scales of what a device has of a weight's axis, where no block is cut.
AxisParts cut_scales(const AxisParts& weight, std::uint64_t length, std::uint64_t scales,
                     std::uint64_t block);

std::string split_words(const Split& split);
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace faro::inline v1::checkpoints
