// A plan for one map, shape and set of options: made once, executed many times.
//
//   const auto plan = PermutePlan::out_of_place(map, {.element_bytes = 8}, {.threads = 2});
//   plan.execute(from, to);
//   fmt::print("{}", plan.describe());     passes, tiles, bytes moved, kernels, stores, and why
//
// Maps of bits, or tensor maps between arrays of any strides (6001 x 6001 doubles, transposed, from
// the middle of a wider array):
//
//   const auto map = Map::from_axes(std::array<Word, 2>{6001, 6001}, std::array{1, 0});
//   PermutePlan::out_of_place(map, {.element_bytes = 8,
//                                   .from = {{6001, 6001}, {65536, 8}, 4096},
//                                   .to = {}});
//
// Immutable: any number of threads may execute one plan at the same time, on different data.
// A plan holds no pointers to data and no buffer; an execution takes what working memory it needs
// (working_bytes, some KiB a thread) and gives it back.
//
// In place: an involution takes one pass, any permutation of bits with complements and any Gray
// code two, almost every other affine map three and none more than seven (PlanFacts::passes says),
// or two with a scratch buffer of the data's size (execute_through). Up to 16 KiB the stack is that
// buffer. Small arrays go by a table of places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/map.hpp"
#include "faro/base/progress.hpp"
#include "faro/engine/options.hpp"

namespace faro::inline v1 {

namespace engine {
struct Exchange;
struct Motion;
struct NormalForm;
struct Pass;
class SmallTable;
enum class Place;
}  // namespace engine

// One pass over the data, as planned. Bytes are per tile unless said otherwise.
struct PassFacts {
  // "bits", "elements", "table", or a way of arrays of any length, out of place or in place:
  // docs/engine.md.
  std::string method;
  std::string kernel;  // "avx512 4 registers", "copy", "elements of 12 bytes", ...
  std::string reason;  // why these stores and stages
  Stores stores = Stores::ordinary;
  std::uint64_t tile_bytes = 0;
  std::uint64_t tiles = 0;
  std::uint64_t from_run_bytes = 0;  // contiguous bytes read at a time
  std::uint64_t to_run_bytes = 0;    // contiguous bytes written at a time
};

struct PlanFacts {
  std::vector<PassFacts> passes;
  std::uint64_t data_bytes = 0;
  std::uint64_t from_bytes = 0;     // what the buffers must have; more than data_bytes where arrays
  std::uint64_t to_bytes = 0;       // have gaps
  std::uint64_t bytes_moved = 0;    // read and written, all passes
  std::uint64_t working_bytes = 0;  // taken during an execution, all threads together
  int threads = 1;
  bool in_place = false;
};

class PermutePlan {
 public:
  // Throw Error(usage) for a shape of no bytes per element, Error(limit) if the data would not fit
  // an address, Error(impossible) for a kernel set that the CPU lacks.
  static PermutePlan out_of_place(const BitMap& map, const PermuteShape& shape = {},
                                  const PermuteOptions& options = {});
  // Also Error(usage) for arrays that are not the map's and destinations that overlap themselves,
  // Error(impossible) where the arrays' axes cut the map's digits.
  static PermutePlan out_of_place(const Map& map, const TensorShape& shape,
                                  const PermuteOptions& options = {});
  static PermutePlan in_place(const BitMap& map, const PermuteShape& shape = {},
                              const PermuteOptions& options = {});
  // An array that keeps its strides (shape.to may be left out). Involutions take one pass, and so
  // do maps of arrays without gaps that keep runs of 1 KiB and more together, and any map of 16 KiB
  // or less; transposes whose one side is a multiple of the other take two, if the rows of the
  // squares are such runs. Each digit that is rolled takes one more (of an array without gaps).
  // Error(impossible) for others, unless options.slow_in_place lets single units follow their
  // cycles.
  static PermutePlan in_place(const Map& map, const TensorShape& shape,
                              const PermuteOptions& options = {});
  // Times the candidate ways on the caller's own buffers and keeps the fastest. Overwrites `to`
  // (with the right result). Before each run `to` is read once, so that each finds it in the caches
  // as far as it fits them. The plan may differ from run to run; its results never do.
  static PermutePlan measured(const BitMap& map, const PermuteShape& shape,
                              std::span<const std::byte> from, std::span<std::byte> to,
                              const PermuteOptions& options = {});

  // The same in place; `data` is left permuted, once.
  static PermutePlan measured_in_place(const BitMap& map, const PermuteShape& shape,
                                       std::span<std::byte> data,
                                       const PermuteOptions& options = {});

  PermutePlan(const PermutePlan&);
  PermutePlan& operator=(const PermutePlan&);
  PermutePlan(PermutePlan&&) noexcept;
  PermutePlan& operator=(PermutePlan&&) noexcept;
  ~PermutePlan();

  std::uint64_t data_bytes() const;
  const PlanFacts& facts() const;
  std::string describe() const;

  // The spans must have from_bytes and to_bytes (at least, where arrays have gaps or an offset) and
  // must not overlap, else Error(usage). `progress`, if
  // given, hears of bytes written; asking it to stop leaves `to` half written.
  void execute(std::span<const std::byte> from, std::span<std::byte> to,
               const Progress& progress = {}) const;
  // Requires a plan made by in_place; of arrays with gaps, a span of from_bytes at least.
  void execute_in_place(std::span<std::byte> data, const Progress& progress = {}) const;
  // In place by way of `scratch` (data_bytes() bytes): permuted into it and copied back by the
  // plan's threads, two passes whatever the map. Requires a plan made by out_of_place; the right
  // way for plans in place of three passes and more, where memory allows.
  void execute_through(std::span<std::byte> data, std::span<std::byte> scratch) const;

 private:
  struct State;
  explicit PermutePlan(std::shared_ptr<const State> state);
  static PermutePlan make(engine::Motion motion);
  static PermutePlan make(engine::SmallTable table);
  static std::shared_ptr<State> unshared(const PermutePlan& plan);
  static PermutePlan by_stack(const PermutePlan& apart);
  static PermutePlan make(const engine::NormalForm& form, std::vector<engine::Exchange> exchanges);
  static PermutePlan make(const BitMap& map, const PermuteShape& shape,
                          std::vector<engine::Pass> passes, engine::Place place);
  std::shared_ptr<const State> state_;
};

}  // namespace faro::inline v1
