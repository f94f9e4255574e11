// einops' rearrange patterns.
//
//   (a b) c -> c (b a), a=2         on shape 4x2:  a:1 b:1 c:1 -> c b a
//
// A group is a product in C order; of its sizes one may be left out. An axis that is no power of
// two may be the first on both sides (a batch) or the last on both (part of the element).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faro/base/count.hpp"
#include "layouts/rearrangement.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

struct Group {
  std::vector<std::string> names;  // empty: 1 or ()
  bool ellipsis = false;
};

std::vector<std::string> all_names(const std::vector<Group>& side) {
  std::vector<std::string> names;
  for (const Group& group : side) names.insert(names.end(), group.names.begin(), group.names.end());
  return names;
}

bool accept_ellipsis(Scanner& in) {
  return in.accept("...") || in.accept("\xe2\x80\xa6");
}

std::vector<Group> read_side(Scanner& in, bool left) {
  std::vector<Group> groups;
  while (!in.done() && !in.next_is("->") && !in.next_is(",")) {
    Group group;
    if (in.accept("(")) {
      while (!in.accept(")")) {
        if (in.next_is("...")) in.fail("an ellipsis inside parentheses");
        if (in.number_is_next() ? in.number() != 1 : false) in.fail("a number other than 1");
        if (in.name_is_next())
          group.names.push_back(in.name());
        else if (!in.next_is(")") && in.done())
          in.fail("wanted ')'");
        else if (!in.next_is(")") && !in.number_is_next())
          in.fail("wanted a name or ')'");
      }
    } else if (accept_ellipsis(in)) {
      group.ellipsis = true;
    } else if (in.number_is_next()) {
      if (in.number() != 1) in.fail("a number other than 1");
    } else {
      group.names.push_back(in.name());
    }
    groups.push_back(std::move(group));
  }
  std::vector<std::string> names = all_names(groups);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    in.fail_at(in.at(), fmt::format("'{}' twice on the {}", *twice, left ? "left" : "right"),
               NotationFault::name);
  const auto dots =
      std::count_if(groups.begin(), groups.end(), [](const Group& g) { return g.ellipsis; });
  if (dots > 1) in.fail("more than one ellipsis");
  return groups;
}

// Ellipses become axes named ...0, ...1: what the shape has and the pattern does not.
void spell_ellipsis(std::vector<Group>& side, std::size_t axes) {
  const auto dots =
      std::find_if(side.begin(), side.end(), [](const Group& g) { return g.ellipsis; });
  if (dots == side.end()) return;
  std::vector<Group> spelled(side.begin(), dots);
  for (std::size_t k = 0; k < axes; ++k) spelled.push_back({{fmt::format("...{}", k)}, false});
  spelled.insert(spelled.end(), dots + 1, side.end());
  side = std::move(spelled);
}

class Sizes {
 public:
  Sizes(Scanner& in, std::string pattern) : in_(in), pattern_(std::move(pattern)) {}

  void read_given() {
    while (in_.accept(",")) {
      const std::size_t at = in_.at();
      const std::string name = in_.name();
      in_.expect("=");
      const std::uint64_t value = in_.number();
      if (value == 0) in_.fail_at(at, "a size of 0");
      if (!sizes_.emplace(name, value).second)
        in_.fail_at(at, fmt::format("'{}' is given twice", name), NotationFault::name);
    }
    in_.expect_end();
  }

  void check_names(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    const auto only = [&](const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const char* side) {
      for (const std::string& name : a)
        if (std::find(b.begin(), b.end(), name) == b.end())
          in_.fail_at(0,
                      fmt::format("'{}' is only on the {}: repeat and reduce are no "
                                  "rearrangements",
                                  name, side),
                      NotationFault::name);
    };
    only(left, right, "left");
    only(right, left, "right");
    for (const auto& [name, size] : sizes_)
      if (std::find(left.begin(), left.end(), name) == left.end())
        in_.fail_at(0, fmt::format("a size for '{}', which is not in the pattern", name),
                    NotationFault::name);
  }

  // One size of each group may be missing.
  void infer(const std::vector<Group>& left, const Shape& shape) {
    for (std::size_t d = 0; d < left.size(); ++d) {
      std::uint64_t known = 1;
      const std::string* missing = nullptr;
      for (const std::string& name : left[d].names) {
        const auto found = sizes_.find(name);
        if (found != sizes_.end()) {
          known = size_product(known, found->second, "elements");
        } else if (missing == nullptr) {
          missing = &name;
        } else {
          in_.fail_at(0, fmt::format("sizes of '{}' and '{}' are both missing", *missing, name),
                      NotationFault::size);
        }
      }
      if (shape[d] % known != 0 || (missing == nullptr && shape[d] != known))
        in_.fail_at(0,
                    fmt::format("axis {} has {} elements, the pattern {}{}", d, shape[d],
                                missing == nullptr ? "" : "a multiple of ", known),
                    NotationFault::size);
      if (missing != nullptr) sizes_[*missing] = shape[d] / known;
    }
  }

  // Without a shape all names need sizes.
  Shape stated(const std::vector<Group>& left) {
    Shape shape;
    for (const Group& group : left) {
      std::uint64_t side = 1;
      for (const std::string& name : group.names) {
        if (sizes_.count(name) == 0)
          in_.fail_at(0, fmt::format("needs the shape of the array, or {}=...", name),
                      NotationFault::size);
        side = size_product(side, sizes_[name], "elements");
      }
      shape.push_back(side);
    }
    return shape;
  }

  std::uint64_t of(const std::string& name) const { return sizes_.at(name); }

  [[noreturn]] void refuse(const std::string& name) const {
    const std::uint64_t size = of(name);
    in_.refuse(LayoutFault::size,
               fmt::format("'{}': {} has {} elements; a bit map moves 2^p. It could stay as the "
                           "first or the last axis",
                           pattern_, name, size));
  }

 private:
  Scanner& in_;
  std::string pattern_;
  std::map<std::string, std::uint64_t> sizes_;
};

// Both sides with every size known.
struct Pattern {
  std::vector<Group> left;
  std::vector<Group> right;
  Shape shape;
  Sizes sizes;
};

// `elements`: of an array whose shape is not known, which then is one axis.
Pattern read_pattern(Scanner& in, const Shape& known, std::optional<std::uint64_t> elements) {
  const std::size_t begin = in.at();
  std::vector<Group> left = read_side(in, true);
  in.expect("->");
  std::vector<Group> right = read_side(in, false);
  Sizes sizes(in, in.words_from(begin));
  sizes.read_given();
  const auto dots = [](const std::vector<Group>& side) {
    return std::any_of(side.begin(), side.end(), [](const Group& g) { return g.ellipsis; });
  };
  if (dots(left) != dots(right)) in.fail_at(0, "an ellipsis on one side only");
  Shape shape = known;
  if (shape.empty() && elements && (left.size() == 1 || dots(left))) shape = {*elements};
  if (dots(left)) {
    if (shape.empty()) shape = shape_of(ForeignSizes{}, in);
    if (shape.size() + 1 < left.size()) shape_of({shape, {}, {}}, in, left.size() - 1);
    const std::size_t axes = shape.size() + 1 - left.size();
    spell_ellipsis(left, axes);
    spell_ellipsis(right, axes);
  }
  sizes.check_names(all_names(left), all_names(right));
  if (shape.empty() && !left.empty()) shape = sizes.stated(left);
  if (shape.size() != left.size()) shape_of({shape, {}, {}}, in, left.size());
  sizes.infer(left, shape);
  return {std::move(left), std::move(right), std::move(shape), std::move(sizes)};
}

}  // namespace

ForeignLayout read_einops(Scanner& in, const ForeignSizes& given) {
  std::optional<std::uint64_t> elements;
  if (given.width) elements = bit(std::min(*given.width, 62));
  const Pattern pattern = read_pattern(in, given.shape, elements);
  const Sizes& sizes = pattern.sizes;
  const Shape& shape = pattern.shape;
  const std::vector<std::string> from = all_names(pattern.left);
  for (const std::string& name : from)
    if (!is_power_of_two(sizes.of(name))) sizes.refuse(name);
  std::map<std::string, Forms> bits;
  std::vector<Field> fields;
  Shape sides;
  for (const std::string& name : from) sides.push_back(sizes.of(name));
  const std::vector<Forms> axes = axis_bits(sides, in);
  for (std::size_t k = 0; k < from.size(); ++k) {
    bits[from[k]] = axes[k];
    const bool nameless = from[k].starts_with("...");
    fields.push_back({nameless ? fmt::format("x{}", from[k].substr(3)) : from[k],
                      static_cast<int>(axes[k].size())});
  }
  Forms destination;
  for (const std::string& name : all_names(pattern.right)) append(destination, bits[name]);
  return plain(destination, shape, std::move(fields), in);
}

EinopsWords read_einops_words(Scanner& in, const Shape& shape,
                              std::optional<std::uint64_t> elements) {
  const Pattern pattern = read_pattern(in, shape, elements);
  EinopsWords result;
  result.names = all_names(pattern.left);
  for (const std::string& name : result.names) result.moved.split.push_back(pattern.sizes.of(name));
  for (const Group& group : pattern.right) {
    std::uint64_t side = 1;
    for (const std::string& name : group.names) {
      side *= pattern.sizes.of(name);
      const auto found = std::find(result.names.begin(), result.names.end(), name);
      result.moved.order.push_back(static_cast<std::size_t>(found - result.names.begin()));
    }
    result.moved.joined.push_back(side);
  }
  return result;
}

}  // namespace faro::inline v1::layouts

namespace faro::inline v1 {

Rearrangement einops_rearrangement(std::string_view text, const std::vector<std::uint64_t>& shape) {
  layouts::Scanner in(text, 0, "einops");
  return layouts::read_einops_words(in, shape, {}).moved;
}

}  // namespace faro::inline v1
