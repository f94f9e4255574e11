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
template <class Ops>
struct StreamBeside {
  const std::byte* kept;
  std::size_t turn;  // register s has register s ^ turn of the kernel before as neighbour
  FARO_INLINE void operator()(std::size_t s, std::byte* to, Word at, typename Ops::Vector x) const {
    Ops::stream(to + (at ^ Ops::vector_bytes), Ops::load(kept + (s ^ turn) * Ops::vector_bytes));
    Ops::stream(to + at, x);
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

// Kernels of up to eight registers, as many at a time as have eight together: kernel q + k is
// kernel q xor kernel k, so they take one entry of the table of places, and what is at fixed places
// of them is copied where no store can change it. Register r of kernel k is x[r * at_once + k]:
// kernels in a row, which write neighbouring lines, are written one right after the other. Where
// those of one register read on in a row (TilePlan::groups_read_on), loads are at fixed distances.
template <class Kernel, class Put, bool read_on, class Lanes>
void loop_groups(const TilePlan& plan, const KernelRun run, std::size_t begin, std::size_t end,
                 std::size_t ahead, const Lanes lanes) {
  using Ops = typename Kernel::Ops;
  constexpr std::size_t at_once = Kernel::grouped;
  constexpr std::size_t step =
      Kernel::registers > 1 ? 1 : std::max<std::size_t>(1, line_bytes / Ops::vector_bytes);
  TilePlan::Kernel places[group_kernels];
  for (std::size_t i = 0; i < group_kernels; ++i) {
    const TilePlan::Kernel& k = plan.kernels[i % at_once];
    const std::size_t r = i / at_once;
    places[i] = {k.from ^ plan.register_from[r], k.to ^ plan.register_to[r],
                 k.shift ^ plan.register_shift[r]};
  }
  for (std::size_t q = begin; q < end; q += at_once) {
    if (ahead != 0) {
      FARO_UNROLL
      for (std::size_t k = 0; k < at_once; k += step) {
        fetch_kernel<Kernel>(plan, run, q + k + ahead);
      }
    }
    const TilePlan::Kernel& first = plan.kernels[q];
    const Word from_at = run.from_at ^ first.from;
    const Word to_at = run.to_at ^ first.to;
    const Word shift = run.shift ^ first.shift;
    typename Ops::Vector x[group_kernels];
    FARO_UNROLL
    for (std::size_t i = 0; i < group_kernels; ++i) {
      x[i] = Ops::load(read_on ? run.from + from_at + i * Ops::vector_bytes
                               : run.from + (from_at ^ places[i].from));
      x[i] = lanes.before(x[i], i / at_once);
    }
    Kernel::stages(x);
    FARO_UNROLL
    for (std::size_t i = 0; i < group_kernels; ++i) {
      x[i] = lanes.after(x[i], shift ^ places[i].shift);
    }
    FARO_UNROLL
    for (std::size_t i = 0; i < group_kernels; ++i) Put::put(run.to + (to_at ^ places[i].to), x[i]);
  }
}

template <class Kernel, class Put, bool has_pre, bool has_post>
void run_groups_by(const TilePlan& plan, const Kernel& kernel, const KernelRun& run,
                   std::size_t begin, std::size_t end, std::size_t ahead) {
  using Lanes = typename Kernel::template Lanes<has_pre, has_post>;
  const Lanes lanes{kernel.pre, kernel.post};
  // A part of an exchange begins where its rank says, which may be inside a group's row.
  constexpr Word row = group_kernels * Kernel::Ops::vector_bytes - 1;
  if constexpr (Kernel::registers == 1) {
    if (plan.groups_read_on && (run.from_at & row) == 0) {
      loop_groups<Kernel, Put, true>(plan, run, begin, end, ahead, lanes);
      return;
    }
  }
  loop_groups<Kernel, Put, false>(plan, run, begin, end, ahead, lanes);
}

template <class Kernel, class Put>
void run_groups(const TilePlan& plan, const Kernel& kernel, const KernelRun& run, std::size_t begin,
                std::size_t end, std::size_t ahead) {
  if (kernel.pre != nullptr && kernel.post != nullptr) {
    run_groups_by<Kernel, Put, true, true>(plan, kernel, run, begin, end, ahead);
  } else if (kernel.pre != nullptr) {
    run_groups_by<Kernel, Put, true, false>(plan, kernel, run, begin, end, ahead);
  } else if (kernel.post != nullptr) {
    run_groups_by<Kernel, Put, false, true>(plan, kernel, run, begin, end, ahead);
  } else {
    run_groups_by<Kernel, Put, false, false>(plan, kernel, run, begin, end, ahead);
  }
}

template <class Kernel, class Put>
FARO_INLINE void loop_kernels(const TilePass& pass, const KernelRun& run, std::size_t begin,
                              std::size_t end, std::size_t ahead) {
  using Ops = typename Kernel::Ops;
  const TilePlan& plan = pass.plan;
  const Kernel kernel(pass, run.shift);
  const TilePlan::Kernel* kernels = plan.kernels.data();
  // Streamed, kernels of more registers are written beside their neighbours instead, below.
  constexpr bool ordinary = std::is_same_v<Put, StorePut<Ops>>;
  if constexpr (Kernel::grouped > 0 && (ordinary || Kernel::registers == 1)) {
    if ((begin | end) % Kernel::grouped == 0) {
      run_groups<Kernel, Put>(plan, kernel, run, begin, end, ahead);
      return;
    }
  }
  if constexpr (Kernel::pairs && std::is_same_v<Put, StreamPut<Ops>>) {
    if (const auto turn = neighbours<Kernel>(plan, begin, end)) {
      alignas(line_bytes) std::byte kept[Kernel::registers * Ops::vector_bytes];
      for (std::size_t q = begin; q < end; q += 2) {
        if (ahead != 0) fetch_kernel<Kernel>(plan, run, q + ahead);
        move_kernel(kernel, kernels[q], run, Keep<Ops>{kept});
        if (ahead != 0) fetch_kernel<Kernel>(plan, run, q + 1 + ahead);
        move_kernel(kernel, kernels[q + 1], run, StreamBeside<Ops>{kept, *turn});
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
