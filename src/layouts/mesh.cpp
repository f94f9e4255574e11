#include "layouts/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "layouts/fitting.hpp"

namespace faro::inline v1::layouts {
namespace {

constexpr std::size_t devices_shown_max = 16;

std::string list_text(const std::vector<std::uint64_t>& devices) {
  if (devices.size() <= devices_shown_max) return fmt::format("{}", fmt::join(devices, ","));
  return fmt::format("{},...",
                     fmt::join(devices.begin(), devices.begin() + devices_shown_max, ","));
}

// "tiles 0, 2, 4" or "tile 0".
std::string tiles_that_say(Word tile) {
  std::string text = "0";
  int count = 1;
  for (Word left = tile; left != 0; left &= left - 1, ++count)
    text += fmt::format(", {}", bit(lowest_bit(left)));
  return fmt::format("{} {} {}", count == 1 ? "tile" : "tiles", text, count == 1 ? "says" : "say");
}

void check_list(const std::vector<std::uint64_t>& devices, const Scanner& in) {
  std::vector<bool> taken(devices.size());
  for (std::size_t t = 0; t < devices.size(); ++t) {
    if (devices[t] >= devices.size())
      in.refuse(LayoutFault::holes, fmt::format("device {} in a list of {}: they are not 0 to {}",
                                                devices[t], devices.size(), devices.size() - 1));
    if (taken[devices[t]])
      in.refuse(LayoutFault::overlap, fmt::format("device {} is in the list twice", devices[t]));
    taken[devices[t]] = true;
  }
}

}  // namespace

std::uint64_t Mesh::size() const {
  std::uint64_t product = 1;
  for (const MeshAxis& axis : axes) product = size_product(product, axis.size, "devices");
  return product;
}

Forms image_of(const Forms& forms, const BitMatrix& matrix, Word complement) {
  const std::size_t width = forms.size();
  Forms result;
  for (std::size_t k = 0; k < width; ++k) {
    const int row = static_cast<int>(width - 1 - k);
    Form sum{0, has_bit(complement, row)};
    for (Word left = matrix.row(row); left != 0; left &= left - 1) {
      const Form& part = forms[width - 1 - static_cast<std::size_t>(lowest_bit(left))];
      sum.mask ^= part.mask;
      sum.inverted = sum.inverted != part.inverted;
    }
    result.push_back(sum);
  }
  return result;
}

Forms devices_at(const Forms& positions, const std::vector<std::uint64_t>& devices,
                 const Scanner& in) {
  if (devices.empty()) return positions;
  log2_or_refuse(devices.size(), "the number of devices is", in);
  check_list(devices, in);
  const Candidate found = candidate_of(devices);
  if (found.denied_at) {
    const Word tile = *found.denied_at;
    const Word expected = found.matrix.apply(tile) ^ found.complement;
    throw NotAffine(
        tile, devices[tile], expected,
        fmt::format("{}: devices {} are no bit map: tile {} is on {}; {} {}. As destinations: faro "
                    "plan --destinations",
                    in.system(), list_text(devices), tile, devices[tile], tiles_that_say(tile),
                    expected));
  }
  return image_of(positions, found.matrix, found.complement);
}

void refuse_uneven(std::size_t axis, std::uint64_t length, std::uint64_t parts, const char* holders,
                   const Scanner& in) {
  const std::uint64_t piece = (length + parts - 1) / parts;
  std::string held;
  for (std::uint64_t k = 0; k < parts && k < 9; ++k) {
    if (k == 8) {
      held += ", ...";
      break;
    }
    const std::uint64_t before = std::min(length, k * piece);
    held += fmt::format("{}{}", k == 0 ? "" : ", ", std::min(length, before + piece) - before);
  }
  // The nearest lengths that divide: one below, one above, the next power of two; those that are no
  // power of two are marked.
  std::vector<std::uint64_t> even;
  std::uint64_t power = 1;
  while (power < length || power < parts) power *= 2;
  for (const std::uint64_t n : {length / parts * parts, piece * parts, power})
    if (n > 0 && n % parts == 0 && std::find(even.begin(), even.end(), n) == even.end())
      even.push_back(n);
  std::string better;
  for (std::size_t k = 0; k < even.size(); ++k)
    better += fmt::format("{}{}{}", k == 0 ? "" : (k + 1 == even.size() ? " or " : ", "), even[k],
                          is_power_of_two(even[k]) ? "" : "*");
  std::string note;
  for (const std::uint64_t n : even)
    if (!is_power_of_two(n)) note += fmt::format("{}{}", note.empty() ? "" : ", ", n);
  if (!note.empty()) note = fmt::format(" (* {} is no power of two)", note);
  in.refuse(LayoutFault::uneven,
            fmt::format("axis {} of {} over {} {}: they hold {} (uneven); {} would be even{}", axis,
                        length, parts, holders, held, better.empty() ? "no length" : better, note));
}

Sharding::Sharding(const Mesh& mesh, Shape shape, const Scanner& in)
    : mesh_(mesh), shape_(std::move(shape)), in_(in) {
  for (const MeshAxis& axis : mesh.axes) {
    mesh_bits_.push_back(log2_or_refuse(
        axis.size,
        axis.name.empty() ? "a mesh axis has" : fmt::format("mesh axis '{}' has", axis.name), in));
    position_.emplace_back(static_cast<std::size_t>(mesh_bits_.back()));
  }
  if (!mesh.devices.empty() && mesh.devices.size() != mesh.size())
    in.fail_at(
        0, fmt::format("{} devices are listed, the mesh has {}", mesh.devices.size(), mesh.size()),
        NotationFault::size);
  parts_.assign(shape_.size(), 1);
  // Whether lengths divide is asked first: it is what the other system says too.
  left_.resize(shape_.size());
  int low = 0;
  for (const std::uint64_t side : shape_) low += is_power_of_two(side) ? log2_exact(side) : 0;
  if (low > word_bits) axis_bits(shape_, in);  // refuses
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (!is_power_of_two(shape_[d])) continue;
    low -= log2_exact(shape_[d]);
    left_[d] = source_bits(low, log2_exact(shape_[d]));
  }
}

int Sharding::mesh_bits(std::size_t mesh_axis) const {
  return mesh_bits_[mesh_axis];
}

void Sharding::cut(std::size_t axis, std::size_t mesh_axis) {
  cut(axis, mesh_axis, 0, mesh_bits_[mesh_axis]);
}

void Sharding::cut(std::size_t axis, std::size_t mesh_axis, int first, int count, int skip) {
  if (axis >= shape_.size())
    in_.fail_at(0, fmt::format("axis {} of an array of shape {}", axis, shape_text(shape_)),
                NotationFault::range);
  parts_[axis] *= bit(count);
  const std::uint64_t length = shape_[axis];
  if (length % parts_[axis] != 0) refuse_uneven(axis, length, parts_[axis], "devices", in_);
  log2_or_refuse(length, fmt::format("axis {} has", axis), in_);
  Forms& left = left_[axis];
  if (static_cast<int>(left.size()) < skip + count)
    refuse_uneven(axis, length, parts_[axis] * bit(skip), "devices", in_);
  for (int k = 0; k < count; ++k) {
    auto& place = position_[mesh_axis][static_cast<std::size_t>(first + k)];
    if (place)
      in_.fail_at(0, fmt::format("mesh axis '{}' cuts twice", mesh_.axes[mesh_axis].name),
                  NotationFault::name);
    place = left[static_cast<std::size_t>(skip + k)];
  }
  left.erase(left.begin() + skip, left.begin() + skip + count);
}

ForeignLayout Sharding::layout() const {
  const int index_bits = static_cast<int>(joined(axis_bits(shape_, in_)).size());
  int replica_bits = 0;
  int positions_bits = 0;
  for (const auto& axis : position_) {
    positions_bits += static_cast<int>(axis.size());
    for (const auto& place : axis) replica_bits += place ? 0 : 1;
  }
  if (positions_bits > limits::machine_bits_max || index_bits + replica_bits > word_bits)
    throw Error(ErrorCode::limit, fmt::format("{}: more than 2^{} devices, or copies of more than "
                                              "2^64 elements",
                                              in_.system(), limits::machine_bits_max));
  int replica = index_bits + replica_bits;
  Forms positions;
  for (const auto& axis : position_)
    for (const auto& place : axis)
      positions.push_back(place ? *place : Form{bit(--replica), false});
  return placed(devices_at(positions, mesh_.devices, in_), joined(left_), replica_bits, shape_,
                in_);
}

}  // namespace faro::inline v1::layouts
