// The tile loops over a policy Ops and a family of kernels. Included once per instruction set,
// inside its namespace, after the kernels.

#include "kernel_loops-inl.h"

// Walks the tiles: the place of tile i + 1 from that of tile i is one xor on either side.
struct TileWalk {
  std::array<Word, word_bits + 1> from_steps;
  std::array<Word, word_bits + 1> to_steps;
  Word from_at = 0;
  Word to_at = 0;
  Word tile = 0;

  TileWalk(const TilePlan& plan, Word begin) : to_at(plan.to_start), tile(begin) {
    Word from = 0;
    Word to = 0;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(plan.outer_bits); ++i) {
      from_steps[i] = from ^= plan.outer_from[i];
      to_steps[i] = to ^= plan.outer_to[i];
    }
    from_at ^= combine(plan.outer_from, begin);
    to_at ^= combine(plan.outer_to, begin);
  }
  void next() {
    const auto at = static_cast<std::size_t>(lowest_bit(++tile));
    from_at ^= from_steps[at];
    to_at ^= to_steps[at];
  }
};

template <class Ops, class PutTo>
FARO_INLINE void move_line(const std::byte* from, std::byte* to) {
  FARO_UNROLL
  for (std::size_t at = 0; at < line_bytes; at += Ops::vector_bytes) {
    PutTo::put(to + at, Ops::load(from + at));
  }
}

// The runs of one side of a tile, line by line.
class Lines {
 public:
  Lines(const std::vector<Word>& runs, std::uint64_t run_bytes)
      : runs_(runs.data()), shift_(log2_exact(run_bytes) - line_log2), inside_(low_mask(shift_)) {}
  Word offset(std::size_t line) const {
    return runs_[line >> shift_] ^ ((line & inside_) << line_log2);
  }
  // The end of the run that `line` is in.
  std::size_t run_end(std::size_t line) const { return (line | inside_) + 1; }

 private:
  const Word* runs_;
  int shift_;
  std::size_t inside_;
};

// Interleave runs' lines `line` side by side into the stage.
template <class Ops, int Interleave>
FARO_INLINE void copy_lines(const std::byte* const (&from)[Interleave], Word line,
                            std::byte* const (&to)[Interleave], const Word (&fold)[Interleave]) {
  // All loads before the first store: a store to an address that agrees with a later load's in its
  // low 12 bits would hold it up.
  FARO_UNROLL
  for (std::size_t at = 0; at < line_bytes; at += Ops::vector_bytes) {
    typename Ops::Vector x[Interleave];
    FARO_UNROLL
    for (int w = 0; w < Interleave; ++w) x[w] = Ops::load(from[w] + (line << line_log2) + at);
    FARO_UNROLL
    for (int w = 0; w < Interleave; ++w) {
      Ops::store(to[w] + ((line ^ fold[w]) << line_log2) + at, x[w]);
    }
  }
}

// A tile's runs into its stage, some at once: the hardware prefetches along each page, but not
// from one page to the next, so the first lines of those that follow are asked for by hand.
template <class Ops, int Interleave>
void copy_in(const TilePlan& plan, const std::byte* from, Word from_at, Word next_from_at,
             std::byte* stage) {
  const std::size_t runs = plan.from_runs.size();
  const std::uint64_t run_bytes = plan.from_run_bytes();
  const int lines_log2 = log2_exact(run_bytes) - line_log2;
  const Word lines = bit(lines_log2);
  for (std::size_t first = 0; first < runs; first += Interleave) {
    const std::byte* in[Interleave];
    const std::byte* later[Interleave];
    std::byte* out[Interleave];
    Word fold[Interleave];
    const bool last = first + Interleave == runs;
    for (std::size_t w = 0; w < Interleave; ++w) {
      const std::size_t run = first + w;
      in[w] = from + (from_at ^ plan.from_runs[run]);
      later[w] = last ? from + (next_from_at ^ plan.from_runs[w])
                      : from + (from_at ^ plan.from_runs[run + Interleave]);
      out[w] = stage + run * run_bytes;
      fold[w] = TilePlan::fold(run, lines_log2);
    }
    for (Word line = 0; line < lines; ++line) {
      if (line == lines / 2) {
        for (const std::byte* run : later) __builtin_prefetch(run, 0, 3);
      }
      copy_lines<Ops, Interleave>(in, line, out, fold);
    }
  }
}

template <class Ops>
void copy_tile_in(const TilePlan& plan, const std::byte* from, Word from_at, Word next_from_at,
                  std::byte* stage) {
  const std::size_t runs = plan.from_runs.size();
  if (runs >= 8) {
    copy_in<Ops, 8>(plan, from, from_at, next_from_at, stage);
  } else if (runs >= 4) {
    copy_in<Ops, 4>(plan, from, from_at, next_from_at, stage);
  } else if (runs == 2) {
    copy_in<Ops, 2>(plan, from, from_at, next_from_at, stage);
  } else {
    copy_in<Ops, 1>(plan, from, from_at, next_from_at, stage);
  }
}

// A run whose destination is off the grid of lines: whole lines are streamed, the ends stored.
template <class Ops>
void drain_run(const std::byte* stage, std::byte* to, std::size_t bytes) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % line_bytes;
  const std::size_t head = line_bytes - past;
  std::memcpy(to, stage, head);
  std::size_t at = head;
  for (; at + line_bytes <= bytes; at += line_bytes) {
    move_line<Ops, StreamPut<Ops>>(stage + at, to + at);
  }
  std::memcpy(to + at, stage + at, bytes - at);
}

enum class Drain { store, stream, stream_ends };

template <class Ops>
FARO_INLINE void drain(const Lines& lines, Drain how, const std::byte* stage, std::byte* to,
                       Word to_at, std::size_t begin, std::size_t end) {
  if (how == Drain::stream) {
    for (std::size_t l = begin; l < end; ++l) {
      move_line<Ops, StreamPut<Ops>>(stage + l * line_bytes, to + (to_at ^ lines.offset(l)));
    }
  } else if (how == Drain::store) {
    for (std::size_t l = begin; l < end; ++l) {
      move_line<Ops, StorePut<Ops>>(stage + l * line_bytes, to + (to_at ^ lines.offset(l)));
    }
  } else {
    for (std::size_t l = begin; l < end;) {
      const std::size_t stop = std::min(end, lines.run_end(l));
      drain_run<Ops>(stage + l * line_bytes, to + (to_at ^ lines.offset(l)),
                     (stop - l) * line_bytes);
      l = stop;
    }
  }
}

// Off the grid the first and the last line of every run are written in part, and so read before:
// they are asked for while the tile goes through the kernels, a share of its runs at a time.
FARO_INLINE void fetch_ends(const TilePlan& plan, const std::byte* to, Word to_at,
                            std::size_t begin, std::size_t end) {
  for (std::size_t run = begin; run < end; ++run) {
    const std::byte* at = to + (to_at ^ plan.to_runs[run]);
    __builtin_prefetch(at, 1, 3);
    __builtin_prefetch(at + plan.to_run_bytes(), 1, 3);
  }
}

inline Drain drain_for(const TilePlan& plan, const std::byte* to) {
  if (!plan.method.streaming) return Drain::store;
  const bool on_grid = reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0;
  return on_grid ? Drain::stream : Drain::stream_ends;
}

// A tile's place at the destination, cut into the run's place, the offset in a stage of what the
// kernels write, and the shift of their lanes.
struct Placed {
  Word run = 0;
  Word inside = 0;
  Word shift = 0;

  Placed(const TilePlan& plan, Word to_at) {
    const Word lanes = low_mask(plan.network.lane_bits + plan.unit_log2);
    const Word inside_run = plan.to_run_bytes() - 1;
    run = to_at & ~inside_run;
    inside = to_at & inside_run & ~lanes;
    shift = (to_at & lanes) >> plan.unit_log2;
  }
};

// No stages: kernels read and write memory.
template <template <class, int> class Family, template <int> class Ops>
void run_direct(const TilePass& pass, const std::byte* from, std::byte* to, Word begin, Word end) {
  const TilePlan& plan = pass.plan;
  const bool stream = drain_for(plan, to) == Drain::stream;
  const RunKernels kernels = choose_kernels<Family, Ops>(plan, stream ? Put::stream : Put::store);
  for (TileWalk walk(plan, begin); walk.tile < end;) {
    const Placed placed(plan, walk.to_at);
    KernelRun run{from, walk.from_at, 0, to, placed.run | placed.inside, placed.shift};
    walk.next();
    run.next_from_at = walk.tile < end ? walk.from_at : run.from_at;
    kernels(pass, run, 0, plan.kernels.size(), plan.kernels_ahead);
  }
}

// The destination staged, as a pipeline of two tiles: while one goes through the kernels, the one
// before is drained, piece by piece, so that reads, shuffles and writes overlap.
template <template <class, int> class Family, template <int> class Ops>
void run_staged(const TilePass& pass, const std::byte* from, std::byte* to, Word begin, Word end,
                std::byte* working) {
  constexpr std::size_t pieces_max = 64;
  using Mover = Ops<3>;
  const TilePlan& plan = pass.plan;
  const Lines to_lines(plan.to_runs, plan.to_run_bytes());
  const Drain how = drain_for(plan, to);
  const RunKernels kernels = choose_kernels<Family, Ops>(plan, Put::store);
  const std::size_t tile_bytes = plan.tile_bytes();
  const std::size_t lines = tile_bytes / line_bytes;
  // A run whose ends are written in part is drained whole.
  const std::size_t drained = how == Drain::stream_ends ? plan.to_runs.size() : lines;
  const std::size_t pieces = std::min({plan.kernels.size(), pieces_max, drained});
  const std::size_t piece_lines = lines / pieces;
  const std::size_t piece_kernels = plan.kernels.size() / pieces;
  std::byte* const stages[2] = {working, working + tile_bytes};

  TileWalk walk(plan, begin);
  Word last_run = 0;
  for (Word tile = begin; tile <= end; ++tile) {
    const Placed placed(plan, walk.to_at);
    KernelRun run{from, walk.from_at, 0, stages[tile % 2], placed.inside, placed.shift};
    walk.next();
    run.next_from_at = tile + 1 < end ? walk.from_at : run.from_at;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      if (tile < end) {
        if (how == Drain::stream_ends) {
          const std::size_t runs = plan.to_runs.size();
          fetch_ends(plan, to, placed.run, runs * piece / pieces, runs * (piece + 1) / pieces);
        }
        kernels(pass, run, piece * piece_kernels, (piece + 1) * piece_kernels, plan.kernels_ahead);
      }
      if (tile > begin) {
        drain<Mover>(to_lines, how, stages[(tile + 1) % 2], to, last_run, piece * piece_lines,
                     (piece + 1) * piece_lines);
      }
    }
    last_run = placed.run;
  }
}

// From a staged source to memory: by way of a second stage, unless the kernels write memory
// themselves.
template <template <class, int> class Family, template <int> class Ops>
class FromStage {
 public:
  FromStage(const TilePass& pass, std::byte* to, std::byte* stage_to)
      : pass_(pass),
        to_(to),
        stage_to_(stage_to),
        to_lines_(pass.plan.to_runs, pass.plan.to_run_bytes()),
        how_(drain_for(pass.plan, to)),
        kernels_(choose_kernels<Family, Ops>(
            pass.plan,
            !pass.plan.method.stage_to && how_ == Drain::stream ? Put::stream : Put::store)) {}

  void move(std::byte* stage_from, Word to_at) const {
    const TilePlan& plan = pass_.plan;
    const bool stages_to = plan.method.stage_to;
    const Placed placed(plan, to_at);
    const Word inside = stages_to ? placed.inside : placed.run | placed.inside;
    if (stages_to && how_ == Drain::stream_ends) {
      fetch_ends(plan, to_, placed.run, 0, plan.to_runs.size());
    }
    kernels_(pass_, {stage_from, 0, 0, stages_to ? stage_to_ : to_, inside, placed.shift}, 0,
             plan.kernels.size(), 0);
    if (!stages_to) return;
    drain<Ops<3>>(to_lines_, how_, stage_to_, to_, placed.run, 0, plan.tile_bytes() / line_bytes);
  }

 private:
  const TilePass& pass_;
  std::byte* to_;
  std::byte* stage_to_;
  Lines to_lines_;
  Drain how_;
  RunKernels kernels_;
};

// The source staged, tile by tile.
template <template <class, int> class Family, template <int> class Ops>
void run_copied(const TilePass& pass, const std::byte* from, std::byte* to, Word begin, Word end,
                std::byte* working) {
  const TilePlan& plan = pass.plan;
  const FromStage<Family, Ops> from_stage(pass, to, working + plan.tile_bytes());
  for (TileWalk walk(plan, begin); walk.tile < end;) {
    const Word from_at = walk.from_at;
    const Word to_at = walk.to_at;
    walk.next();
    copy_tile_in<Ops<3>>(plan, from, from_at, walk.tile < end ? walk.from_at : from_at, working);
    from_stage.move(working, to_at);
  }
}

template <template <class, int> class Family, template <int> class Ops>
void run_tiles(const TilePass& pass, const std::byte* from, std::byte* to, Word begin, Word end,
               std::byte* working) {
  if (begin == end) return;
  if (pass.plan.method.copy_in) {
    run_copied<Family, Ops>(pass, from, to, begin, end, working);
  } else if (pass.plan.method.stage_to) {
    run_staged<Family, Ops>(pass, from, to, begin, end, working);
  } else {
    run_direct<Family, Ops>(pass, from, to, begin, end);
  }
  if (pass.plan.method.streaming) Ops<3>::fence();
}
