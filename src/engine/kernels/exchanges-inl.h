// Kernels for machines with fixed exchanges (AVX2, SSE4): PRE is a shuffle of each register
// as it is loaded, POST one as it is stored, both left out where they are the identity; the stages
// between are exact exchanges of a lane bit with a register bit. Included once per instruction set,
// inside its namespace; written with Highway's portable operations.

namespace hn = hwy::HWY_NAMESPACE;

// Bytes of weight `Weight` change places: the upper of each pair of a with the lower of b.
template <int Weight, class D, class Vector>
FARO_INLINE void exchange_places(D d, Vector& a, Vector& b) {
  const auto finish = [&](auto dd, auto low, auto high) HWY_ATTR {
    (void)dd;
    a = hn::BitCast(d, low);
    b = hn::BitCast(d, high);
  };
  if constexpr (Weight == 16) {
    finish(d, hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
  } else if constexpr (Weight == 8) {
    const hn::Repartition<std::uint64_t, D> d64;
    const auto a64 = hn::BitCast(d64, a);
    const auto b64 = hn::BitCast(d64, b);
    finish(d64, hn::InterleaveLower(d64, a64, b64), hn::InterleaveUpper(d64, a64, b64));
  } else {
    using Wide = std::conditional_t<Weight == 4, std::uint64_t,
                                    std::conditional_t<Weight == 2, std::uint32_t, std::uint16_t>>;
    using Narrow = std::conditional_t<Weight == 4, std::uint32_t,
                                      std::conditional_t<Weight == 2, std::uint16_t, std::uint8_t>>;
    const hn::Repartition<Wide, D> wide;
    const hn::Repartition<Narrow, D> narrow;
    const auto up = hn::BitCast(narrow, hn::ShiftLeft<8 * Weight>(hn::BitCast(wide, b)));
    const auto down = hn::BitCast(narrow, hn::ShiftRight<8 * Weight>(hn::BitCast(wide, a)));
    finish(narrow, hn::OddEven(up, hn::BitCast(narrow, a)),
           hn::OddEven(hn::BitCast(narrow, b), down));
  }
}

// See put_shuffle in tables.cpp for what the tables hold.
template <class Ops>
FARO_INLINE typename Ops::Vector shuffled(typename Ops::Vector x, const std::uint8_t* table,
                                          Word index) {
  const typename Ops::Bytes d;
  if constexpr (Ops::vector_bytes == 16) {
    return hn::TableLookupBytes(x, hn::LoadU(d, table + index * 16));
  } else if constexpr (Ops::unit_log2 >= 2) {
    const hn::Repartition<std::uint32_t, typename Ops::Bytes> d32;
    const auto lanes = hn::BitCast(d32, hn::LoadU(d, table + index * 32));
    return hn::BitCast(d,
                       hn::TableLookupLanes(hn::BitCast(d32, x), hn::IndicesFromVec(d32, lanes)));
  } else {
    const auto low = hn::LoadU(d, table + index * 64);
    const auto high = hn::LoadU(d, table + index * 64 + 32);
    return hn::Or(hn::TableLookupBytesOr0(hn::ConcatLowerLower(d, x, x), low),
                  hn::TableLookupBytesOr0(hn::ConcatUpperUpper(d, x, x), high));
  }
}

// Stages Begin..End-1 on the registers that differ in these bits of their number.
template <class Ops, int M, int Begin, int End, int Count>
FARO_INLINE void exchange_stages(typename Ops::Vector (&x)[Count]) {
  if constexpr (Begin < End) {
    constexpr int common = Ops::vector_log2 - Ops::unit_log2 - M;
    constexpr int weight = 1 << (common + Begin + Ops::unit_log2);
    constexpr int step = Count >> (End - Begin);
    FARO_UNROLL
    for (int r = 0; r < Count; ++r) {
      if ((r & step) == 0) Ops::template exchange<weight>(x[r], x[r | step]);
    }
    exchange_stages<Ops, M, Begin + 1, End>(x);
  }
}

// What becomes of a register before the stages and after them.
template <class Ops, bool has_pre, bool has_post>
struct OuterLanes {
  const std::uint8_t* pre;
  const std::uint8_t* post;
  FARO_INLINE typename Ops::Vector before(typename Ops::Vector x, Word r) const {
    if constexpr (has_pre) return shuffled<Ops>(x, pre, r);
    return x;
  }
  FARO_INLINE typename Ops::Vector after(typename Ops::Vector x, Word shift) const {
    if constexpr (has_post) return shuffled<Ops>(x, post, shift);
    return x;
  }
};

template <class OpsOf, int M>
struct Exchanges {
  using Ops = OpsOf;
  using Vector = typename Ops::Vector;
  using Plain = Exchanges;
  static constexpr std::size_t registers = std::size_t{1} << M;
  static constexpr bool pairs = true;
  // Kernels that have eight registers together.
  static constexpr std::size_t grouped = M <= 3 ? group_kernels >> M : 0;
  // Eight registers at a time leave room in sixteen; more stages are split in two halves.
  static constexpr int split = M <= 3 ? M : (M + 1) / 2;

  template <bool has_pre, bool has_post>
  using Lanes = OuterLanes<Ops, has_pre, has_post>;

  const TilePlan& plan;
  const std::uint8_t* pre;
  const std::uint8_t* post;

  Exchanges(const TilePass& pass, Word)
      : plan(pass.plan),
        pre(pass.tables.has_pre ? pass.tables.at(pass.tables.first) : nullptr),
        post(pass.tables.has_post ? pass.tables.at(pass.tables.last) : nullptr) {}

  // All stages of the kernels of a group: the bits of a register's number are the high ones.
  static FARO_INLINE void stages(Vector (&x)[group_kernels]) { exchange_stages<Ops, M, 0, M>(x); }

  template <class PutTo>
  FARO_INLINE void run(const std::byte* from, Word from_at, std::byte* to, Word to_at, Word shift,
                       const PutTo& put) const {
    if constexpr (M <= 3) {
      Vector x[1 << M];
      load(plan, from, from_at, 0, pre, x);
      exchange_stages<Ops, M, 0, M>(x);
      finish(plan, x, 0, post, to, to_at, shift, put);
    } else {
      alignas(64) std::byte buffer[(std::size_t{1} << M) * Ops::vector_bytes];
      for (int group = 0; group < (1 << (M - split)); ++group) {
        Vector x[1 << split];
        load(plan, from, from_at, group << split, pre, x);
        exchange_stages<Ops, M, 0, split>(x);
        FARO_UNROLL
        for (int r = 0; r < (1 << split); ++r) {
          Ops::store(buffer + static_cast<std::size_t>((group << split) | r) * Ops::vector_bytes,
                     x[r]);
        }
      }
      for (int group = 0; group < (1 << split); ++group) {
        Vector x[1 << (M - split)];
        FARO_UNROLL
        for (int r = 0; r < (1 << (M - split)); ++r) {
          x[r] = Ops::load(buffer +
                           static_cast<std::size_t>((r << split) | group) * Ops::vector_bytes);
        }
        exchange_stages<Ops, M, split, M>(x);
        finish(plan, x, group, post, to, to_at, shift, put);
      }
    }
  }

  template <int Count>
  static FARO_INLINE void load(const TilePlan& plan, const std::byte* from, Word from_at, int base,
                               const std::uint8_t* pre, Vector (&x)[Count]) {
    const Word* offsets = plan.register_from.data() + base;
    FARO_UNROLL
    for (int r = 0; r < Count; ++r) x[r] = Ops::load(from + (from_at ^ offsets[r]));
    if (pre == nullptr) return;
    FARO_UNROLL
    for (int r = 0; r < Count; ++r) x[r] = shuffled<Ops>(x[r], pre, static_cast<Word>(base + r));
  }

  template <class PutTo, int Count>
  static FARO_INLINE void finish(const TilePlan& plan, Vector (&x)[Count], int group,
                                 const std::uint8_t* post, std::byte* to, Word to_at, Word shift,
                                 const PutTo& put) {
    constexpr int place = M <= 3 ? 0 : split;
    if (post != nullptr) {
      FARO_UNROLL
      for (int i = 0; i < Count; ++i) {
        const auto s = static_cast<std::size_t>((i << place) | group);
        x[i] = shuffled<Ops>(x[i], post, shift ^ plan.register_shift[s]);
      }
    }
    FARO_UNROLL
    for (int i = 0; i < Count; ++i) {
      const auto s = static_cast<std::size_t>((i << place) | group);
      put(s, to, to_at ^ plan.register_to[s], x[i]);
    }
  }
};
