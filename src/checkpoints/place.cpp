// From whole tensors to what ranks hold, and back.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/require.hpp"
#include "checkpoints/layout.hpp"
#include "checkpoints/maxima.hpp"

namespace faro::inline v1::checkpoints {
namespace {

std::string tensor_words(std::string_view name, std::span<const std::uint64_t> shape) {
  return fmt::format("tensor '{}' {}", name, shape_text(shape));
}

// What `work` throws gets the tensor's name, its shape and its rule.
template <class Work>
auto with_rule(const SafeTensor& tensor, const std::string& rule, const Work& work) {
  try {
    return work();
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: {} (rule '{}')", tensor_words(tensor.name, tensor.shape),
                            error.what(), rule));
  }
}

struct Ruled {
  const Rule* rule = nullptr;  // of scales that of their weight
  std::optional<std::uint64_t> layer, expert;
  std::string words;
  const Rule* scale = nullptr;
  std::size_t weight = 0;  // of scales
};

// The weight that a scale belongs to.
std::string weight_name(const Rule& rule, const SafeTensor& scale) {
  return rule.scale_of->with(*rule.pattern.match(scale.name));
}

[[noreturn]] void refuse_scale(const SafeTensor& scale, const Rule& rule) {
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: there is no weight '{}' that it is the scale of (rule '{}')",
                  tensor_words(scale.name, scale.shape), weight_name(rule, scale), rule.words));
}

// The weight of an axis of a scale; a scale has no more axes.
void check_axes(const SafeTensor& scale, std::span<const std::uint64_t> weight) {
  require(scale.shape.size() <= weight.size(), "a scale of {} axes, its weight is {}",
          scale.shape.size(), shape_text(weight));
}

class Placement {
 public:
  Placement(const Layout& layout, const std::vector<SafeTensor>& whole)
      : layout_(layout), whole_(whole) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < whole.size(); ++i) places[whole[i].name] = i;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const SafeTensor& tensor = whole[i];
      ruled_.push_back({});
      Ruled& ruled = ruled_.back();
      ruled.weight = i;
      const Rule& own = layout.rule_of(tensor);
      if (own.scale_of) {
        const auto found = places.find(weight_name(own, tensor));
        if (found == places.end() || found->second == i) refuse_scale(tensor, own);
        ruled.scale = &own;
        ruled.weight = found->second;
      }
      const SafeTensor& weight = whole[ruled.weight];
      const Rule& rule = layout.rule_of(weight);
      if (rule.scale_of) refuse_scale(tensor, own);
      const NameParts parts = *rule.pattern.match(weight.name);
      ruled.rule = &rule;
      ruled.layer = parts.number("layer");
      ruled.expert = parts.number("expert");
      ruled.words = rule.words;
      if (ruled.scale) ruled.words = fmt::format("{}', weight '{}", own.words, rule.words);
      for (const auto& [number, count] :
           {std::pair{ruled_.back().layer, &layers_}, {ruled_.back().expert, &experts_}})
        if (number) {
          if (*number >= limits::checkpoint_layers_max)
            throw Error(ErrorCode::limit, fmt::format("{}: layer or expert {}; numbers below {} "
                                                      "are taken",
                                                      tensor_words(tensor.name, tensor.shape),
                                                      *number, limits::checkpoint_layers_max));
          *count = std::max(*count, *number + 1);
        }
      if (rule.last && !rule.splits.empty()) has_output_ = true;
    }
    check_counts();
  }

  std::vector<LocalTensor> on_rank(std::uint64_t rank) const {
    std::vector<LocalTensor> all;
    for (std::size_t i = 0; i < whole_.size(); ++i)
      if (holds(rank, ruled_[i]))
        all.push_back(with_rule(whole_[i], ruled_[i].words, [&] { return local(rank, i); }));
    fuse(all);
    std::sort(all.begin(), all.end(), [](const LocalTensor& a, const LocalTensor& b) {
      return natural_less(a.name, b.name);
    });
    for (std::size_t i = 1; i < all.size(); ++i)
      require(all[i - 1].name != all[i].name, "layout '{}': two tensors are called '{}' on rank {}",
              layout_.words, all[i].name, rank);
    return all;
  }

 private:
  void check_counts() const {
    const std::uint64_t pp = layout_.devices("pp");
    const std::uint64_t ep = layout_.devices("ep");
    std::uint64_t said = 0;
    for (const std::uint64_t layers : layout_.stages) said += layers;
    require(layout_.stages.empty() || said == layers_, "'{}': split has {} layers, the model {}",
            layout_.words, said, layers_);
    require(!layout_.stages.empty() || layers_ % pp == 0,
            "'{}': {} layers do not divide over pp={}; split=A/B/.. says the layers of each stage",
            layout_.words, layers_, pp);
    require(experts_ % ep == 0, "'{}': {} experts do not divide over ep={}", layout_.words,
            experts_, ep);
  }

  std::uint64_t stage_of(std::uint64_t layer) const {
    if (layout_.stages.empty()) return layer / (layers_ / layout_.devices("pp"));
    std::uint64_t stage = 0;
    for (std::uint64_t end = layout_.stages[0]; layer >= end; end += layout_.stages[stage]) ++stage;
    return stage;
  }

  bool holds(std::uint64_t rank, const Ruled& ruled) const {
    const std::uint64_t stage = layout_.place(rank, "pp");
    const bool is_last = stage + 1 == layout_.devices("pp");
    if (ruled.expert &&
        *ruled.expert / (experts_ / layout_.devices("ep")) != layout_.place(rank, "ep"))
      return false;
    if (ruled.layer) return stage_of(*ruled.layer) == stage;
    const bool tied = ruled.rule->tied && layout_.find("tied").value_or(has_output_ ? 0 : 1) != 0;
    if (ruled.rule->first || ruled.rule->last)
      return (ruled.rule->first && stage == 0) || ((ruled.rule->last || tied) && is_last);
    return true;
  }

  // What the rank has of each axis.
  std::vector<AxisParts> axes_of(std::uint64_t rank, const SafeTensor& tensor,
                                 const Rule& rule) const {
    std::vector<AxisParts> axes;
    for (const std::uint64_t length : tensor.shape) axes.push_back({{{0, 0, length}}, length});
    for (const Split& split : rule.splits) {
      require(split.axis < tensor.shape.size(), "there is no axis {}", split.axis);
      axes[split.axis] =
          cut_axis(layout_, split, tensor.shape[split.axis], layout_.place(rank, split.over));
    }
    return axes;
  }

  LocalTensor local(std::uint64_t rank, std::size_t i) const {
    const SafeTensor& tensor = whole_[i];
    const Ruled& ruled = ruled_[i];
    const SafeTensor& weight = whole_[ruled.weight];
    std::vector<AxisParts> axes = axes_of(rank, weight, *ruled.rule);
    LocalTensor local{rank, tensor.name, tensor.type, {}, {}, ruled.words};
    if (ruled.scale) {
      check_axes(tensor, weight.shape);
      axes.resize(tensor.shape.size());
      for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::uint64_t length = weight.shape[k];
        local.covers.push_back(axes[k].local);
        local.each.push_back(scale_block(layout_, *ruled.scale, length, tensor.shape[k]));
        axes[k] = cut_scales(axes[k], length, tensor.shape[k], local.each[k]);
      }
    }
    std::vector<LocalBlock> blocks{{i, {}, {}}};
    for (const AxisParts& axis : axes) {
      local.shape.push_back(axis.local);
      std::vector<LocalBlock> longer;
      for (const LocalBlock& block : blocks)
        for (const AxisPart& part : axis.parts) {
          longer.push_back(block);
          longer.back().whole.push_back({part.whole, part.whole + part.length});
          longer.back().local.push_back({part.local, part.local + part.length});
        }
      blocks = std::move(longer);
    }
    for (LocalBlock& block : blocks)
      if (disk::elements_of(block.whole) != 0) local.blocks.push_back(std::move(block));
    return local;
  }

  // Parts that the rank holds as one tensor.
  void fuse(std::vector<LocalTensor>& all) const {
    if (layout_.fusions.empty()) return;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) places[all[i].name] = i;
    std::set<std::size_t> gone;
    std::vector<LocalTensor> made;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const Fusion& fusion : layout_.fusions) {
        const auto parts = fusion.parts[0].match(all[i].name);
        if (!parts) continue;
        std::vector<std::size_t> members;
        for (const NamePattern& part : fusion.parts) {
          const auto found = places.find(part.with(*parts));
          require(found != places.end(), "{}: '{}' is not there, with which it makes '{}'",
                  tensor_words(all[i].name, all[i].shape), part.with(*parts),
                  fusion.whole.with(*parts));
          members.push_back(found->second);
        }
        made.push_back(joined(all, members, fusion));
        made.back().name = fusion.whole.with(*parts);
        gone.insert(members.begin(), members.end());
        break;
      }
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!gone.contains(i)) made.push_back(std::move(all[i]));
    all = std::move(made);
  }

  // Between two parts of a fused weight no block of a scale goes on.
  static void check_joint(const LocalTensor& before, const LocalTensor& part, std::size_t axis) {
    if (before.each.empty() && part.each.empty()) return;
    require(before.each.size() == part.each.size() && before.each[axis] == part.each[axis] &&
                (part.each[axis] == 0 || before.covers[axis] % part.each[axis] == 0),
            "{} does not follow '{}': that has {} elements of the weight's axis {}, which are no "
            "whole blocks (rule '{}')",
            tensor_words(part.name, part.shape), before.name,
            before.covers.empty() ? 0 : before.covers[axis], axis, part.rule);
  }

  static LocalTensor joined(const std::vector<LocalTensor>& all,
                            const std::vector<std::size_t>& members, const Fusion& fusion) {
    LocalTensor whole = all[members[0]];
    const std::size_t axis = fusion.axis;
    for (std::size_t k = 1; k < members.size(); ++k) {
      const LocalTensor& part = all[members[k]];
      std::vector<std::uint64_t> alike = part.shape;
      if (axis < alike.size() && alike.size() == whole.shape.size())
        alike[axis] = whole.shape[axis];
      require(axis < part.shape.size() && alike == whole.shape && part.type == whole.type,
              "{} does not fit to '{}' along axis {}", tensor_words(part.name, part.shape),
              whole.name, axis);
      check_joint(all[members[k - 1]], part, axis);
      for (LocalBlock block : part.blocks) {
        block.local[axis].begin += whole.shape[axis];
        block.local[axis].end += whole.shape[axis];
        whole.blocks.push_back(block);
      }
      whole.shape[axis] += part.shape[axis];
    }
    return whole;
  }

  const Layout& layout_;
  const std::vector<SafeTensor>& whole_;
  std::vector<Ruled> ruled_;
  std::uint64_t layers_ = 0, experts_ = 0;
  bool has_output_ = false;  // what is cut and on the last stage
};

// From what ranks hold to whole tensors: weights first, then their scales.
class Joining {
 public:
  explicit Joining(const Layout& layout) : layout_(layout) {}

  // A tensor of a rank, if it is a scale or not: whichever is `wanted`.
  enum class Kind { weights, scales };
  void add(const SafeTensor& held, Kind wanted) {
    const auto take = [&](const SafeTensor& part) {
      if (whole_.contains(part.name)) return;
      const Rule& rule = layout_.rule_of(part);
      whole_.emplace(part.name, with_rule(part, rule.words, [&] {
                       return rule.scale_of ? scale(part, rule) : weight(part, rule);
                     }));
      local_.emplace(part.name, part.shape);
    };
    for (const Fusion& fusion : layout_.fusions) {
      const auto parts = fusion.whole.match(held.name);
      if (!parts) continue;
      const SafeTensor first{fusion.parts[0].with(*parts), held.type, held.shape};
      if (is_scale(first) == (wanted == Kind::scales))
        for (const SafeTensor& part : parts_of(held, fusion, *parts)) take(part);
      return;
    }
    if (is_scale(held) == (wanted == Kind::scales)) take({held.name, held.type, held.shape});
  }

  std::vector<SafeTensor> whole() const {
    std::vector<SafeTensor> all;
    for (const auto& [name, tensor] : whole_) all.push_back(tensor);
    std::sort(all.begin(), all.end(), [](const SafeTensor& a, const SafeTensor& b) {
      return natural_less(a.name, b.name);
    });
    return all;
  }

 private:
  bool is_scale(const SafeTensor& tensor) const {
    return layout_.rule_of(tensor).scale_of.has_value();
  }

  const std::vector<std::uint64_t>& local_weight(const SafeTensor& scale, const Rule& rule) const {
    const auto found = local_.find(weight_name(rule, scale));
    if (found == local_.end()) refuse_scale(scale, rule);
    return found->second;
  }

  SafeTensor weight(const SafeTensor& local, const Rule& rule) const {
    SafeTensor whole = local;
    for (const Split& split : rule.splits) {
      require(split.axis < local.shape.size(), "there is no axis {}", split.axis);
      whole.shape[split.axis] = joined_axis(layout_, split, local.shape[split.axis]);
    }
    tensor_bytes(*whole.type, whole.shape, whole.name);
    return whole;
  }

  SafeTensor scale(const SafeTensor& local, const Rule& rule) const {
    const std::vector<std::uint64_t>& held = local_weight(local, rule);
    const std::vector<std::uint64_t>& all = whole_.at(weight_name(rule, local)).shape;
    check_axes(local, held);
    SafeTensor whole = local;
    for (std::size_t k = 0; k < local.shape.size(); ++k) {
      const std::uint64_t block = scale_block(layout_, rule, held[k], local.shape[k]);
      if (block == 0) continue;
      require(
          block != 1 || held[k] != 1 || all[k] == 1,
          "one scale for one element of {} on axis {}: whether there is one for all is not said; "
          "gather the weights in larger parts",
          all[k], k);
      whole.shape[k] = (all[k] + block - 1) / block;
    }
    tensor_bytes(*whole.type, whole.shape, whole.name);
    return whole;
  }

  // The whole tensors that a fused one has parts of, with its share of each.
  std::vector<SafeTensor> parts_of(const SafeTensor& held, const Fusion& fusion,
                                   const NameParts& names) const {
    std::vector<SafeTensor> all;
    std::vector<std::uint64_t> weights;
    std::uint64_t sum = 0;
    const std::size_t axis = fusion.axis;
    for (const NamePattern& part : fusion.parts) {
      all.push_back({part.with(names), held.type, held.shape});
      const Rule& rule = layout_.rule_of(all.back());
      std::uint64_t weight = 0;
      if (!rule.scale_of) {
        weight = fused_weight(layout_, rule, axis);
      } else if (const auto& length = local_weight(all.back(), rule); axis < length.size()) {
        weight = length[axis];
      }
      weights.push_back(weight);
      sum += weights.back();
    }
    const Rule& rule = layout_.rule_of(all[0]);
    require(axis < held.shape.size() && sum != 0 && (rule.scale_of || held.shape[axis] % sum == 0),
            "{}: axis {} is not made of {} equal parts", tensor_words(held.name, held.shape), axis,
            sum);
    if (!rule.scale_of) {
      for (std::size_t k = 0; k < all.size(); ++k)
        all[k].shape[axis] = held.shape[axis] / sum * weights[k];
      return all;
    }
    // One for each part, or so many as it has blocks.
    const bool one = held.shape[axis] == all.size();
    const std::uint64_t block = one ? 0 : with_rule(held, rule.words, [&] {
      return scale_block(layout_, rule, sum, held.shape[axis]);
    });
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k].shape[axis] = one ? 1 : (weights[k] + block - 1) / std::max<std::uint64_t>(block, 1);
    return all;
  }

  const Layout& layout_;
  std::map<std::string, SafeTensor> whole_;
  std::map<std::string, std::vector<std::uint64_t>> local_;  // what a rank has of it
};

}  // namespace

Layout with_ties(const Layout& layout, const std::vector<std::vector<SafeTensor>>& held) {
  Layout found = layout;
  if (found.find("tied") || found.devices("pp") == 1) return found;
  std::uint64_t tied = 0;
  for (const SafeTensor& tensor : held.back())
    for (const Rule& rule : found.rules)
      if (rule.pattern.match(tensor.name)) {
        if (rule.tied && rule.first) tied = 1;
        break;
      }
  found.suppose("tied", tied);
  return found;
}

namespace {

void check_held(const LocalTensor& wanted, const SafeTensor* found) {
  require(found != nullptr, "rank {} does not have {}, which its rule '{}' wants there",
          wanted.rank, tensor_words(wanted.name, wanted.shape), wanted.rule);
  require(found->shape == wanted.shape, "rank {} has {}, and its rule '{}' wants {} there",
          wanted.rank, tensor_words(found->name, found->shape), wanted.rule,
          shape_text(wanted.shape));
  require(found->type == wanted.type, "rank {} has '{}' of {}, others have {}", wanted.rank,
          wanted.name, found->type->name, wanted.type->name);
}

}  // namespace

std::vector<LocalTensor> place_tensors(const Layout& layout, const std::vector<SafeTensor>& whole) {
  const Placement placement(layout, whole);
  std::vector<LocalTensor> all;
  for (std::uint64_t rank = 0; rank < layout.ranks(); ++rank)
    for (LocalTensor& tensor : placement.on_rank(rank)) all.push_back(std::move(tensor));
  return all;
}

std::vector<SafeTensor> whole_tensors(const Layout& layout,
                                      const std::vector<std::vector<SafeTensor>>& held) {
  require(held.size() == layout.ranks(), "'{}' has {} ranks, the files are of {}", layout.words,
          layout.ranks(), held.size());
  Joining joining(layout);
  for (const auto kind : {Joining::Kind::weights, Joining::Kind::scales})
    for (const std::vector<SafeTensor>& tensors : held)
      for (const SafeTensor& tensor : tensors) joining.add(tensor, kind);
  std::vector<SafeTensor> whole = joining.whole();
  const Placement placement(layout, whole);
  for (std::uint64_t rank = 0; rank < held.size(); ++rank) {
    std::map<std::string_view, const SafeTensor*> there;
    for (const SafeTensor& tensor : held[rank]) there[tensor.name] = &tensor;
    for (const LocalTensor& wanted : placement.on_rank(rank)) {
      const auto one = there.find(wanted.name);
      check_held(wanted, one == there.end() ? nullptr : one->second);
      there.erase(one);
    }
    for (const SafeTensor& tensor : held[rank])
      require(!there.contains(tensor.name), "rank {} has {}, which '{}' does not put there", rank,
              tensor_words(tensor.name, tensor.shape), layout.words);
  }
  return whole;
}

}  // namespace faro::inline v1::checkpoints
