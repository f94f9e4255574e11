// One axis cut over devices.
//
// Every cut is a list of blocks, each of so many units that never are cut: [q k v] of heads=8,
// kv_heads=2 over tp=4 is blocks of 8, 2 and 2 units; 8 units go to four devices as 2 each; 2 units
// cannot, so each device has one, and two have the same.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/require.hpp"
#include "checkpoints/layout.hpp"
#include "checkpoints/maxima.hpp"

namespace faro::inline v1::checkpoints {
namespace {

struct CutBlock {
  std::uint64_t units = 0;   // 0: any multiple of the devices
  std::uint64_t weight = 1;  // of the axis, in proportion to the others
  bool repeats = false;      // devices may hold the same unit
};

std::uint64_t wanted(const Layout& layout, const char* number, const Split& split) {
  const auto found = layout.find(number);
  require(found.has_value(), "'{}' needs {}: say it, as in {}:{}=8, or let config.json lie beside",
          split_words(split), number, layout.words.substr(0, layout.words.find(':')), number);
  return *found;
}

std::vector<CutBlock> blocks_of(const Layout& layout, const Split& split) {
  const std::uint64_t heads = layout.find("heads").value_or(0);
  const std::uint64_t kv_heads = layout.find("kv_heads").value_or(0);
  switch (split.cut) {
    case Cut::heads:
      return {{heads}};
    case Cut::kv:
      return {{kv_heads, 1, true}};
    case Cut::groups:
      return {{kv_heads}};
    case Cut::qkv: {
      const std::uint64_t q = wanted(layout, "heads", split);
      const std::uint64_t kv = wanted(layout, "kv_heads", split);
      return {{q, q}, {kv, kv, true}, {kv, kv, true}};
    }
    case Cut::blocks:
      return std::vector<CutBlock>(split.blocks, CutBlock{});
    case Cut::shard:
    case Cut::vocab:
      break;
  }
  return {{}};
}

// Into how many parts a block goes.
std::uint64_t parts_of(const CutBlock& block, std::uint64_t devices, const Split& split) {
  if (block.units == 0 || block.units % devices == 0) return devices;
  require(
      block.repeats && devices % block.units == 0,
      "{} heads do not divide over {}={}: neither is a multiple of the other, or heads would be "
      "cut",
      block.units, split.over, devices);
  return block.units;
}

std::uint64_t padded(const Layout& layout, std::uint64_t length) {
  const std::uint64_t pad = layout.find("pad").value_or(1);
  return (length + pad - 1) / pad * pad;
}

}  // namespace

AxisParts cut_axis(const Layout& layout, const Split& split, std::uint64_t length,
                   std::uint64_t device) {
  const std::uint64_t devices = layout.devices(split.over);
  AxisParts parts;
  if (split.cut == Cut::vocab) {
    const std::uint64_t all = padded(layout, length);
    require(all % devices == 0,
            "axis {} of length {} does not divide over {}={}; pad={} fills it up with zeros to a "
            "multiple of that",
            split.axis, all, split.over, devices, std::lcm(devices, std::uint64_t{64}));
    parts.local = all / devices;
    const std::uint64_t begin = std::min(device * parts.local, length);
    parts.parts = {{begin, 0, std::min(begin + parts.local, length) - begin}};
    return parts;
  }
  const std::vector<CutBlock> blocks = blocks_of(layout, split);
  std::uint64_t weights = 0;
  for (const CutBlock& block : blocks) weights += block.weight;
  require(length % weights == 0, "axis {} of length {} is not {} equal parts", split.axis, length,
          weights);
  std::uint64_t begin = 0;
  for (const CutBlock& block : blocks) {
    const std::uint64_t size = length / weights * block.weight;
    const std::uint64_t count = parts_of(block, devices, split);
    const std::uint64_t units = std::max(block.units, count);
    require(size % units == 0, "axis {}: {} of its {} elements do not divide into {}", split.axis,
            size, length, units);
    const std::uint64_t part = size / count;
    parts.parts.push_back({begin + (device / (devices / count)) * part, parts.local, part});
    parts.local += part;
    begin += size;
  }
  return parts;
}

std::uint64_t joined_axis(const Layout& layout, const Split& split, std::uint64_t local) {
  const std::uint64_t devices = layout.devices(split.over);
  require(local <= limits::checkpoint_bytes_max / devices,
          "axis {} of length {} on {} devices is too long", split.axis, local, devices);
  if (split.cut == Cut::vocab) {
    const auto vocab = layout.find("vocab");
    if (layout.find("pad") && vocab && padded(layout, *vocab) == local * devices) return *vocab;
    return local * devices;
  }
  const std::vector<CutBlock> blocks = blocks_of(layout, split);
  // A block's local share is weight / parts; weights of blocks that are alike are alike.
  std::uint64_t share = 0;
  std::uint64_t whole = 0;
  for (const CutBlock& block : blocks) {
    const std::uint64_t parts = parts_of(block, devices, split);
    share += block.weight * (devices / parts);
    whole += block.weight * devices;
  }
  const Count all = Count{local} * whole;
  require(static_cast<std::uint64_t>(all % share) == 0,
          "axis {} of length {} is no part of a whole one", split.axis, local);
  return static_cast<std::uint64_t>(all / share);
}

std::uint64_t fused_weight(const Layout& layout, const Rule& rule, std::size_t axis) {
  for (const Split& split : rule.splits) {
    if (split.axis != axis) continue;
    if (split.cut == Cut::heads) return wanted(layout, "heads", split) / layout.devices(split.over);
    if (split.cut == Cut::kv)
      return std::max<std::uint64_t>(wanted(layout, "kv_heads", split) / layout.devices(split.over),
                                     1);
  }
  return 1;
}

std::uint64_t scale_block(const Layout& layout, const Rule& rule, std::uint64_t length,
                          std::uint64_t scales) {
  const std::uint64_t said = layout.find("block").value_or(rule.block);
  if (said != 0 && scales == (length + said - 1) / said) return said;
  if (scales == length) return 1;
  if (scales == 1) return 0;
  require(scales != 0 && length % scales == 0,
          "{} scales are not those of {} elements: {}; block=128 says another length of blocks",
          scales, length,
          said == 0 ? "they are no equal blocks" : fmt::format("nor of blocks of {}", said));
  return length / scales;
}

AxisParts cut_scales(const AxisParts& weight, std::uint64_t length, std::uint64_t scales,
                     std::uint64_t block) {
  if (block == 0) return {{{0, 0, scales}}, scales};
  AxisParts parts{{}, (weight.local + block - 1) / block};
  for (const AxisPart& part : weight.parts) {
    const std::uint64_t end = part.whole + part.length;
    require(part.length == 0 || (part.whole % block == 0 && part.local % block == 0 &&
                                 (end % block == 0 || end == length)),
            "elements {} to {} of the weight's {} do not begin and end where blocks of {} do, and "
            "no block is cut",
            part.whole, end, length, block);
    parts.parts.push_back(
        {part.whole / block, part.local / block, (end + block - 1) / block - part.whole / block});
    if (part.length == 0) parts.parts.back() = {0, 0, 0};
  }
  return parts;
}

std::string split_words(const Split& split) {
  std::string text =
      fmt::format("{} {}", cut_names[static_cast<std::size_t>(split.cut)], split.axis);
  if (split.cut == Cut::blocks) text += fmt::format(" {}", split.blocks);
  if (split.over != "tp") text += " over " + split.over;
  return text;
}

}  // namespace faro::inline v1::checkpoints
