// What shuffles of 16 bytes do for a strided plan: the lines of split and zip, and elements of odd
// sizes. Included once per instruction set, after tiles_strided_by_lines-inl.h.

// Indices of 16 bytes, in every 16 of a vector its own; what comes from elsewhere is 0.
template <class Ops>
struct ShuffleTable {
  alignas(Ops::vector_bytes) std::uint8_t index[Ops::vector_bytes];

  void set(std::size_t byte, std::size_t from, bool here) {
    index[byte] = static_cast<std::uint8_t>(here ? from : 0x80);
  }
};

// 16 bytes, and where a vector has as many again those `apart` bytes further: `load` loads 16.
template <class Ops, class Load>
FARO_INLINE typename Ops::Vector load_blocks(const std::byte* from, Offset apart,
                                             const Load& load) {
  const typename Ops::Bytes d;
  if constexpr (Ops::vector_bytes == 16) {
    return hn::BitCast(d, load(from));
  } else {
    const hn::Repartition<std::uint64_t, typename Ops::Bytes> words;
    return hn::BitCast(d, hn::Combine(words, load(from + apart), load(from)));
  }
}

using TwoWords = hn::Simd<std::uint64_t, 2, 0>;
using OneWord = hn::Simd<std::uint64_t, 1, 0>;

template <class Ops>
FARO_INLINE typename Ops::Vector shuffled_from(const std::byte* from, Offset apart,
                                               const ShuffleTable<Ops>& table) {
  const auto x = load_blocks<Ops>(from, apart, [](const std::byte* at) HWY_ATTR {
    return hn::LoadU(TwoWords(), reinterpret_cast<const std::uint64_t*>(at));
  });
  return hn::TableLookupBytesOr0(x, hn::Load(typename Ops::Bytes(), table.index));
}

// 16 bytes as the first 8 and the last 8 of `bytes`: nothing beside those is touched.
template <class Ops>
FARO_INLINE typename Ops::Vector load_halves(const std::byte* from, Offset bytes) {
  return load_blocks<Ops>(from, bytes, [bytes](const std::byte* at) HWY_ATTR {
    const auto word = [](const std::byte* there) HWY_ATTR {
      return hn::LoadU(OneWord(), reinterpret_cast<const std::uint64_t*>(there));
    };
    return hn::Combine(TwoWords(), word(at + bytes - 8), word(at));
  });
}
template <class Ops>
FARO_INLINE void store_halves(std::byte* to, typename Ops::Vector x, Offset bytes) {
  const auto part = [bytes](std::byte* at, auto words) HWY_ATTR {
    hn::StoreU(hn::LowerHalf(OneWord(), words), OneWord(), reinterpret_cast<std::uint64_t*>(at));
    hn::StoreU(hn::UpperHalf(OneWord(), words), OneWord(),
               reinterpret_cast<std::uint64_t*>(at + bytes - 8));
  };
  const hn::Repartition<std::uint64_t, typename Ops::Bytes> d;
  const auto words = hn::BitCast(d, x);
  if constexpr (Ops::vector_bytes == 16) {
    part(to, words);
  } else {
    part(to, hn::LowerHalf(TwoWords(), words));
    part(to + bytes, hn::UpperHalf(TwoWords(), words));
  }
}

template <class Ops, std::size_t N>
class ShuffledSplit {
 public:
  explicit ShuffledSplit(std::size_t bytes) {
    for (std::size_t b = 0; b < Ops::vector_bytes; ++b) {
      const std::size_t at = b % 16 / bytes * N * bytes + b % bytes;
      for (std::size_t k = 0; k < N; ++k) tables_[k].set(b, at % 16, at / 16 == k);
    }
  }

  FARO_INLINE void put(const std::byte* group, std::byte* to, bool streams) const {
    const typename Ops::Bytes d;
    FARO_UNROLL
    for (std::size_t v = 0; v < 64; v += Ops::vector_bytes) {
      auto y = shuffled_from<Ops>(group + v * N, 16 * N, tables_[0]);
      FARO_UNROLL
      for (std::size_t k = 1; k < N; ++k) {
        y = hn::Or(y, shuffled_from<Ops>(group + v * N + k * 16, 16 * N, tables_[k]));
      }
      put_vector<Ops>(to + v, y, streams);
    }
  }

 private:
  ShuffleTable<Ops> tables_[N];
};

template <class Ops, std::size_t N>
class ShuffledZip {
 public:
  explicit ShuffledZip(std::size_t bytes)
      : vector_groups_(Ops::vector_bytes / bytes / N * bytes),
        vector_rest_(Ops::vector_bytes / bytes % N),
        bytes_(static_cast<Offset>(bytes)) {
    const std::size_t block = 16 / bytes;
    for (std::size_t f = 0; f < N; ++f) {
      apart_[f] = static_cast<Offset>((f + block) / N * bytes);
      for (std::size_t b = 0; b < Ops::vector_bytes; ++b) {
        const std::size_t first = b < 16 ? f : (f + block) % N;
        const std::size_t element = first + b % 16 / bytes;
        const std::size_t at = element / N * bytes + b % bytes;
        for (std::size_t k = 0; k < N; ++k) tables_[f][k].set(b, at, element % N == k);
      }
    }
  }

  FARO_INLINE void put(const std::byte* const (&from)[N], Offset at, std::size_t f, std::byte* to,
                       bool streams) const {
    FARO_UNROLL
    for (std::size_t v = 0; v < 64; v += Ops::vector_bytes) {
      const Offset apart = apart_[f];
      auto y = shuffled_from<Ops>(from[0] + at, apart, tables_[f][0]);
      FARO_UNROLL
      for (std::size_t k = 1; k < N; ++k) {
        y = hn::Or(y, shuffled_from<Ops>(from[k] + at, apart, tables_[f][k]));
      }
      put_vector<Ops>(to + v, y, streams);
      at += static_cast<Offset>(vector_groups_);
      f += vector_rest_;
      if (f >= N) {
        f -= N;
        at += bytes_;
      }
    }
  }

 private:
  std::size_t vector_groups_;  // bytes of each stream in a vector's whole groups
  std::size_t vector_rest_;    // elements of a vector beyond them
  Offset bytes_;
  Offset apart_[N];
  ShuffleTable<Ops> tables_[N][N];
};

// Elements of 3, 5, 6 and 12 bytes: spread to lanes, transposed, closed up. What goes to 16 bytes,
// and what comes of them, is read and written as two overlapping halves.
template <template <int> class Ops, std::size_t E>
struct ShuffledBlocks {
  static constexpr std::size_t lane = E <= 4 ? 4 : E <= 8 ? 8 : 16;
  static constexpr int lane_log2 = E <= 4 ? 2 : E <= 8 ? 3 : 4;
  static constexpr auto closed = static_cast<Offset>(16 / lane * E);  // bytes of 16 closed up
  using O = Ops<(lane_log2 < 3 ? lane_log2 : 3)>;
  using Vector = typename O::Vector;
  static constexpr auto side = static_cast<Offset>(O::vector_bytes / lane);
  static constexpr std::size_t squares = 64 / O::vector_bytes;  // that are moved together
  static constexpr bool overlaps = true;

  struct Tables {
    ShuffleTable<O> open;
    ShuffleTable<O> close;
  };

  struct Load {
    const BlockFrom& block;
    const Offset* table;
    const ShuffleTable<O>& open;
    FARO_INLINE Vector operator()(Offset i) const {
      const std::byte* at = block.from + table[i];
      if (block.ahead != 0) __builtin_prefetch(at + block.ahead, 0, 3);
      const typename O::Bytes d;
      return hn::TableLookupBytesOr0(load_halves<O>(at, closed), hn::Load(d, open.index));
    }
  };
  struct Put {
    std::byte* to;
    const Offset* table;
    const ShuffleTable<O>& close;
    FARO_INLINE void operator()(Offset i, Vector x) const {
      const typename O::Bytes d;
      const auto y = hn::TableLookupBytesOr0(x, hn::Load(d, close.index));
      store_halves<O>(to + table[i], y, closed);
    }
  };

  explicit ShuffledBlocks(Offset) {
    constexpr auto second = static_cast<std::size_t>(closed) - 8;  // where the upper half begins
    for (std::size_t b = 0; b < O::vector_bytes; ++b) {
      const std::size_t place = b % 16;
      const std::size_t apart = place / lane * E + place % lane;
      tables_.open.set(b, apart < 8 ? apart : apart - second + 8, place % lane < E);
      const std::size_t joined = place < 8 ? place : place - 8 + second;
      tables_.close.set(b, joined / E * lane + joined % E, true);
    }
  }

  __attribute__((noinline)) void store_squares(const BlockFrom& b, Offset count, std::byte* to,
                                               const Offset* rows) const {
    for (Offset k = 0; k < count; ++k) {
      Square<O, lane_log2>::run(Load{b, b.table + k * side, tables_.open},
                                Put{to + k * side * static_cast<Offset>(E), rows, tables_.close});
    }
  }
  Offset store(const BlockFrom& b, Offset cols, std::byte* to, const Offset* table) const {
    if (b.rows < side || cols < side) {
      CopiedBlocks<E>(0).store(b, cols, to, table);
      return side;
    }
    const Offset count = std::min(cols / side, static_cast<Offset>(squares));
    store_squares(b, count, to, table);
    return count * side;
  }

 private:
  Tables tables_;
};

template <template <int> class Ops>
void run_panel(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  run_ways_of<Ops, ShuffledBlocks, ShuffledSplit, ShuffledZip>(plan, panel, working);
  if (plan.streaming) Ops<3>::fence();
}
