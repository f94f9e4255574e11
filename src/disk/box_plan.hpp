// Plans that bring an array of any lengths from one grid of units into another, within a cap of
// memory: chunks, shards, the order of the axes, reversed axes.
//
//   2190 x 721 x 1440 float32, (1, 721, 1440) -> (2190, 72, 144), 1 GiB
//     pass 1    tiles 240 x 721 x 1440    read: planes, whole   written: meets with pass 2
//     pass 2    tiles 2190 x 72 x 1440    read: meets           written: chunks, whole
//
// Everything is in the coordinates of the output, its axes as they lie there (a file in Fortran
// order has its last axis first); of a reversed axis the input's grid has its short block first.
// A pass cuts the array into tiles that memory holds, reads each in the units of the
// layout before and writes it in those of the next, every file once. Between two passes a file for
// each tile holds its meets with the tiles of the next pass, in their order, nothing else.
//
// How few passes there are, and what they cost at least: docs/disk.md, theorems 1 and 2. With
// h(G) the mean over elements of log2 of the size of their unit in G,
//
//   h(P) + h(Q) - h(P.Q) + sum of h(layouts between)  <=  passes * log2(memory)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "disk/box_grid.hpp"
#include "disk/stored_array.hpp"
#include "faro/base/count.hpp"
#include "faro/disk/permute_file.hpp"

namespace faro::inline v1::disk {

struct BoxProblem {
  StoredGrid from;
  StoredGrid to;                    // of the output's axes
  std::vector<std::size_t> axes{};  // axis k of the output is axis axes[k]; empty: as they are
  std::vector<bool> reversed{};     // of the output's axes; empty: none
  std::uint64_t memory_bytes = std::uint64_t{1} << 31U;
  std::uint64_t fixed_bytes = std::uint64_t{48} << 20U;  // of it for all that is no tile or buffer
  DiskProfile profile = DiskProfile::ssd();
  std::uint64_t decode_bytes_per_second = 1'000'000'000;  // of one thread
  std::uint64_t encode_bytes_per_second = 400'000'000;
  int threads = 2;
  int passes = 0;           // exactly so many; 0: what costs least
  bool only_walks = false;  // for tests: one pass along an axis where there is one
};

// How a tile lies in memory: unit after unit as it is read, or as it is written; the other side
// goes through a buffer of one unit a thread.
enum class TileOrder { read, write };

struct BoxPass {
  std::vector<AxisGrid> tile;
  std::optional<std::size_t> walked;  // tiles of a job follow each other on this axis, and keep
                                      // the units that stand over the border
  TileOrder order = TileOrder::read;
  Count tiles;
  Count jobs;
  Count reads;  // requests: units, meets, runs of at most 1 MiB
  Count writes;
  Count bytes_read;  // of elements, decoded, padding left out
  Count bytes_written;
  std::uint64_t tile_bytes = 0;
  std::uint64_t kept_bytes = 0;
  std::uint64_t read_buffer_bytes = 0;  // of one reader
  std::uint64_t write_buffer_bytes = 0;
  std::uint64_t index_bytes = 0;  // of the files that a job keeps open
  int readers = 1;
  int writers = 1;
  std::uint64_t peak_bytes = 0;  // all of it
};

struct BoxBound {
  int passes = 1;  // no plan that reads every unit once has fewer within this memory
  std::string reason;
  double held_log2 = 0;  // D, and the memory in elements
  double memory_log2 = 0;
  std::uint64_t component_bytes = 0;  // what one pass that reads nothing twice must hold
  double reading_again = 1;           // what one pass reads at least, in arrays
  double pieces = 0;                  // between two passes, at least
};

struct BoxFacts {
  std::vector<BoxPass> passes;
  BoxBound bound;
  Count data_bytes;
  Count temporary_bytes;  // on the disk at a time
  std::uint64_t memory_bytes = 0;
  std::uint64_t fixed_bytes = 0;
  int tiles_at_once = 1;  // 2: one is read while the other is written
  double seconds = 0;     // by the profile
  std::string profile;

  std::uint64_t peak_bytes() const;
};

// Grids in the output's coordinates.
struct BoxGrids {
  // Axis i, as the output lies, is axis order_to[i] of the array that it is.
  std::vector<std::size_t> order_to;
  std::vector<std::uint64_t> shape;
  std::vector<AxisGrid> units_from;
  std::vector<AxisGrid> files_from;
  std::vector<AxisGrid> units_to;
  std::vector<AxisGrid> files_to;
  std::vector<std::uint64_t> nominal_from;  // lengths of a unit's buffer, by the output's axes
  std::vector<std::uint64_t> nominal_to;
  // Axis k of the output is number axes[k] of the input's axes as they are stored.
  std::vector<std::size_t> axes;
  std::vector<bool> reversed;
  // The output's axes in the order in which the input's are stored.
  std::vector<std::size_t> order_from;

  static BoxGrids of(const BoxProblem& problem);
};

class BoxPlan {
 public:
  // Throws Error(usage) for grids that do not fit each other, Error(impossible) where memory does
  // not do, naming the least that does.
  static BoxPlan make(const BoxProblem& problem);
  // The plan that `text` from json() says, for a run that goes on.
  static BoxPlan from_json(const BoxProblem& problem, const std::string& text);

  const BoxProblem& problem() const { return problem_; }
  const BoxGrids& grids() const { return grids_; }
  const BoxFacts& facts() const { return facts_; }
  // Jobs of a pass: boxes of tiles that one writer owns whole files of.
  std::vector<AxisGrid> job_grid(std::size_t pass) const;
  // Lines as `--plan` prints them; JSON of format faro-box-plan/1.
  std::string describe() const;
  std::string json() const;

 private:
  void complete();

  BoxProblem problem_;
  BoxGrids grids_;
  BoxFacts facts_;
};

// Requests of a walk over all tiles of a plain file: what is whole from the fastest axis up, in
// pieces of at most 1 MiB (pieces_of).
inline constexpr std::uint64_t run_piece_bytes = std::uint64_t{1} << 20U;
Count run_requests(const std::vector<AxisGrid>& tile, const std::vector<std::size_t>& order,
                   std::uint64_t element_bytes);

BoxBound box_bound(const BoxProblem& problem, const BoxGrids& grids);

// The search (box_one_pass.cpp, box_passes.cpp): the cheapest plan of so many passes with so many
// tiles in memory at once; nothing where there is none.
struct BoxFound {
  std::vector<BoxPass> passes;
  double seconds = 0;
};
std::optional<BoxFound> find_one_pass(const BoxProblem& problem, const BoxGrids& grids, int copies);
std::optional<BoxFound> find_passes(const BoxProblem& problem, const BoxGrids& grids, int copies,
                                    int passes);
// No plan of so many passes takes less, by theorem 1.
double least_seconds(const BoxProblem& problem, const BoxGrids& grids, int passes);
// The facts that follow from tiles, order and walked axis; false where the memory does not do.
bool complete_pass(const BoxProblem& problem, const BoxGrids& grids, int copies,
                   std::vector<BoxPass>& passes, std::size_t which);

}  // namespace faro::inline v1::disk
