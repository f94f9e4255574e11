// From whole tensors to what ranks hold, and back.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/require.hpp"
#include "checkpoints/layout.hpp"

namespace faro::inline v1::checkpoints {
namespace {

std::string tensor_words(std::string_view name, std::span<const std::uint64_t> shape) {
  return fmt::format("tensor '{}' {}", name, shape_text(shape));
}

// What `work` throws gets the tensor's name, its shape and its rule.
template <class Work>
auto with_rule(const SafeTensor& tensor, const Rule& rule, const Work& work) {
  try {
    return work();
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: {} (rule '{}')", tensor_words(tensor.name, tensor.shape),
                            error.what(), rule.words));
  }
}

struct Ruled {
  const Rule* rule = nullptr;
  std::optional<std::uint64_t> layer, expert;
};

class Placement {
 public:
  Placement(const Layout& layout, const std::vector<SafeTensor>& whole)
      : layout_(layout), whole_(whole) {
    for (const SafeTensor& tensor : whole) {
      const Rule& rule = layout.rule_of(tensor);
      const NameParts parts = *rule.pattern.match(tensor.name);
      ruled_.push_back({&rule, parts.number("layer"), parts.number("expert")});
      for (const auto& [number, count] :
           {std::pair{ruled_.back().layer, &layers_}, {ruled_.back().expert, &experts_}})
        if (number) {
          require(*number < (1U << 20U), "{}: a number of 2^20 or more",
                  tensor_words(tensor.name, tensor.shape));
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
        all.push_back(with_rule(whole_[i], *ruled_[i].rule, [&] { return local(rank, i); }));
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

  LocalTensor local(std::uint64_t rank, std::size_t i) const {
    const SafeTensor& tensor = whole_[i];
    const Rule& rule = *ruled_[i].rule;
    std::vector<AxisParts> axes;
    for (const std::uint64_t length : tensor.shape) axes.push_back({{{0, 0, length}}, length});
    for (const Split& split : rule.splits) {
      require(split.axis < tensor.shape.size(), "there is no axis {}", split.axis);
      axes[split.axis] =
          cut_axis(layout_, split, tensor.shape[split.axis], layout_.place(rank, split.over));
    }
    LocalTensor local{rank, tensor.name, tensor.type, {}, {}, rule.words};
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

// The names of the whole tensors that a tensor of a rank holds parts of, with its share of each.
std::vector<SafeTensor> parts_of(const Layout& layout, const SafeTensor& held) {
  for (const Fusion& fusion : layout.fusions) {
    const auto parts = fusion.whole.match(held.name);
    if (!parts) continue;
    std::vector<SafeTensor> all;
    std::vector<std::uint64_t> weights;
    std::uint64_t sum = 0;
    for (const NamePattern& part : fusion.parts) {
      all.push_back({part.with(*parts), held.type, held.shape});
      weights.push_back(fused_weight(layout, layout.rule_of(all.back()), fusion.axis));
      sum += weights.back();
    }
    require(fusion.axis < held.shape.size() && held.shape[fusion.axis] % sum == 0,
            "{}: axis {} is not made of {} equal parts", tensor_words(held.name, held.shape),
            fusion.axis, sum);
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k].shape[fusion.axis] = held.shape[fusion.axis] / sum * weights[k];
    return all;
  }
  return {{held.name, held.type, held.shape}};
}

SafeTensor joined_tensor(const Layout& layout, const SafeTensor& local) {
  const Rule& rule = layout.rule_of(local);
  return with_rule(local, rule, [&] {
    SafeTensor whole = local;
    for (const Split& split : rule.splits) {
      require(split.axis < local.shape.size(), "there is no axis {}", split.axis);
      whole.shape[split.axis] = joined_axis(layout, split, local.shape[split.axis]);
    }
    tensor_bytes(*whole.type, whole.shape, whole.name);
    return whole;
  });
}

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
  std::map<std::string, SafeTensor> found;
  for (const std::vector<SafeTensor>& tensors : held)
    for (const SafeTensor& tensor : tensors)
      for (const SafeTensor& part : parts_of(layout, tensor))
        if (!found.contains(part.name)) found.emplace(part.name, joined_tensor(layout, part));
  std::vector<SafeTensor> whole;
  for (auto& [name, tensor] : found) whole.push_back(std::move(tensor));
  std::sort(whole.begin(), whole.end(),
            [](const SafeTensor& a, const SafeTensor& b) { return natural_less(a.name, b.name); });
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
