#include "layouts/placement_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

// An affine map from (replica of the destination | index), as rows above rows: how many arguments
// give one value.
class Fibres {
 public:
  Fibres(int columns, std::vector<Word> images, Word constant)
      : columns_(columns), images_(std::move(images)), constant_(constant) {
    basis_ = reduced_basis(images_);
  }
  // log2 of the arguments with this value, nothing if there are none.
  std::optional<int> log2_count(Word value) const {
    if (reduce(value ^ constant_, basis_) != 0) return {};
    return columns_ - static_cast<int>(basis_.size());
  }

 private:
  int columns_;
  std::vector<Word> images_;
  Word constant_;
  std::vector<Word> basis_;
};

// The devices of both sides as affine functions of (replica of `to` | index), replicas of `to` that
// lie on one device counted once.
struct Devices {
  int columns = 0;       // arguments: distinct needs
  std::vector<Word> to;  // device that needs the element
  Word to_constant = 0;
  std::vector<Word> source;  // device that it comes from
  Word source_constant = 0;
};

std::vector<Word> device_columns(const Placement& p, int first, int end) {
  std::vector<Word> columns;
  if (p.device_bits() == 0) return std::vector<Word>(static_cast<std::size_t>(end - first), 0);
  for (int b = first; b < end; ++b) columns.push_back(p.map().column(b) >> p.memory_bits());
  return columns;
}

Word device_constant(const Placement& p) {
  return p.device_bits() == 0 ? 0 : p.map().complement() >> p.memory_bits();
}

// Of all copies of an element, that on the device which agrees with d where the copies differ:
// reduce(x ^ d, V) ^ d, linear in (x, d). For d itself among the copies it is d.
Devices devices_of(const Placement& from, const Placement& to) {
  Devices result;
  const int index_bits = to.index_bits();
  const std::vector<Word> copies =
      reduced_basis(device_columns(from, index_bits, index_bits + from.replica_bits()));
  // Copies within one device's memory are no business of the network.
  const std::vector<Word> needs =
      reduced_basis(device_columns(to, index_bits, index_bits + to.replica_bits()));
  result.columns = index_bits + static_cast<int>(needs.size());
  const auto nearest = [&](Word x, Word d) { return reduce(x ^ d, copies) ^ d; };
  const std::vector<Word> at_from = device_columns(from, 0, index_bits);
  const std::vector<Word> at_to = device_columns(to, 0, index_bits);
  for (std::size_t b = 0; b < at_to.size(); ++b) {
    result.to.push_back(at_to[b]);
    result.source.push_back(nearest(at_from[b], at_to[b]));
  }
  for (const Word d : needs) {
    result.to.push_back(d);
    result.source.push_back(nearest(0, d));
  }
  result.to_constant = device_constant(to);
  result.source_constant = nearest(device_constant(from), result.to_constant);
  return result;
}

Count power(int log2) {
  return Count{1} << static_cast<unsigned>(log2);
}

void count_by_device(const Devices& devices, int device_bits, Traffic& traffic) {
  // Both together: the element stays where source and destination are one device. The difference is
  // put above the device, so that one fibre says both.
  std::vector<Word> stays;
  for (std::size_t k = 0; k < devices.to.size(); ++k)
    stays.push_back(((devices.to[k] ^ devices.source[k]) << device_bits) | devices.to[k]);
  const Word constant =
      ((devices.to_constant ^ devices.source_constant) << device_bits) | devices.to_constant;
  const Fibres needed(devices.columns, devices.to, devices.to_constant);
  const Fibres given(devices.columns, devices.source, devices.source_constant);
  const Fibres kept(devices.columns, stays, constant);
  const auto elements = [](std::optional<int> log2) {
    return log2 && *log2 < word_bits ? bit(*log2) : std::uint64_t{0};
  };
  for (Word d = 0; d < bit(device_bits); ++d) {
    const std::uint64_t stay = elements(kept.log2_count(d));
    traffic.kept_by_device.push_back(stay);
    traffic.sent_by_device.push_back(elements(given.log2_count(d)) - stay);
    traffic.received_by_device.push_back(elements(needed.log2_count(d)) - stay);
  }
}

}  // namespace

PlacementMove::PlacementMove(Placement from, Placement to)
    : from_(std::move(from)), to_(std::move(to)) {
  if (from_.index_bits() != to_.index_bits())
    throw Error(ErrorCode::usage, fmt::format("a move from 2^{} elements to 2^{}",
                                              from_.index_bits(), to_.index_bits()));
}

std::optional<Notation> PlacementMove::map() const {
  if (from_.replica_bits() != 0 || to_.replica_bits() != 0) return {};
  if (from_.device_bits() != to_.device_bits()) return {};
  Notation result;
  result.map = then(from_.map().inverse(), to_.map());
  result.cut = {Cut::Kind::both, from_.device_bits()};
  result.fields = {{"p", from_.device_bits()}, {"m", from_.memory_bits()}};
  return result;
}

Notation PlacementMove::map_or_refuse() const {
  if (auto notation = map()) return *notation;
  const Traffic moved = traffic();
  if (from_.device_bits() != to_.device_bits())
    throw NotExpressible(
        "move", LayoutFault::uneven,
        fmt::format("{} devices become {}, whose memories hold other numbers of elements: no "
                    "permutation of places, so no schedule. By their numbers, {} elements stay on "
                    "their devices and {} must be delivered; 'faro explain' says how many each "
                    "device sends and receives, 'faro plan --on ranks:{}' in which messages",
                    bit(from_.device_bits()), bit(to_.device_bits()), to_string(moved.kept),
                    to_string(moved.received),
                    bit(std::max(from_.device_bits(), to_.device_bits()))));
  throw NotExpressible(
      "move", LayoutFault::replicated,
      fmt::format("2^{} copies become 2^{}: no permutation of elements, so no schedule yet; {} "
                  "elements stay on their devices, {} must be delivered",
                  from_.replica_bits(), to_.replica_bits(), to_string(moved.kept),
                  to_string(moved.received)));
}

Traffic PlacementMove::traffic() const {
  const Devices devices = devices_of(from_, to_);
  std::vector<Word> differences;
  for (std::size_t k = 0; k < devices.to.size(); ++k)
    differences.push_back(devices.to[k] ^ devices.source[k]);
  const Fibres apart(devices.columns, differences, devices.to_constant ^ devices.source_constant);
  Traffic traffic;
  const auto stay = apart.log2_count(0);
  traffic.kept = stay ? power(*stay) : Count{0};
  traffic.received = power(devices.columns) - traffic.kept;
  const int device_bits = std::max(from_.device_bits(), to_.device_bits());
  if (device_bits <= limits::layout_listed_devices_log2_max)
    count_by_device(devices, device_bits, traffic);
  return traffic;
}

}  // namespace faro::inline v1
