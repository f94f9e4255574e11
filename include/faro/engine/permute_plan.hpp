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

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/map.hpp"
#include "faro/base/progress.hpp"

// What a caller may ask of the engine. Every default is the right one for most callers.

namespace faro::inline v1 {

// The machine instructions of the kernels. `automatic` takes the best the CPU has; the others are
// for tests and comparisons, and are refused with Error(impossible) where the CPU lacks them.
enum class Simd { automatic, scalar, sse4, avx2, avx512, neon };

// Streaming (non-temporal) stores pass the cache by: right when the data does not fit it.
enum class Stores { automatic, ordinary, streaming };

struct PermuteOptions {
  // 0 asks for as many as OMP_NUM_THREADS says, or else as the process may run at once (affinity,
  // the container's quota). A thread for every 512 KiB of data and for every such core at most is
  // used, whatever is asked; the bytes written do not depend on the count.
  int threads = 1;
  Simd simd = Simd::automatic;
  Stores stores = Stores::automatic;
  // In place, arrays of any length: also what has to be moved unit by unit along its cycles.
  bool slow_in_place = false;
};

// What one call moves. The map acts on the middle axis of an array of shape
//
//   outer x 2^p x inner        (row-major, elements of element_bytes)
//
// so outer = 1, inner = 1 is the plain array, and transposing axis 1 of a 5 x 1024 x 3 array of
// doubles has outer = 5, p = 10, inner = 3, element_bytes = 8.
struct PermuteShape {
  std::uint64_t element_bytes = 1;
  std::uint64_t outer = 1;
  std::uint64_t inner = 1;
};

// Where the elements of an array are in its buffer: element (i, j, ..) begins
//
//   offset + i * strides[0] + j * strides[1] + ..        bytes from the beginning.
//
// Strides may be negative, and at a source 0; those of a destination must keep the elements apart,
// each axis beyond all that is within the axes of smaller strides.
struct ArrayPlaces {
  std::vector<std::uint64_t> shape;   // empty: one axis of all elements
  std::vector<std::int64_t> strides;  // empty: C order without gaps
  std::uint64_t offset = 0;
};

// What one call of a tensor map moves.
struct TensorShape {
  std::uint64_t element_bytes = 1;
  ArrayPlaces from;
  ArrayPlaces to;
};

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

// Rearranges an array in memory: to[map(i)] = from[i].
//
//   std::vector<double> from(1024), to(1024);
//   permute(map, from, to);                          out of place
//   permute_in_place("r:5 c:5 -> c r", from);        in place; a map may be words
//
// Vectors, arrays, spans and C arrays of any type that is copied as bytes.
//
// Axes of any lengths (`r=3 c=4 -> c r`) and any invertible affine map of index bits, at the speed
// that memory allows: every cache line is read once and written once. To permute many arrays alike
// make a PermutePlan once (faro/engine/permute_plan.hpp); planning costs some microseconds.
//
// The spans must have exactly map.elements() elements and must not overlap, else Error(usage).
// Buffers need no alignment.

// outer x 2^width x inner elements; see PermuteShape. The spans' sizes must be that product.
void permute_bytes(const BitMap& map, const PermuteShape& shape, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options = {});
void permute_bytes_in_place(const BitMap& map, const PermuteShape& shape, std::span<std::byte> data,
                            const PermuteOptions& options = {});

// All the elements are moved.
void permute_bytes(const Map& map, std::uint64_t element_bytes, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options = {});
// In place what would move single elements along cycles is Error(impossible).
void permute_bytes_in_place(const Map& map, std::uint64_t element_bytes, std::span<std::byte> data,
                            const PermuteOptions& options = {});

// The map that a text says for so many elements; throws what say does.
Map map_of(std::string_view text, std::size_t elements);

template <class T>
requires std::is_trivially_copyable_v<T>
void permute(const Map& map, std::span<const T> from, std::span<T> to,
             const PermuteOptions& options = {}) {
  permute_bytes(map, sizeof(T), std::as_bytes(from), std::as_writable_bytes(to), options);
}

template <class T>
requires std::is_trivially_copyable_v<T>
void permute_in_place(const Map& map, std::span<T> data, const PermuteOptions& options = {}) {
  permute_bytes_in_place(map, sizeof(T), std::as_writable_bytes(data), options);
}

// What a span can show: the type of its elements.
template <class Elements>
using ElementOf = std::remove_reference_t<decltype(*std::data(std::declval<Elements&>()))>;
template <class Elements>
concept Contiguous = requires(Elements& elements) {
  std::data(elements);
  std::size(elements);
}
&&std::is_trivially_copyable_v<std::remove_cv_t<ElementOf<Elements>>>;

template <Contiguous From, Contiguous To>
requires std::same_as<std::remove_cv_t<ElementOf<const From>>, ElementOf<To>>
void permute(const Map& map, const From& from, To&& to, const PermuteOptions& options = {}) {
  using T = ElementOf<To>;
  permute<T>(map, std::span<const T>(std::data(from), std::size(from)),
             std::span<T>(std::data(to), std::size(to)), options);
}
template <Contiguous From, Contiguous To>
requires std::same_as<std::remove_cv_t<ElementOf<const From>>, ElementOf<To>>
void permute(std::string_view map, const From& from, To&& to, const PermuteOptions& options = {}) {
  permute(map_of(map, std::size(from)), from, to, options);
}

template <Contiguous Data>
void permute_in_place(const Map& map, Data&& data, const PermuteOptions& options = {}) {
  using T = ElementOf<Data>;
  permute_in_place<T>(map, std::span<T>(std::data(data), std::size(data)), options);
}
template <Contiguous Data>
void permute_in_place(std::string_view map, Data&& data, const PermuteOptions& options = {}) {
  permute_in_place(map_of(map, std::size(data)), data, options);
}

// The machine that the engine finds itself on, and what it makes of it. Only speed depends on
// this: the bytes written never do.
//
//   machine_facts().cpu                          "Intel(R) Xeon(R) Processor"
//   machine_tuning().ordinary_bytes_max          16777215
//   use_machine_tuning(measure_machine());       what `faro tune` saves, for this process alone
//
// Plans take the tuning in effect when they are made:
//
//   1. what use_machine_tuning was given, else
//   2. the file that the environment variable FARO_MACHINE names, else
//      $XDG_CONFIG_HOME/faro/machine, else ~/.config/faro/machine, if it was measured on this CPU;
//      looked for once, and passed over where it is missing or malformed (origin says so), else
//   3. what is built in, by the second cache and by vectors against a line; never by maker.
//
// Nothing is measured unless somebody calls measure_machine or runs `faro tune`. The file has a
// line for each number:
//
//   faro-machine 1
//   cpu Intel(R) Xeon(R) Processor
//   ordinary_bytes_max 8388608
//   stage_sources no
//   lines_ahead 64
//   in_place_blocks no

// 0 and empty where the system does not tell.
struct MachineFacts {
  std::string maker;           // "GenuineIntel", "AuthenticAMD", on ARM "implementer 0x41"
  std::string cpu;             // the model's name
  std::uint64_t l1_bytes = 0;  // of data, one core's
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;  // as reported, shared with whom nobody tells
  std::uint64_t page_bytes = 0;
  int cores = 1;                     // that this process may use
  std::vector<std::string> kernels;  // the kernel sets that run here, the best last
};
MachineFacts machine_facts();

struct MachineTuning {
  // Calls that move more bytes stream: their stores pass the caches by.
  std::uint64_t ordinary_bytes_max = 0;
  // Whether a source that would be read in short runs is copied in page by page first, or read
  // directly with prefetches. Elements of 1 byte are staged either way.
  bool stage_sources = false;
  // How many lines ahead a source that is read directly is prefetched.
  std::uint32_t lines_ahead = 0;
  // In place, large: whole blocks of pages change places rather than tiles.
  bool in_place_blocks = false;
  std::string origin;  // "built in for a second cache of 1024 KiB", "measured", a file's name
};

// For CPUs whose core has so large a second cache (0: not known), and widest vectors of so many
// bytes.
MachineTuning built_in_tuning(std::uint64_t l2_bytes, std::uint64_t vector_bytes = 64);

MachineTuning machine_tuning();
// From now on. Throws Error(usage) for numbers out of range: lines_ahead at most 1024.
void use_machine_tuning(const MachineTuning& tuning);

// Where `faro tune` saves and plans look; empty where no variable says a place.
std::string machine_tuning_path();
std::string tuning_text(const MachineTuning& tuning, std::string_view cpu);
// Throws Error(usage) with the line that is wrong, Error(impossible) if it is of another CPU.
MachineTuning tuning_from_text(std::string_view text, std::string_view cpu);

// Measures some ten seconds on one thread, with two buffers of buffer_bytes (a power of two from
// 2^24 on; what is measured on less than 2^28 says little of large arrays). `progress` hears of
// steps. What other work on the machine disturbs, measure again.
MachineTuning measure_machine(std::uint64_t buffer_bytes = std::uint64_t{1} << 28U,
                              const Progress& progress = {});

}  // namespace faro::inline v1
