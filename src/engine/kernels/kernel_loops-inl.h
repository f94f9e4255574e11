// The loops over the kernels of one tile: one by one, with their neighbours, or by eight; and which
// loop a plan takes. Included by tiles-inl.h.

template <class Ops>
struct StorePut {
  static FARO_INLINE void put(std::byte* to, typename Ops::Vector x) { Ops::store(to, x); }
};
template <class Ops>
struct StreamPut {
  static FARO_INLINE void put(std::byte* to, typename Ops::Vector x) { Ops::stream(to, x); }
};

// Kernels begin..end-1 of one tile. Those `ahead` later have their source lines prefetched; beyond
// the tile's last kernel they are the first of the next tile, at next_from_at.
struct KernelRun {
  const std::byte* from;
  Word from_at;
  Word next_from_at;
  std::byte* to;
  Word to_at;
  Word shift;
};
using RunKernels = void (*)(const TilePass& pass, const KernelRun& run, std::size_t begin,
                            std::size_t end, std::size_t ahead);

// What is done with register s of a kernel, whose place is `at` from `to`: written,
template <class Put>
struct PutThere {
  template <class Vector>
  FARO_INLINE void operator()(std::size_t, std::byte* to, Word at, Vector x) const {
    Put::put(to + at, x);
  }
};
// kept in memory of its own,
template <class Ops>
struct Keep {
  std::byte* kept;
  FARO_INLINE void operator()(std::size_t s, std::byte*, Word, typename Ops::Vector x) const {
    Ops::store(kept + s * Ops::vector_bytes, x);
  }
};
// or written beside its neighbour, which has been kept: registers of one kernel lie far apart, and
// a line costs less with its neighbour right after it than after a line of every other register.
// Parts of a line cost so much less that it pays in the caches too, where one set of the first has
// no room for a line of every register (TilePlan::to_crowds).
template <class Ops, class Put>
struct PutBeside {
  const std::byte* kept;
  std::size_t turn;  // register s has register s ^ turn of the kernel before as neighbour
  FARO_INLINE void operator()(std::size_t s, std::byte* to, Word at, typename Ops::Vector x) const {
    Put::put(to + (at ^ Ops::vector_bytes), Ops::load(kept + (s ^ turn) * Ops::vector_bytes));
    Put::put(to + at, x);
  }
};

// The `turn` with which each second kernel writes the neighbours of the one before; none if it does
// not.
template <class Kernel>
std::optional<std::size_t> neighbours(const TilePlan& plan, std::size_t begin, std::size_t end) {
  if (begin % 2 != 0 || end % 2 != 0 || plan.kernels.size() < 2) return std::nullopt;
  const Word apart = plan.kernels[1].to ^ plan.kernels[0].to ^ Kernel::Ops::vector_bytes;
  for (std::size_t r = 0; r < Kernel::registers; ++r) {
    if (plan.register_to[r] == apart) return r;
  }
  return std::nullopt;
}

// Kernel q's source lines are asked for: those of the next tile's first ones follow the tile's.
template <class Kernel>
FARO_INLINE void fetch_kernel(const TilePlan& plan, const KernelRun& run, std::size_t q) {
  const std::size_t count = plan.kernels.size();
  const Word at = q < count ? plan.kernels[q].from ^ run.from_at
                            : plan.kernels[q - count].from ^ run.next_from_at;
  FARO_UNROLL
  for (std::size_t r = 0; r < Kernel::registers; ++r) {
    __builtin_prefetch(run.from + (at ^ plan.register_from[r]), 0, 3);
  }
}

template <class Kernel, class PutTo>
FARO_INLINE void move_kernel(const Kernel& kernel, const TilePlan::Kernel& k, const KernelRun& run,
                             const PutTo& put) {
  kernel.run(run.from, run.from_at ^ k.from, run.to, run.to_at ^ k.to, run.shift ^ k.shift, put);
}

// The place of a group's registers, one after another: the next is one xor away, with one of three
// that stay in registers, the places of registers 1, 3 and 7. (A table of all places has no room
// there, and what is read from memory waits for every store before it that agrees in its low 12
// bits.)
class GroupPlace {
 public:
  using Steps = std::array<Word, 3>;

  GroupPlace(Word at, const Steps& steps) : at_(at), steps_(steps) {}
  // Of register i; asked for in order.
  FARO_INLINE Word of(std::size_t i) {
    if (i != 0) at_ ^= steps_[static_cast<std::size_t>(lowest_bit(i))];
    return at_;
  }

 private:
  Word at_;
  const Steps& steps_;
};

// Kernels of up to eight registers, as many at a time as have eight together: kernel q + k is
// kernel q xor kernel k, so they take one entry of the table of places. Register r of kernel k is
// x[r * at_once + k]: kernels in a row write neighbouring lines.
template <class Kernel, class Put, class Lanes>
void loop_groups(const TilePlan& plan, const KernelRun run, std::size_t begin, std::size_t end,
                 std::size_t ahead, const Lanes lanes) {
  using Ops = typename Kernel::Ops;
  constexpr std::size_t at_once = Kernel::grouped;
  constexpr std::size_t step =
      Kernel::registers > 1 ? 1 : std::max<std::size_t>(1, line_bytes / Ops::vector_bytes);
  // So many entries of the table stay in the first cache; the others are those xor one of the rest.
  // (begin is a multiple of end - begin, or of this.)
  constexpr std::size_t near = 64;
  GroupPlace::Steps from_steps;
  GroupPlace::Steps to_steps;
  GroupPlace::Steps shift_steps;
  for (std::size_t i = 0; i < from_steps.size(); ++i) {
    const std::size_t last = (std::size_t{2} << i) - 1;
    const std::size_t r = last / at_once;
    const TilePlan::Kernel& k = plan.kernels[last % at_once];
    from_steps[i] = k.from ^ plan.register_from[r];
    to_steps[i] = k.to ^ plan.register_to[r];
    shift_steps[i] = k.shift ^ plan.register_shift[r];
  }
  const TilePlan::Kernel* const kernels = plan.kernels.data();
  for (std::size_t block = begin; block < end; block += near) {
    const TilePlan::Kernel& base = kernels[block];
    const std::size_t count = std::min(near, end - block);
    for (std::size_t q = 0; q < count; q += at_once) {
      if (ahead != 0) {
        const std::size_t later = block + q + ahead;
        const bool here = later < plan.kernels.size();
        GroupPlace place((here ? run.from_at : run.next_from_at) ^
                             kernels[here ? later : later - plan.kernels.size()].from,
                         from_steps);
        FARO_UNROLL
        for (std::size_t i = 0; i < group_kernels; ++i) {
          const Word at = place.of(i);
          if (i % step == 0) __builtin_prefetch(run.from + at, 0, 3);
        }
      }
      GroupPlace from(run.from_at ^ base.from ^ kernels[q].from, from_steps);
      GroupPlace to(run.to_at ^ base.to ^ kernels[q].to, to_steps);
      GroupPlace shift(run.shift ^ base.shift ^ kernels[q].shift, shift_steps);
      typename Ops::Vector x[group_kernels];
      FARO_UNROLL
      for (std::size_t i = 0; i < group_kernels; ++i) {
        x[i] = lanes.before(Ops::load(run.from + from.of(i)), i / at_once);
      }
      Kernel::stages(x);
      FARO_UNROLL
      for (std::size_t i = 0; i < group_kernels; ++i) x[i] = lanes.after(x[i], shift.of(i));
      FARO_UNROLL
      for (std::size_t i = 0; i < group_kernels; ++i) Put::put(run.to + to.of(i), x[i]);
    }
  }
}

template <class Kernel, class Put>
void run_groups(const TilePlan& plan, const Kernel& kernel, const KernelRun& run, std::size_t begin,
                std::size_t end, std::size_t ahead) {
  const auto by = [&](auto lanes) {
    loop_groups<Kernel, Put>(plan, run, begin, end, ahead, lanes);
  };
  if (kernel.pre != nullptr && kernel.post != nullptr) {
    by(typename Kernel::template Lanes<true, true>{kernel.pre, kernel.post});
  } else if (kernel.pre != nullptr) {
    by(typename Kernel::template Lanes<true, false>{kernel.pre, kernel.post});
  } else if (kernel.post != nullptr) {
    by(typename Kernel::template Lanes<false, true>{kernel.pre, kernel.post});
  } else {
    by(typename Kernel::template Lanes<false, false>{kernel.pre, kernel.post});
  }
}

template <class Kernel, class Put>
FARO_INLINE void loop_kernels(const TilePass& pass, const KernelRun& run, std::size_t begin,
                              std::size_t end, std::size_t ahead) {
  using Ops = typename Kernel::Ops;
  const TilePlan& plan = pass.plan;
  const Kernel kernel(pass, run.shift);
  const TilePlan::Kernel* kernels = plan.kernels.data();
  // Streamed, a kernel of eight registers and more is written beside its neighbour; the two, four
  // and eight kernels of a group of fewer complete their lines themselves.
  constexpr bool streamed = std::is_same_v<Put, StreamPut<Ops>>;
  constexpr bool in_parts = Ops::vector_bytes < line_bytes && Kernel::registers >= group_kernels;
  const bool apart = in_parts && plan.to_crowds;
  if constexpr (Kernel::grouped > (streamed ? 1 : 0)) {
    if (!apart && (begin | end) % Kernel::grouped == 0) {
      run_groups<Kernel, Put>(plan, kernel, run, begin, end, ahead);
      return;
    }
  }
  if constexpr (Kernel::pairs && (streamed || in_parts)) {
    const auto turn = streamed || apart ? neighbours<Kernel>(plan, begin, end) : std::nullopt;
    if (turn) {
      alignas(line_bytes) std::byte kept[Kernel::registers * Ops::vector_bytes];
      for (std::size_t q = begin; q < end; q += 2) {
        if (ahead != 0) fetch_kernel<Kernel>(plan, run, q + ahead);
        move_kernel(kernel, kernels[q], run, Keep<Ops>{kept});
        if (ahead != 0) fetch_kernel<Kernel>(plan, run, q + 1 + ahead);
        move_kernel(kernel, kernels[q + 1], run, PutBeside<Ops, Put>{kept, *turn});
      }
      return;
    }
  }
  for (std::size_t q = begin; q < end; ++q) {
    if (ahead != 0) fetch_kernel<Kernel>(plan, run, q + ahead);
    move_kernel(kernel, kernels[q], run, PutThere<Put>{});
  }
}

template <class Kernel, class Put>
void run_kernels(const TilePass& pass, const KernelRun& run, std::size_t begin, std::size_t end,
                 std::size_t ahead) {
  if (pass.plan.plain_lanes) {
    loop_kernels<typename Kernel::Plain, Put>(pass, run, begin, end, ahead);
  } else {
    loop_kernels<Kernel, Put>(pass, run, begin, end, ahead);
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
