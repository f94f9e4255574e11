// The ways of a strided plan that need two-table picks: carry, split and zip. Included
// once per instruction set, after tiles_strided-inl.h.

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
  __attribute__((noinline)) void store(const BlockFrom& b, std::byte* to,
                                       const Offset* table) const {
    Square<O, lane_log2>::run(Load{b, Bytes::load_table(tables.open.bytes)},
                              Put{to, table, static_cast<std::size_t>(b.cols) * E, b.rows,
                                  Bytes::load_table(tables.close.bytes)});
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

// ---- split and zip ----

// Lines put together from up to 8 vectors of bytes by a chain of picks: the k-th takes what is in
// vector k, and leaves the rest as it is.
template <std::size_t N>
struct PickChain {
  alignas(64) std::uint8_t index[N][64];

  // Byte b comes from byte at[b] of the N vectors.
  explicit PickChain(const std::uint16_t (&at)[64]) {
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

template <class Ops>
FARO_INLINE void put_line(std::byte* to, typename Ops::Vector x, bool streams) {
  if (streams) {
    Ops::stream(to, x);
  } else {
    Ops::store(to, x);
  }
}

// One stream of groups of N elements becomes N rows.
template <class Ops, std::size_t N>
void run_split_in(const StridedPlan& plan, const Panel& panel) {
  const auto e = static_cast<Offset>(plan.form.element_bytes);
  constexpr auto n = static_cast<Offset>(N);
  const Offset lanes = 64 / e;
  std::uint16_t at[64];
  for (std::size_t b = 0; b < 64; ++b) {
    const std::size_t bytes = plan.form.element_bytes;
    at[b] = static_cast<std::uint16_t>(b / bytes * N * bytes + b % bytes);
  }
  const PickChain<N> chain(at);
  // The last groups whose loads stay within the source.
  const Offset safe = panel.d_end - lanes - 1;
  constexpr Offset chunk_bytes = 16384;
  const Offset chunk = std::max(lanes, chunk_bytes / (n * e) / lanes * lanes);
  Offset done[N];
  for (Offset& d : done) d = panel.d_begin;
  for (Offset begin = panel.d_begin; begin < panel.d_end; begin += chunk) {
    const Offset stop = std::min(panel.d_end, begin + chunk);
    for (Offset s = 0; s < n; ++s) {
      const std::byte* from = panel.from + s * e;
      std::byte* to = panel.to + plan.s.at(s).base + *plan.s.at(s).table;
      Offset d = done[s];
      const auto one = [&] {
        std::memcpy(to + d * e, from + d * n * e, static_cast<std::size_t>(e));
        ++d;
      };
      const bool streams = plan.streaming && past_line(to) % e == 0;
      while (streams && d < stop && past_line(to + d * e) != 0) one();
      for (; d < stop && d <= safe; d += lanes) {
        typename Ops::Vector x[N];
        const std::byte* group = from + d * n * e;
        FARO_UNROLL
        for (std::size_t k = 0; k < N; ++k) x[k] = Ops::load(group + k * 64);
        put_line<Ops>(to + d * e, chain.template pick<Ops>(x), streams);
        if (s == 0) {
          FARO_UNROLL
          for (std::size_t k = 0; k < N; ++k) __builtin_prefetch(group + 4096 + k * 64, 0, 3);
        }
      }
      if (stop == panel.d_end) {
        while (d < stop) one();
      }
      done[s] = d;
    }
  }
}

// N streams become one: the line that begins with element f of a group takes from each stream what
// begins at its group.
template <class Ops, std::size_t N>
void run_zip_of(const StridedPlan& plan, const Panel& panel) {
  const std::size_t bytes = plan.form.element_bytes;
  const auto e = static_cast<Offset>(bytes);
  constexpr auto n = static_cast<Offset>(N);
  const Offset lanes = 64 / e;
  const auto chain_from = [bytes](std::size_t f) {
    std::uint16_t at[64];
    for (std::size_t b = 0; b < 64; ++b) {
      const std::size_t element = f + b / bytes;
      at[b] = static_cast<std::uint16_t>(element % N * 64 + element / N * bytes + b % bytes);
    }
    return PickChain<N>(at);
  };
  std::array<std::optional<PickChain<N>>, N> chains;
  for (std::size_t f = 0; f < N; ++f) chains[f] = chain_from(f);
  const std::byte* streams_from[N];
  for (Offset k = 0; k < n; ++k) {
    streams_from[k] = panel.from + plan.d.at(k).base + *plan.d.at(k).table;
  }
  Offset t = panel.s_begin * n;
  const Offset end = panel.s_end * n;
  const auto one = [&] {
    std::memcpy(panel.to + t * e, streams_from[t % n] + t / n * e, bytes);
    ++t;
  };
  const bool streams = plan.streaming && past_line(panel.to) % e == 0;
  while (streams && t < end && past_line(panel.to + t * e) != 0) one();
  Offset group = t / n;
  auto f = static_cast<std::size_t>(t % n);
  for (; t + lanes <= end && group + lanes <= panel.s_end; t += lanes) {
    typename Ops::Vector x[N];
    FARO_UNROLL
    for (std::size_t k = 0; k < N; ++k) x[k] = Ops::load(streams_from[k] + group * e);
    put_line<Ops>(panel.to + t * e, chains[f]->template pick<Ops>(x), streams);
    group += lanes / n;
    f += static_cast<std::size_t>(lanes % n);
    if (f >= N) {
      f -= N;
      ++group;
    }
  }
  while (t < end) one();
}

template <class Ops, bool Splits, std::size_t N = 2>
void run_narrow(const StridedPlan& plan, const Panel& panel) {
  const Offset n = Splits ? plan.s.length : plan.d.length;
  if constexpr (N < 8) {
    if (n != static_cast<Offset>(N)) return run_narrow<Ops, Splits, N + 1>(plan, panel);
  }
  if constexpr (Splits) {
    run_split_in<Ops, N>(plan, panel);
  } else {
    run_zip_of<Ops, N>(plan, panel);
  }
}

template <template <int> class Ops>
void run_panel(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  const bool tiles = plan.way == Way::exact || plan.way == Way::one || plan.way == Way::direct;
  if (plan.way == Way::runs) {
    run_runs<Ops<3>>(plan, panel);
  } else if (plan.way == Way::reversed) {
    run_reversed_of<Ops>(plan, panel);
  } else if (plan.way == Way::elements) {
    run_elements_of(plan, panel);
  } else if (plan.way == Way::split) {
    run_narrow<Ops<0>, true>(plan, panel);
  } else if (plan.way == Way::zip) {
    run_narrow<Ops<0>, false>(plan, panel);
  } else if (plan.way == Way::carry) {
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
  } else if (tiles && plan.form.element_bytes == 3) {
    run_blocks_by<Ops<3>, SpreadBlocks<Ops, 3>>(plan, panel, working);
  } else if (tiles && plan.form.element_bytes == 5) {
    run_blocks_by<Ops<3>, SpreadBlocks<Ops, 5>>(plan, panel, working);
  } else if (tiles && plan.form.element_bytes == 6) {
    run_blocks_by<Ops<3>, SpreadBlocks<Ops, 6>>(plan, panel, working);
  } else if (tiles && plan.form.element_bytes == 12) {
    run_blocks_by<Ops<3>, SpreadBlocks<Ops, 12>>(plan, panel, working);
  } else {
    run_tiles_of<Ops>(plan, panel, working);
  }
  if (plan.streaming) Ops<3>::fence();
}
