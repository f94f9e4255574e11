// Moves between placements on any number of ranks beside what MPI does with the same bytes:
//
//   ready      MPI_Alltoallv between packed buffers that are there: what no program has that begins
//              with its array, unless every message is one run of memory on both sides
//   floor      the same with the copies that cannot be left out: of messages that are no run of
//              memory on the old side into the buffer, of those that are none on the new side out
//              of it; what stays goes from array to array
//   copies     the same with a copy of everything on each side
//   types      MPI_Alltoallw from array to array, by derived datatypes
//
// Each run is timed after an untimed one of its own, interleaved; medians over rounds of the
// slowest rank's time; results are compared with those of the move in one process.
//
//   mpirun -n RANKS mpi_grid [MIB [ROUNDS [BUFFER-KIB]]]     MIB of a rank's array of doubles
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "faro/distributed/grid_move.hpp"
#include "faro/mpi/mpi_plan.hpp"

namespace {

using faro::GridMessage;
using Bytes = std::vector<std::byte>;

struct Case {
  std::string name;
  std::string words;
};

double seconds_of(const std::function<void()>& run) {
  run();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run();
  double taken = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Counts and offsets of MPI_Alltoallv, what stays included.
struct Side {
  std::vector<int> counts, offsets;
  std::size_t bytes = 0;
  Side(const std::vector<GridMessage>& messages, std::uint64_t kept, int rank, int ranks) {
    counts.resize(static_cast<std::size_t>(ranks));
    for (const GridMessage& m : messages)
      counts[m.peer] = static_cast<int>(m.elements * sizeof(double));
    counts[static_cast<std::size_t>(rank)] = static_cast<int>(kept * sizeof(double));
    for (const int n : counts) {
      offsets.push_back(static_cast<int>(bytes));
      bytes += static_cast<std::size_t>(n);
    }
  }
};

// Derived datatypes of a rank's messages: the runs of memory that they are made of.
struct Types {
  std::vector<MPI_Datatype> of;
  std::vector<int> counts, zeros;
  explicit Types(int ranks)
      : of(static_cast<std::size_t>(ranks), MPI_BYTE), counts(of.size()), zeros(of.size()) {}
  // places: of each element of the message, in its order, the byte in the rank's array.
  void add(std::uint64_t peer, const std::vector<double>& places) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> begins;
    for (const double place : places) {
      const auto at = static_cast<MPI_Aint>(place);
      if (!begins.empty() && at == begins.back() + lengths.back()) {
        lengths.back() += static_cast<int>(sizeof(double));
      } else {
        begins.push_back(at);
        lengths.push_back(static_cast<int>(sizeof(double)));
      }
    }
    MPI_Type_create_hindexed(static_cast<int>(begins.size()), lengths.data(), begins.data(),
                             MPI_BYTE, &of[peer]);
    MPI_Type_commit(&of[peer]);
    counts[peer] = 1;
  }
  ~Types() {
    for (MPI_Datatype& type : of)
      if (type != MPI_BYTE) MPI_Type_free(&type);
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
};

// Bytes of a rank's array by place, as doubles.
Bytes places_of(std::uint64_t bytes) {
  Bytes result(bytes);
  auto* numbers = reinterpret_cast<double*>(result.data());
  for (std::size_t k = 0; k < bytes / sizeof(double); ++k)
    numbers[k] = static_cast<double>(k * sizeof(double));
  return result;
}

// What goes from a rank: the places that pack reads. What comes to it: a move of places back.
void add_types(const faro::GridMove& move, std::uint64_t me, Types& out, Types& in) {
  const Bytes from = places_of(move.from_bytes(me));
  std::vector<double> places;
  for (const GridMessage& m : move.sends(me)) {
    places.resize(m.elements);
    move.pack(me, m.peer, 0, from, std::as_writable_bytes(std::span(places)));
    out.add(m.peer, places);
  }
  // Numbers 1, 2, .. of the message, unpacked, are found where it lies.
  for (const GridMessage& m : move.receives(me)) {
    std::vector<double> numbers(m.elements);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k + 1);
    Bytes to(move.to_bytes(me));
    move.unpack(m.peer, me, 0, std::as_bytes(std::span(numbers)), to);
    places.assign(m.elements, 0);
    const auto* found = reinterpret_cast<const double*>(to.data());
    for (std::size_t k = 0; k < to.size() / sizeof(double); ++k)
      if (found[k] != 0)
        places[static_cast<std::size_t>(found[k]) - 1] = static_cast<double>(k * sizeof(double));
    in.add(m.peer, places);
  }
}

// Slices of a message that have no place of their own have to be copied.
bool is_run(const std::vector<faro::GridSlice>& slices, std::uint64_t peer) {
  for (const faro::GridSlice& s : slices)
    if (s.peer == peer) return s.place.has_value();
  return false;
}

// Whether the result is right: elements say their own index in the old array, so a move of the same
// words says where each belongs.
bool judge(const faro::GridMove& move, int rank, const Bytes& to) {
  if (move.facts().bytes > (std::uint64_t{64} << 20U)) return true;  // small ones are judged
  std::vector<Bytes> parts(move.facts().ranks);
  std::vector<Bytes> wanted;
  for (std::uint64_t r = 0; r < parts.size(); ++r) {
    parts[r].resize(move.from_bytes(r));
    auto* numbers = reinterpret_cast<double*>(parts[r].data());
    for (std::size_t k = 0; k < parts[r].size() / sizeof(double); ++k)
      numbers[k] = 1e9 * static_cast<double>(r) + static_cast<double>(k);
  }
  faro::move_in_process(move, parts, wanted);
  return wanted[static_cast<std::size_t>(rank)] == to;
}

std::vector<Case> cases_on(int ranks) {
  const std::string p = std::to_string(ranks);
  const std::string rows = "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(" + p + ")";
  const std::string columns = "hpf:DISTRIBUTE A(*, BLOCK) ONTO P(" + p + ")";
  const std::string block_cyclic = "hpf:DISTRIBUTE A(*, CYCLIC(512)) ONTO P(" + p + ")";
  return {{"rows to columns", rows + " => " + columns},
          {"columns to rows", columns + " => " + rows},
          {"rows to rows cyclic in blocks of 16",
           rows + " => hpf:DISTRIBUTE A(CYCLIC(16), *) ONTO P(" + p + ")"},
          {"rows to cyclic rows", rows + " => hpf:DISTRIBUTE A(CYCLIC, *) ONTO P(" + p + ")"},
          {"rows to columns cyclic in blocks of 512", rows + " => " + block_cyclic},
          {"columns to columns cyclic in blocks of 512", columns + " => " + block_cyclic},
          {"transposed rows (runs of 8 bytes)", rows + " => r c -> c r => " + rows}};
}

// Whether all were right.
bool measure(const Case& one, std::uint64_t side, int rounds, const faro::MpiGridOptions& options) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  faro::MpiGridPlan plan(MPI_COMM_WORLD, one.words, {side, side}, sizeof(double), options);
  const faro::GridMove& move = plan.move();
  const auto me = static_cast<std::uint64_t>(rank);
  Bytes from(plan.from_bytes()), to(plan.to_bytes());
  auto* numbers = reinterpret_cast<double*>(from.data());
  for (std::size_t k = 0; k < from.size() / sizeof(double); ++k)
    numbers[k] = 1e9 * rank + static_cast<double>(k);
  const Side out(move.sends(me), move.kept_elements(me), rank, ranks);
  const Side in(move.receives(me), move.kept_elements(me), rank, ranks);
  Bytes packed(out.bytes), received(in.bytes);
  std::memset(packed.data(), 1, packed.size());
  const auto alltoallv = [&] {
    MPI_Alltoallv(packed.data(), out.counts.data(), out.offsets.data(), MPI_BYTE, received.data(),
                  in.counts.data(), in.offsets.data(), MPI_BYTE, MPI_COMM_WORLD);
  };
  const auto with_copies = [&] {
    std::memcpy(packed.data(), from.data(), packed.size());
    alltoallv();
    std::memcpy(to.data(), received.data(), received.size());
  };
  const auto whole_out = move.slices_sent(me, from.size());
  const auto whole_in = move.slices_received(me, to.size());
  const auto at = [](std::vector<std::byte>& all, const Side& where, std::uint64_t peer) {
    return std::span(all).subspan(static_cast<std::size_t>(where.offsets[peer]),
                                  static_cast<std::size_t>(where.counts[peer]));
  };
  Side apart_out = out, apart_in = in;  // what stays does not go through MPI
  apart_out.counts[me] = apart_in.counts[me] = 0;
  const auto floor = [&] {
    for (const GridMessage& m : move.sends(me))
      if (!is_run(whole_out, m.peer)) move.pack(me, m.peer, 0, from, at(packed, out, m.peer));
    MPI_Alltoallv(packed.data(), apart_out.counts.data(), out.offsets.data(), MPI_BYTE,
                  received.data(), apart_in.counts.data(), in.offsets.data(), MPI_BYTE,
                  MPI_COMM_WORLD);
    move.keep(me, from, to);
    for (const GridMessage& m : move.receives(me))
      if (!is_run(whole_in, m.peer)) move.unpack(m.peer, me, 0, at(received, in, m.peer), to);
  };
  Types types_out(ranks), types_in(ranks);
  add_types(move, me, types_out, types_in);
  const auto types = [&] {
    MPI_Alltoallw(from.data(), types_out.counts.data(), types_out.zeros.data(), types_out.of.data(),
                  to.data(), types_in.counts.data(), types_in.zeros.data(), types_in.of.data(),
                  MPI_COMM_WORLD);
    move.keep(me, from, to);
  };
  const auto faro = [&] { plan.execute(from, to); };
  const std::vector<std::function<void()>> ways = {alltoallv, floor, with_copies, types, faro};
  std::vector<std::vector<double>> taken(ways.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < ways.size(); ++k) taken[k].push_back(seconds_of(ways[k]));
  const bool are_right = judge(move, rank, to);
  types();
  int right = are_right && judge(move, rank, to) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("| %s |", one.name.c_str());
    for (const auto& list : taken) std::printf(" %.2f |", 1e3 * median(list));
    const double ours = median(taken.back());
    std::printf(" %.2f | %.2f |%s\n", ours / median(taken[0]), ours / median(taken[1]),
                right == 1 ? "" : " WRONG");
  }
  return right == 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double mib = argc > 1 ? std::atof(argv[1]) : 32;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  faro::MpiGridOptions options;
  if (argc > 3) options.buffer_bytes = std::strtoull(argv[3], nullptr, 10) << 10U;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto side = static_cast<std::uint64_t>(std::sqrt(mib * (1 << 17) * ranks));
  if (rank == 0)
    std::printf(
        "%d ranks, %lu x %lu doubles, milliseconds\n| move | ready | floor | copies | types | faro "
        "| faro / ready | faro / floor |\n|---|---|---|---|---|---|---|---|\n",
        ranks, static_cast<unsigned long>(side), static_cast<unsigned long>(side));
  bool all_right = true;
  for (const Case& one : cases_on(ranks))
    all_right = measure(one, side, rounds, options) && all_right;
  MPI_Finalize();
  return all_right ? 0 : 1;
}
