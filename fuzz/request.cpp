// Any bytes as what a caller may hand to the library: requests of every kind, maps and spaces made
// of numbers, layouts in words, transforms and permutations of spans of any size. Every one is
// refused with an Error in words, or done; a plan is verified, and its schedule is written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/algebra/layout.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "faro/transforms/transform.hpp"
#include "fuzz.hpp"
#include "layouts/foreign.hpp"

namespace {

using namespace faro;
using fuzz::Bytes;

std::vector<Word> some(Bytes& bytes, std::uint64_t most) {
  return bytes.numbers(bytes.below(most + 1));
}

Machine machine_of(Bytes& bytes) {
  switch (bytes.below(5)) {
    case 0:
      // All, one, and any number of ports, of which most are no machine's.
      return Hypercube{bytes.integer(), Hypercube::Ports{bytes.integer()}};
    case 1:
      return Mesh{.sides_log2 = {bytes.integer(), bytes.integer()},
                  .wrap = static_cast<Mesh::Wrap>(bytes.below(3)),
                  .links = static_cast<Mesh::Links>(bytes.below(2))};
    case 2:
      return Pops{bytes.number(), bytes.number(), bytes.below(2) == 1};
    case 3:
      if (bytes.below(2) == 0) return Crossbar{bytes.integer()};
      return Crossbar{bytes.integer(), {{bytes.integer(), bytes.integer()}}};
    default:
      return machine_from(bytes.text());
  }
}

BitMap map_of(Bytes& bytes) {
  switch (bytes.below(6)) {
    case 0:
      return BitMap::from_columns(some(bytes, 8), bytes.number());
    case 1: {
      std::vector<int> places(bytes.below(9));
      for (int& place : places) place = bytes.integer();
      return BitMap::from_places(places, bytes.number());
    }
    case 2:
      return gray_map(bytes.integer());
    case 3:
      return ungray_map(bytes.integer());
    case 4:
      return place_of({.allocation = static_cast<Allocation>(bytes.below(2)),
                       .encoding = static_cast<Encoding>(bytes.below(4)),
                       .processor_bits = bytes.integer(),
                       .memory_bits = bytes.integer()});
    default: {
      const BitMap one = map_of(bytes);
      return bytes.below(2) == 0 ? then(one, map_of(bytes)) : beside(one, map_of(bytes));
    }
  }
}

Question question_of(Bytes& bytes) {
  switch (bytes.below(7)) {
    case 0: {
      MapGoal goal;
      goal.map = map_of(bytes);
      goal.memory_bits = bytes.integer();
      return goal;
    }
    case 1:
      return Destinations{some(bytes, 20)};
    case 2:
      return Relation{some(bytes, 40)};
    case 3:
    case 4: {
      ButterflyNetwork network;
      network.index_bits = bytes.integer();
      network.allocation = static_cast<Allocation>(bytes.below(2));
      network.encoding = static_cast<Encoding>(bytes.below(4));
      network.order = static_cast<ButterflyGoal::Order>(bytes.below(2));
      network.output = static_cast<ButterflyNetwork::Output>(bytes.below(3));
      network.finish = static_cast<ButterflyNetwork::Finish>(bytes.below(2));
      network.section_bits = bytes.integer();
      if (bytes.below(2) == 0) return BitonicSort{network};
      return network;
    }
    case 5:
      return MatrixProduct{bytes.number()};
    default:
      return Broadcast{static_cast<Broadcast::Kind>(bytes.below(3)), bytes.number()};
  }
}

// Plans only what is done at once; how long plans may take is no matter of this target.
bool small(const Request& request) {
  return processors(request.machine()) <= 16 && request.elements() <= 16;
}

void planned(const Request& request) {
  if (!request.moves() || !small(request)) return;
  const MachinePlan made = plan(request);
  if (!made.ok()) std::abort();
  TextSink sink;
  JsonWriter writer(sink);
  made.push(writer);
}

void spaces(Bytes& bytes) {
  const auto space = [&] {
    std::vector<Parity> parities(bytes.below(4));
    for (Parity& parity : parities)
      parity = {bytes.number(), static_cast<unsigned>(bytes.below(3))};
    return AffineSpace::where(bytes.integer(), parities);
  };
  const AffineSpace one = space();
  const AffineSpace other = space();
  std::uint64_t size = 0;
  for (const AffineSpace& piece : one.minus(other))
    size += piece.empty() ? 0 : bit(piece.dimension());
  const AffineSpace both = one.meet(other);
  if (!both.empty()) size += bit(both.dimension());
  if (size != (one.empty() ? 0 : bit(one.dimension()))) std::abort();
  one.image(map_of(bytes));
}

void transformed(Bytes& bytes) {
  constexpr const char* types[] = {"<f8", ">f4", "<i4", "|u1", "<c16", "<u8", ">i2", "f8", "<f9"};
  ArrayTransform transform;
  transform.kind = static_cast<TransformKind>(bytes.below(8));
  transform.network.processor_bits = bytes.integer();
  const AxisShape shape{bytes.number(), bit(static_cast<int>(bytes.below(8))), bytes.number()};
  if (bytes.below(4) == 0)
    transform.record = ArrayTransform::Record{bytes.number(), bytes.number()};
  const char* type = types[bytes.below(std::size(types))];
  const std::uint64_t count = shape.outer < 40 && shape.inner < 40
                                  ? shape.outer * shape.length * shape.inner
                                  : bytes.number() % 64;
  // Right in half of the cases, so that it runs.
  const bool right = bytes.below(2) == 0;
  std::vector<std::byte> in((right ? count * (transform.record ? transform.record->bytes % 64 : 8)
                                   : bytes.number() % 4096));
  std::vector<std::byte> out(right ? in.size() : bytes.number() % 4096);
  transform_array(transform, type, in, shape, out);
}

void permuted(Bytes& bytes) {
  const BitMap map = map_of(bytes);
  const PermuteShape shape{
      .element_bytes = bytes.number(), .outer = bytes.number(), .inner = bytes.number()};
  std::vector<std::byte> from(bytes.number() % 4096);
  std::vector<std::byte> to(bytes.below(2) == 0 ? from.size() : bytes.number() % 4096);
  permute_bytes(map, shape, from, to);
  permute_bytes_in_place(map, shape, to);
}

void one(Bytes& bytes) {
  switch (bytes.below(7)) {
    case 0: {
      const std::string map = bytes.text();
      const std::string machine = bytes.text();
      planned(Request::of(map, machine, bytes.number()));
      return;
    }
    case 1: {
      ForeignSizes sizes;
      sizes.shape = some(bytes, 4);
      read_foreign(bytes.text(), sizes);
      return;
    }
    case 2:
      spaces(bytes);
      return;
    case 3:
      transformed(bytes);
      return;
    case 4:
      permuted(bytes);
      return;
    default: {
      const Machine machine = machine_of(bytes);
      Question question = question_of(bytes);
      std::optional<std::uint64_t> elements;
      if (bytes.below(2) == 0) elements = bytes.number();
      planned(Request::of(machine, std::move(question), elements));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  return fuzz::done_or_refused([&] { one(bytes); });
}
