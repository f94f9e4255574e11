// Kernels for machines that take any lane of two registers (AVX-512 VBMI), over a policy Ops:
//
//   Ops::Vector, load, load_table, store, stream, pick(a, indices, b), pick_one(a, indices)
//
// Each exchange stage is one pick for an output register; PRE is folded into the first stage's
// indices and POST with its shift into the last one's, so a general affine map costs what a plain
// bit permutation does. Included once per instruction set, inside its namespace.

// Stages begin..end-1 of the middle on the registers that differ in these bits of their number.
template <class Ops, std::size_t Begin, std::size_t End, std::size_t Count>
FARO_INLINE void middle_stages(const TilePass& pass, typename Ops::Vector (&x)[Count],
                               std::size_t first_bit) {
  const std::uint8_t* table = pass.tables.at(pass.tables.middle);
  FARO_UNROLL
  for (std::size_t t = Begin; t < End; ++t) {
    const auto low = Ops::load_table(table + 2 * t * Ops::vector_bytes);
    const auto high = Ops::load_table(table + (2 * t + 1) * Ops::vector_bytes);
    const std::size_t step = std::size_t{1} << (t - first_bit);
    FARO_UNROLL
    for (std::size_t r = 0; r < Count; ++r) {
      if ((r & step) != 0) continue;
      const auto a = x[r];
      const auto b = x[r | step];
      x[r] = Ops::pick(a, low, b);
      x[r | step] = Ops::pick(a, high, b);
    }
  }
}

template <class Ops, int M>
struct TwoTables {
  using Vector = typename Ops::Vector;
  // More than 16 registers do not fit beside their indices: the stages are then split in two
  // halves with a small buffer between them.
  static constexpr std::size_t registers = std::size_t{1} << M;
  static constexpr std::size_t split = M <= 4 ? M : M / 2;

  template <class Put>
  static FARO_INLINE void run(const TilePass& pass, const std::byte* from, Word from_at,
                              std::byte* to, Word to_at, Word shift) {
    const TilePlan& plan = pass.plan;
    if constexpr (M == 0) {
      const std::uint8_t* last = pass.tables.at(pass.tables.last);
      const auto a = Ops::load(from + from_at);
      Put::put(to + to_at, Ops::pick_one(a, Ops::load_table(last + shift * Ops::vector_bytes)));
    } else if constexpr (M <= 4) {
      Vector x[1 << M];
      load_first(plan, pass, from, from_at, 0, x);
      middle_stages<Ops, 1, M - 1>(pass, x, 0);
      finish<Put>(plan, pass, x, 0, to, to_at, shift);
    } else {
      constexpr std::size_t side = std::size_t{1}
                                   << (M - split);  // groups, and registers of the second half
      alignas(64) std::byte buffer[(std::size_t{1} << M) * Ops::vector_bytes];
      for (std::size_t group = 0; group < side; ++group) {
        Vector x[1 << split];
        load_first(plan, pass, from, from_at, group << split, x);
        middle_stages<Ops, 1, split>(pass, x, 0);
        FARO_UNROLL
        for (std::size_t r = 0; r < registers / side; ++r) {
          Ops::store(buffer + ((group << split) | r) * Ops::vector_bytes, x[r]);
        }
      }
      for (std::size_t group = 0; group < registers / side; ++group) {
        Vector x[1 << (M - split)];
        FARO_UNROLL
        for (std::size_t r = 0; r < side; ++r) {
          x[r] = Ops::load(buffer + ((r << split) | group) * Ops::vector_bytes);
        }
        middle_stages<Ops, split, M - 1>(pass, x, split);
        finish<Put>(plan, pass, x, group, to, to_at, shift);
      }
    }
  }

  // Loads Count registers from number `base` on and does stage 0, unless that is the last too.
  template <std::size_t Count>
  static FARO_INLINE void load_first(const TilePlan& plan, const TilePass& pass,
                                     const std::byte* from, Word from_at, std::size_t base,
                                     Vector (&x)[Count]) {
    const std::uint8_t* first = pass.tables.at(pass.tables.first) + base * Ops::vector_bytes;
    const Word* offsets = plan.register_from.data() + base;
    FARO_UNROLL
    for (std::size_t r = 0; r < Count; r += 2) {
      const auto a = Ops::load(from + (from_at ^ offsets[r]));
      const auto b = Ops::load(from + (from_at ^ offsets[r + 1]));
      if constexpr (M == 1) {
        x[r] = a;
        x[r + 1] = b;
      } else {
        x[r] = Ops::pick(a, Ops::load_table(first + r * Ops::vector_bytes), b);
        x[r + 1] = Ops::pick(a, Ops::load_table(first + (r + 1) * Ops::vector_bytes), b);
      }
    }
  }

  // The last stage and the stores. x[i] is register i << (M - bits of Count) | group.
  template <class Put, std::size_t Count>
  static FARO_INLINE void finish(const TilePlan& plan, const TilePass& pass,
                                 const Vector (&x)[Count], std::size_t group, std::byte* to,
                                 Word to_at, Word shift) {
    constexpr std::size_t half = Count / 2;
    constexpr std::size_t place = M <= 4 ? 0 : split;
    const std::uint8_t* low = pass.tables.at(pass.tables.last);
    const std::uint8_t* high = low + Ops::lanes * Ops::vector_bytes;
    FARO_UNROLL
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t s0 = (i << place) | group;
      const std::size_t s1 = ((i | half) << place) | group;
      const Word shift0 = shift ^ plan.register_shift[s0];
      const Word shift1 = shift ^ plan.register_shift[s1];
      const auto index0 = Ops::load_table(low + shift0 * Ops::vector_bytes);
      const auto index1 = Ops::load_table(high + shift1 * Ops::vector_bytes);
      Put::put(to + (to_at ^ plan.register_to[s0]), Ops::pick(x[i], index0, x[i | half]));
      Put::put(to + (to_at ^ plan.register_to[s1]), Ops::pick(x[i], index1, x[i | half]));
    }
  }
};
