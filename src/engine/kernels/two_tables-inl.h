// Kernels for machines that take any lane of two registers (AVX-512 VBMI), over a policy Ops:
//
//   Ops::Vector, load, load_table, store, stream, pick(a, indices, b), pick_one(a, indices),
//   exchange<Weight>(a, b)
//
// PRE is folded into the first stage, a pick for an output register, and POST with its shift into
// the last one, so a general affine map costs what a plain bit permutation does; the stages between
// are exact exchanges. Included once per instruction set, inside its namespace.

enum class Lanes {
  any,    // PRE and POST differ from register to register, and with a kernel's shift
  plain,  // every register has the same: any permutation of bits, its complement included
};

// What a run of kernels takes from the pass is loaded once, into registers as far as they reach:
// the compiler must assume that every store changes the tables.
template <class OpsOf, int M, Lanes Which>
class TwoTableKernel {
 public:
  using Ops = OpsOf;
  using Vector = typename Ops::Vector;
  using Plain = TwoTableKernel<Ops, M, Lanes::plain>;
  static constexpr std::size_t registers = std::size_t{1} << M;
  static constexpr std::size_t grouped = 0;
  // Two kernels write neighbouring lines together. Measured: 16 registers gain where lanes shift
  // and lose where they do not, 8 and 32 or more the other way round.
  static constexpr bool pairs = (Which == Lanes::plain) != (M == 4);

  // `shift` is that of the run, which with plain lanes all kernels share.
  TwoTableKernel(const TilePass& pass, Word shift)
      : plan_(pass.plan),
        first_(pass.tables.at(pass.tables.first)),
        last_(pass.tables.at(pass.tables.last)) {
    if constexpr (kept_first > 0) {
      FARO_UNROLL
      for (std::size_t r = 0; r < kept_first; ++r) kept_first_[r] = table(first_, r);
    }
    if constexpr (Which == Lanes::plain) {
      kept_last_[0] = table(last_, shift);
      kept_last_[1] = table(last_, Ops::lanes + shift);
    }
  }

  // put(register, to, offset, vector) takes what the destination's registers become.
  template <class PutTo>
  FARO_INLINE void run(const std::byte* from, Word from_at, std::byte* to, Word to_at, Word shift,
                       const PutTo& put) const {
    if constexpr (M == 0) {
      const auto a = Ops::load(from + from_at);
      put(0, to, to_at, Ops::pick_one(a, last_table(0, shift)));
    } else if constexpr (M <= 4) {
      Vector x[1 << M];
      load_first(from, from_at, 0, x);
      middle_stages<1, M - 1, 0>(x);
      finish(x, 0, to, to_at, shift, put);
    } else {
      constexpr std::size_t side = std::size_t{1}
                                   << (M - split);  // groups, and registers of the second half
      alignas(64) std::byte buffer[(std::size_t{1} << M) * Ops::vector_bytes];
      for (std::size_t group = 0; group < side; ++group) {
        Vector x[1 << split];
        load_first(from, from_at, group << split, x);
        middle_stages<1, split, 0>(x);
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
        middle_stages<split, M - 1, split>(x);
        finish(x, group, to, to_at, shift, put);
      }
    }
  }

 private:
  // More than 16 registers do not fit beside their indices: the stages are then split in two
  // halves with a small buffer between them.
  static constexpr int split = M <= 4 ? M : M / 2;
  // Index vectors kept in registers, of 32 with the 2^M that move.
  static constexpr bool plain = Which == Lanes::plain;
  static constexpr std::size_t kept_first = M < 2 ? 0 : plain ? 2 : M <= 3 ? registers : 0;

  static FARO_INLINE Vector table(const std::uint8_t* tables, std::size_t number) {
    return Ops::load_table(tables + number * Ops::vector_bytes);
  }
  FARO_INLINE Vector first_table(std::size_t r) const {
    if constexpr (plain) return kept_first_[r & 1U];
    if constexpr (kept_first > 0) return kept_first_[r];
    return table(first_, r);
  }
  FARO_INLINE Vector last_table(std::size_t side, Word shift) const {
    if constexpr (plain) return kept_last_[side];
    return table(last_, side * Ops::lanes + shift);
  }

  // Stages Begin..End-1 of the middle on the registers that differ in these bits of their number.
  template <int Begin, int End, int FirstBit, std::size_t Count>
  static FARO_INLINE void middle_stages(Vector (&x)[Count]) {
    if constexpr (Begin < End) {
      constexpr int weight = 1 << (Ops::vector_log2 - M + Begin);
      constexpr std::size_t step = std::size_t{1} << (Begin - FirstBit);
      FARO_UNROLL
      for (std::size_t r = 0; r < Count; ++r) {
        if ((r & step) == 0) Ops::template exchange<weight>(x[r], x[r | step]);
      }
      middle_stages<Begin + 1, End, FirstBit>(x);
    }
  }

  // Loads Count registers from number `base` on and does stage 0, unless that is the last too.
  template <std::size_t Count>
  FARO_INLINE void load_first(const std::byte* from, Word from_at, std::size_t base,
                              Vector (&x)[Count]) const {
    const Word* offsets = plan_.register_from.data() + base;
    FARO_UNROLL
    for (std::size_t r = 0; r < Count; r += 2) {
      const auto a = Ops::load(from + (from_at ^ offsets[r]));
      const auto b = Ops::load(from + (from_at ^ offsets[r + 1]));
      if constexpr (M == 1) {
        x[r] = a;
        x[r + 1] = b;
      } else {
        x[r] = Ops::pick(a, first_table(base + r), b);
        x[r + 1] = Ops::pick(a, first_table(base + r + 1), b);
      }
    }
  }

  // The last stage and the stores. x[i] is register i << (M - bits of Count) | group.
  template <class PutTo, std::size_t Count>
  FARO_INLINE void finish(const Vector (&x)[Count], std::size_t group, std::byte* to, Word to_at,
                          Word shift, const PutTo& put) const {
    constexpr std::size_t half = Count / 2;
    constexpr int place = M <= 4 ? 0 : split;
    FARO_UNROLL
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t s0 = (i << place) | group;
      const std::size_t s1 = ((i | half) << place) | group;
      const auto index0 = last_table(0, shift ^ plan_.register_shift[s0]);
      const auto index1 = last_table(1, shift ^ plan_.register_shift[s1]);
      put(s0, to, to_at ^ plan_.register_to[s0], Ops::pick(x[i], index0, x[i | half]));
      put(s1, to, to_at ^ plan_.register_to[s1], Ops::pick(x[i], index1, x[i | half]));
    }
  }

  const TilePlan& plan_;
  const std::uint8_t* first_;
  const std::uint8_t* last_;
  Vector kept_first_[kept_first == 0 ? 1 : kept_first];
  Vector kept_last_[2];
};

template <class Ops, int M>
using TwoTables = TwoTableKernel<Ops, M, Lanes::any>;
