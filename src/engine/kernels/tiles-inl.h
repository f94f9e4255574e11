// The tile loops over a policy Ops and a family of kernels. Included once per instruction set,
// inside its namespace, after the kernels.

template <class Ops>
struct StorePut {
  static FARO_INLINE void put(std::byte* to, typename Ops::Vector x) { Ops::store(to, x); }
};
template <class Ops>
struct StreamPut {
  static FARO_INLINE void put(std::byte* to, typename Ops::Vector x) { Ops::stream(to, x); }
};

// Kernels begin..end-1 of one tile.
using RunKernels = void (*)(const TilePass& pass, const std::byte* from, Word from_at,
                            std::byte* to, Word to_at, Word shift, std::size_t begin,
                            std::size_t end);

template <class Kernel, class Put>
void run_kernels(const TilePass& pass, const std::byte* from, Word from_at, std::byte* to,
                 Word to_at, Word shift, std::size_t begin, std::size_t end) {
  const TilePlan::Kernel* kernels = pass.plan.kernels.data();
  for (std::size_t q = begin; q < end; ++q) {
    const TilePlan::Kernel& k = kernels[q];
    Kernel::template run<Put>(pass, from, from_at ^ k.from, to, to_at ^ k.to, shift ^ k.shift);
  }
}

enum class Put { store, stream };

template <template <class, int> class Family, class Ops, int M>
RunKernels choose_registers(int register_bits, Put put) {
  if constexpr (M > Ops::vector_log2 - Ops::unit_log2) {
    return nullptr;
  } else {
    if (register_bits != M) return choose_registers<Family, Ops, M + 1>(register_bits, put);
    return put == Put::stream ? run_kernels<Family<Ops, M>, StreamPut<Ops>>
                              : run_kernels<Family<Ops, M>, StorePut<Ops>>;
  }
}

template <template <class, int> class Family, template <int> class Ops>
RunKernels choose_kernels(const TilePlan& plan, Put put) {
  const int m = plan.network.register_bits;
  switch (plan.unit_log2) {
    case 0:
      return choose_registers<Family, Ops<0>, 0>(m, put);
    case 1:
      return choose_registers<Family, Ops<1>, 0>(m, put);
    case 2:
      return choose_registers<Family, Ops<2>, 0>(m, put);
    default:
      return choose_registers<Family, Ops<3>, 0>(m, put);
  }
}

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

// Lines are what the stages move.
constexpr int line_log2 = 6;
constexpr std::size_t line_bytes = std::size_t{1} << line_log2;

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

template <class Ops>
FARO_INLINE void copy_in(const Lines& lines, const std::byte* from, Word from_at, std::byte* stage,
                         std::size_t begin, std::size_t end) {
  for (std::size_t l = begin; l < end; ++l) {
    move_line<Ops, StorePut<Ops>>(from + (from_at ^ lines.offset(l)), stage + l * line_bytes);
  }
}

FARO_INLINE void prefetch(const Lines& lines, const std::byte* from, Word from_at,
                          std::size_t begin, std::size_t end) {
  for (std::size_t l = begin; l < end; ++l) {
    __builtin_prefetch(from + (from_at ^ lines.offset(l)), 0, 3);
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
  for (TileWalk walk(plan, begin); walk.tile < end; walk.next()) {
    const Placed placed(plan, walk.to_at);
    kernels(pass, from, walk.from_at, to, placed.run | placed.inside, placed.shift, 0,
            plan.kernels.size());
  }
}

// Stages, as a pipeline of three tiles: while one goes through the kernels, the next is copied in
// (or prefetched) and the one before is drained, piece by piece, so that reads, shuffles and writes
// overlap.
template <template <class, int> class Family, template <int> class Ops>
void run_staged(const TilePass& pass, const std::byte* from, std::byte* to, Word begin, Word end,
                std::byte* working) {
  using Mover = Ops<3>;
  const TilePlan& plan = pass.plan;
  const bool copies = plan.method.copy_in;
  const Lines from_lines(plan.from_runs, plan.from_run_bytes());
  const Lines to_lines(plan.to_runs, plan.to_run_bytes());
  const Drain how = drain_for(plan, to);
  const RunKernels kernels = choose_kernels<Family, Ops>(plan, Put::store);
  const std::size_t tile_bytes = plan.tile_bytes();
  const std::size_t lines = tile_bytes / line_bytes;
  const std::size_t pieces = std::min({plan.kernels.size(), plan.pieces_max, lines});
  const std::size_t piece_lines = lines / pieces;
  const std::size_t piece_kernels = plan.kernels.size() / pieces;
  std::byte* stage_to[2] = {working, working + tile_bytes};
  std::byte* stage_from[2] = {working + 2 * tile_bytes, working + 3 * tile_bytes};

  TileWalk walk(plan, begin);
  Word next_from = walk.from_at;
  Word last_run = 0;
  if (copies) copy_in<Mover>(from_lines, from, next_from, stage_from[begin % 2], 0, lines);
  for (Word tile = begin; tile <= end; ++tile) {
    const bool computes = tile < end;
    const bool fetches = tile + 1 < end;
    const bool drains = tile > begin;
    const Placed placed(plan, walk.to_at);
    const Word from_at = copies ? 0 : walk.from_at;
    const std::byte* kernels_from = copies ? stage_from[tile % 2] : from;
    if (fetches) walk.next();
    next_from = walk.from_at;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t l0 = piece * piece_lines;
      if (fetches && copies) {
        copy_in<Mover>(from_lines, from, next_from, stage_from[(tile + 1) % 2], l0,
                       l0 + piece_lines);
      } else if (fetches) {
        prefetch(from_lines, from, next_from, l0, l0 + piece_lines);
      }
      if (computes) {
        kernels(pass, kernels_from, from_at, stage_to[tile % 2], placed.inside, placed.shift,
                piece * piece_kernels, (piece + 1) * piece_kernels);
      }
      if (drains) {
        drain<Mover>(to_lines, how, stage_to[(tile + 1) % 2], to, last_run, l0, l0 + piece_lines);
      }
    }
    last_run = placed.run;
  }
}

template <template <class, int> class Family, template <int> class Ops>
void run_tiles(const TilePass& pass, const std::byte* from, std::byte* to, Word begin, Word end,
               std::byte* working) {
  if (begin == end) return;
  if (pass.plan.method.stage_to) {
    run_staged<Family, Ops>(pass, from, to, begin, end, working);
  } else {
    run_direct<Family, Ops>(pass, from, to, begin, end);
  }
  if (pass.plan.method.streaming) Ops<3>::fence();
}
