// What two-table picks do for a strided plan: carry, elements of odd sizes, and the lines of split
// and zip. Included once per instruction set, after tiles_strided_by_lines-inl.h.

// ---- elements of 3, 5, 6 and 12 bytes: spread to lanes, transposed, closed up ----

template <template <int> class Ops, std::size_t E>
struct SpreadBlocks {
  static constexpr std::size_t lane = E <= 4 ? 4 : E <= 8 ? 8 : 16;
  static constexpr int lane_log2 = E <= 4 ? 2 : E <= 8 ? 3 : 4;
  static constexpr auto side = static_cast<Offset>(64 / lane);
  static constexpr bool overlaps = false;
  using O = Ops<(lane_log2 < 3 ? lane_log2 : 3)>;
  using Bytes = Ops<0>;
  static constexpr const auto& tables = spread_tables<E, lane>;

  struct Load {
    BlockFrom block;
    typename Bytes::Vector open;
    FARO_INLINE typename O::Vector operator()(Offset i) const {
      if (i >= block.cols) return O::zero();
      const std::byte* at = block.from + block.table[i];
      if (block.ahead != 0) __builtin_prefetch(at + block.ahead, 0, 3);
      const auto x = Bytes::load_first(at, static_cast<std::size_t>(block.rows) * E);
      return O::from_bytes(Bytes::pick_one(x, open));
    }
  };
  struct Put {
    std::byte* to;
    const Offset* table;
    std::size_t bytes;
    Offset rows;
    typename Bytes::Vector close;
    FARO_INLINE void operator()(Offset i, typename O::Vector x) const {
      if (i >= rows) return;
      Bytes::store_first(to + table[i], Bytes::pick_one(O::to_bytes(x), close), bytes);
    }
  };

  explicit SpreadBlocks(Offset) {}
  __attribute__((noinline)) Offset store(const BlockFrom& b, Offset, std::byte* to,
                                         const Offset* table) const {
    Square<O, lane_log2>::run(Load{b, Bytes::load_table(tables.open.bytes)},
                              Put{to, table, static_cast<std::size_t>(b.cols) * E, b.rows,
                                  Bytes::load_table(tables.close.bytes)});
    return side;
  }
};

// ---- carry ----

// Line k of a row is the end of block k and the beginning of block k + 1, put together by one pick.
// The last block of every row waits in 64 bytes for the next one.
template <class Ops, int ElementLog2>
struct CarryRows {
  static constexpr Offset n = Offset{64} >> ElementLog2;
  static constexpr Offset e = Offset{1} << ElementLog2;
  static constexpr const auto& tables = shift_tables<Ops::unit_log2, ElementLog2>;
  std::byte* to;
  const Offset* table;
  std::byte* carry;

  // Elements of a row before its first line.
  static FARO_INLINE Offset before_line(const std::byte* row) {
    return ((64 - past_line(row)) % 64) >> ElementLog2;
  }
  FARO_INLINE void operator()(Offset i, typename Ops::Vector x) const {
    std::byte* row = to + table[i];
    std::byte* waiting = carry + i * 64;
    const Offset a = before_line(row);
    const auto index = Ops::load_table(tables.shift[a].bytes);
    Ops::stream(row + (a - n) * e, Ops::pick(Ops::load(waiting), index, x));
    Ops::store(waiting, x);
  }

  // The same after x0, which adjoins.
  FARO_INLINE void pair(Offset i, typename Ops::Vector x0, typename Ops::Vector x) const {
    std::byte* row = to + table[i];
    std::byte* waiting = carry + i * 64;
    const Offset a = before_line(row);
    const auto index = Ops::load_table(tables.shift[a].bytes);
    Ops::stream(row + (a - n) * e, Ops::pick(Ops::load(waiting), index, x0));
    Ops::stream(row + a * e, Ops::pick(x0, index, x));
    Ops::store(waiting, x);
  }

  // `cols` elements, which may be a row's first or its last.
  void part(Offset i, typename Ops::Vector x, Offset cols, bool first, bool last) const {
    const auto bytes = [](Offset elements) {
      return static_cast<std::size_t>(elements << ElementLog2);
    };
    std::byte* row = to + table[i];
    std::byte* waiting = carry + i * 64;
    const Offset a = before_line(row);
    const auto index = Ops::load_table(tables.shift[a].bytes);
    const Offset have = std::min(a, cols);
    if (first) {
      Ops::store_first(row, x, bytes(have));
    } else if (have == a) {
      Ops::stream(row + (a - n) * e, Ops::pick(Ops::load(waiting), index, x));
    } else {
      Ops::store_first(row + (a - n) * e, Ops::pick(Ops::load(waiting), index, x),
                       bytes(n - a + have));
    }
    if (last && cols > a) Ops::store_first(row + a * e, Ops::pick(x, index, x), bytes(cols - a));
    Ops::store(waiting, x);
  }
};

template <template <int> class Ops, int ElementLog2>
struct CarryTile {
  using O = Ops<(ElementLog2 < 3 ? ElementLog2 : 3)>;
  using Blocks = LaneBlocks<Ops, ElementLog2>;
  using Rows = CarryRows<O, ElementLog2>;
  static constexpr Offset n = Offset{64} >> ElementLog2;
  const StridedPlan& plan;
  const Panel& panel;
  Offset ahead;
  std::byte* carry;

  struct PutPairs {
    const typename Blocks::Own& own;
    const Rows& rows;
    FARO_INLINE void operator()(Offset i, typename O::Vector x) const {
      rows.pair(i, O::load(own.bytes + Blocks::own_rows[i]), x);
    }
  };

  static __attribute__((noinline)) void whole(const BlockFrom& b, const Rows& rows) {
    Square<O, ElementLog2>::run(LoadColumns<O>{b.from, b.table, b.ahead}, rows);
  }
  static __attribute__((noinline)) void pair(const BlockFrom& b, const Rows& rows) {
    typename Blocks::Own own;
    Square<O, ElementLog2>::run(LoadColumns<O>{b.from, b.table, b.ahead},
                                PutRows<StorePut<O>>{own.bytes, Blocks::own_rows});
    Square<O, ElementLog2>::run(LoadColumns<O>{b.from, b.table + n, b.ahead}, PutPairs{own, rows});
  }
  static __attribute__((noinline)) void part(const BlockFrom& b, const Rows& rows, bool first,
                                             bool last) {
    typename Blocks::Own own;
    Blocks::transpose_part(b, own);
    for (Offset i = 0; i < b.rows; ++i) {
      rows.part(i, O::load(own.bytes + Blocks::own_rows[i]), b.cols, first, last);
    }
  }

  void operator()(Offset d_tile, Offset cols, const Offset* from_table, const std::byte* from,
                  Offset s_tile, Offset rows, const Offset* to_table, std::byte* to) const {
    for (Offset s = 0; s < rows; s += n) {
      std::byte* waiting = carry + (s_tile + s - panel.s_begin) * 64;
      for (Offset d = 0; d < cols; d += n) {
        const BlockFrom block{from + s * plan.s_from, from_table + d, std::min(n, cols - d),
                              std::min(n, rows - s), ahead};
        const Rows put{to + d * plan.d_to, to_table + s, waiting};
        const bool first = d_tile + d == panel.d_begin;
        const bool last = d_tile + d + block.cols == panel.d_end;
        if (Blocks::is_whole(block) && !first && d + 2 * n <= cols &&
            d_tile + d + 2 * n < panel.d_end) {
          pair(block, put);
          d += n;
        } else if (Blocks::is_whole(block) && !first && !last) {
          whole(block, put);
        } else {
          part(block, put, first, last);
        }
      }
    }
  }
};

template <template <int> class Ops, int ElementLog2>
void run_carry_tiles(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  CarryTile<Ops, ElementLog2> tile{plan, panel, bytes_ahead(plan), working};
  each_tile(plan, panel, 0, tile);
}

// ---- lines of split and zip ----

// Lines put together from up to 8 vectors of bytes by a chain of picks: the k-th takes what is in
// vector k, and leaves the rest as it is.
template <std::size_t N>
struct PickChain {
  alignas(64) std::uint8_t index[N][64];

  // Byte b comes from byte at[b] of the N vectors.
  explicit PickChain(const std::array<std::uint16_t, 64>& at) {
    for (std::size_t k = 1; k < N; ++k) {
      for (std::size_t b = 0; b < 64; ++b) {
        const std::size_t vector = at[b] / 64;
        const std::size_t place = at[b] % 64;
        const std::size_t own = k == 1 ? place : b;  // of what has been picked so far
        index[k][b] = static_cast<std::uint8_t>(vector == k ? 64 + place : own);
      }
    }
  }
  template <class Ops>
  FARO_INLINE typename Ops::Vector pick(const typename Ops::Vector (&x)[N]) const {
    auto y = Ops::pick(x[0], Ops::load_table(index[1]), x[1]);
    FARO_UNROLL
    for (std::size_t k = 2; k < N; ++k) y = Ops::pick(y, Ops::load_table(index[k]), x[k]);
    return y;
  }
};

template <class Ops, std::size_t N>
class PickedSplit {
 public:
  explicit PickedSplit(std::size_t element_bytes) : chain_(places(element_bytes)) {}

  FARO_INLINE void put(const std::byte* group, std::byte* to, bool streams) const {
    typename Ops::Vector x[N];
    FARO_UNROLL
    for (std::size_t k = 0; k < N; ++k) x[k] = Ops::load(group + k * 64);
    put_vector<Ops>(to, chain_.template pick<Ops>(x), streams);
  }

 private:
  static std::array<std::uint16_t, 64> places(std::size_t bytes) {
    std::array<std::uint16_t, 64> at{};
    for (std::size_t b = 0; b < 64; ++b) {
      at[b] = static_cast<std::uint16_t>(b / bytes * N * bytes + b % bytes);
    }
    return at;
  }
  PickChain<N> chain_;
};

template <class Ops, std::size_t N>
class PickedZip {
 public:
  explicit PickedZip(std::size_t element_bytes) {
    for (std::size_t f = 0; f < N; ++f) chains_[f].emplace(places(element_bytes, f));
  }

  FARO_INLINE void put(const std::byte* const (&from)[N], Offset at, std::size_t f, std::byte* to,
                       bool streams) const {
    typename Ops::Vector x[N];
    FARO_UNROLL
    for (std::size_t k = 0; k < N; ++k) x[k] = Ops::load(from[k] + at);
    put_vector<Ops>(to, chains_[f]->template pick<Ops>(x), streams);
  }

 private:
  static std::array<std::uint16_t, 64> places(std::size_t bytes, std::size_t f) {
    std::array<std::uint16_t, 64> at{};
    for (std::size_t b = 0; b < 64; ++b) {
      const std::size_t element = f + b / bytes;
      at[b] = static_cast<std::uint16_t>(element % N * 64 + element / N * bytes + b % bytes);
    }
    return at;
  }
  std::array<std::optional<PickChain<N>>, N> chains_;
};

template <template <int> class Ops>
void run_panel(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  if (plan.way == Way::carry) {
    switch (plan.form.element_bytes) {
      case 1:
        run_carry_tiles<Ops, 0>(plan, panel, working);
        break;
      case 2:
        run_carry_tiles<Ops, 1>(plan, panel, working);
        break;
      case 4:
        run_carry_tiles<Ops, 2>(plan, panel, working);
        break;
      case 8:
        run_carry_tiles<Ops, 3>(plan, panel, working);
        break;
      default:
        run_carry_tiles<Ops, 4>(plan, panel, working);
    }
  } else {
    run_ways_of<Ops, SpreadBlocks, PickedSplit, PickedZip>(plan, panel, working);
  }
  if (plan.streaming) Ops<3>::fence();
}
