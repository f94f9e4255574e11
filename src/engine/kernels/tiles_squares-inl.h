// Blocks of a strided plan's tiles, over a policy Ops. Included once per
// instruction set, inside its namespace, after the tile loops.
//
// A block is at most N x N elements, N a vector's: N vectors of S at N places of D are loaded,
// transposed in registers and become N vectors of D at N rows.

// One block's source.
struct BlockFrom {
  const std::byte* from;  // element (0, 0)
  const Offset* table;    // offsets of its columns
  Offset cols;
  Offset rows;
  Offset ahead;  // where what follows is, to be prefetched; 0 is nowhere
};

// ---- squares of 2^ElementLog2 bytes ----

// A square of elements of 2^ElementLog2 bytes, a row in each of as many registers, transposed:
// stage by stage a bit of an element's place with the same bit of the register's number.
template <class Ops, int ElementLog2>
struct Square {
  using Vector = typename Ops::Vector;
  static constexpr int stages = Ops::vector_log2 - ElementLog2;
  static constexpr int side = 1 << stages;
  // More registers than fit go in two halves, with a buffer between.
  static constexpr int split = stages <= Ops::square_log2 ? stages : (stages + 1) / 2;

  template <int Begin, int End, int At, int Count>
  static FARO_INLINE void exchange_stages(Vector (&x)[Count]) {
    if constexpr (At < End) {
      constexpr int step = 1 << (At - Begin);
      FARO_UNROLL
      for (int r = 0; r < Count; ++r) {
        if ((r & step) == 0) {
          Ops::template exchange<(1 << (At + ElementLog2))>(x[r], x[r | step]);
        }
      }
      exchange_stages<Begin, End, At + 1>(x);
    }
  }

  template <class Load, class PutTo>
  static FARO_INLINE void run(const Load& load, const PutTo& put) {
    if constexpr (split == stages) {
      Vector x[side];
      FARO_UNROLL
      for (int r = 0; r < side; ++r) x[r] = load(r);
      exchange_stages<0, stages, 0>(x);
      FARO_UNROLL
      for (int r = 0; r < side; ++r) put(r, x[r]);
    } else {
      constexpr int near = 1 << split;
      constexpr int far = side / near;
      alignas(64) std::byte buffer[static_cast<std::size_t>(side) * Ops::vector_bytes];
      const auto at = [&buffer](int r) {
        return buffer + static_cast<std::size_t>(r) * Ops::vector_bytes;
      };
      for (int group = 0; group < far; ++group) {
        Vector x[near];
        FARO_UNROLL
        for (int r = 0; r < near; ++r) x[r] = load(group * near + r);
        exchange_stages<0, split, 0>(x);
        FARO_UNROLL
        for (int r = 0; r < near; ++r) Ops::store(at(group * near + r), x[r]);
      }
      for (int group = 0; group < near; ++group) {
        Vector x[far];
        FARO_UNROLL
        for (int r = 0; r < far; ++r) x[r] = Ops::load(at(r * near + group));
        exchange_stages<split, stages, split>(x);
        FARO_UNROLL
        for (int r = 0; r < far; ++r) put(r * near + group, x[r]);
      }
    }
  }
};

template <class Ops>
struct LoadColumns {
  const std::byte* from;
  const Offset* table;
  Offset ahead;

  FARO_INLINE typename Ops::Vector operator()(Offset i) const {
    const std::byte* at = from + table[i];
    if (ahead != 0) __builtin_prefetch(at + ahead, 0, 3);
    return Ops::load(at);
  }
};

// The first bytes of columns that end sooner than a vector.
template <class Ops>
struct LoadFirst {
  const std::byte* from;
  const Offset* table;
  std::size_t bytes;

  FARO_INLINE typename Ops::Vector operator()(Offset i) const {
    return Ops::load_first(from + table[i], bytes);
  }
};

// Rows to memory or to a stage.
template <class PutTo>
struct PutRows {
  std::byte* to;
  const Offset* table;

  template <class Vector>
  FARO_INLINE void operator()(Offset i, Vector x) const {
    PutTo::put(to + table[i], x);
  }
};

template <class PutTo>
struct PutSome {
  PutRows<PutTo> put;
  Offset rows;

  template <class Vector>
  FARO_INLINE void operator()(Offset i, Vector x) const {
    if (i < rows) put(i, x);
  }
};

// The last square of some whose rows adjoin, with what the others have left in `own`: a row's lines
// are written one after the other, not each after a line of every other row.
template <class Ops, std::size_t Others, bool Skips>
struct StreamWith {
  const std::byte* own;
  std::size_t square_bytes;
  std::byte* to;
  const Offset* table;
  Offset skipped;  // rows before this one are written already

  template <class Vector>
  FARO_INLINE void operator()(Offset i, Vector x) const {
    if (Skips && i < skipped) return;
    const std::size_t at = static_cast<std::size_t>(i) * Ops::vector_bytes;
    FARO_UNROLL
    for (std::size_t k = 0; k < Others; ++k) {
      Ops::stream(to + table[i] + k * Ops::vector_bytes, Ops::load(own + k * square_bytes + at));
    }
    Ops::stream(to + table[i] + Others * Ops::vector_bytes, x);
  }
};

// Row i of a square in memory of its own.
template <Offset Side, Offset Pitch>
struct RowPlaces {
  Offset at[Side] = {};
  constexpr RowPlaces() {
    for (Offset i = 0; i < Side; ++i) at[i] = i * Pitch;
  }
};
template <Offset Side, Offset Pitch>
inline constexpr RowPlaces<Side, Pitch> row_places{};

template <class Ops>
struct PutFirst {
  std::byte* to;
  const Offset* table;
  std::size_t bytes;

  FARO_INLINE void operator()(Offset i, typename Ops::Vector x) const {
    Ops::store_first(to + table[i], x, bytes);
  }
};

template <template <int> class Ops, int ElementLog2>
struct LaneBlocks {
  using O = Ops<(ElementLog2 < 3 ? ElementLog2 : 3)>;
  using Moved = Square<O, ElementLog2>;
  static constexpr auto vector = static_cast<Offset>(O::vector_bytes);
  static constexpr Offset side = vector >> ElementLog2;

  // A block that is put together in memory of its own, vector by vector.
  struct alignas(64) Own {
    std::byte bytes[static_cast<std::size_t>(side * vector)];
  };
  static constexpr const Offset* own_rows = row_places<side, vector>.at;

  static constexpr bool overlaps = true;

  explicit LaneBlocks(Offset) {}

  static bool is_whole(const BlockFrom& b) { return b.cols >= side && b.rows >= side; }
  static std::size_t bytes(Offset elements) {
    return static_cast<std::size_t>(elements << ElementLog2);
  }
  static __attribute__((noinline)) void store_whole(const std::byte* from, const Offset* columns,
                                                    Offset ahead, std::byte* to,
                                                    const Offset* rows) {
    Moved::run(LoadColumns<O>{from, columns, ahead}, PutRows<StorePut<O>>{to, rows});
  }
  static __attribute__((noinline)) void stream_whole(const std::byte* from, const Offset* columns,
                                                     Offset ahead, std::byte* to,
                                                     const Offset* rows) {
    Moved::run(LoadColumns<O>{from, columns, ahead}, PutRows<StreamPut<O>>{to, rows});
  }
  static constexpr Offset squares_of_line =
      std::max(Offset{1}, static_cast<Offset>(line_bytes) / vector);
  // Whole squares side by side, so many columns in all.
  static __attribute__((noinline)) void store_line(const BlockFrom& b, std::byte* to,
                                                   const Offset* rows) {
    for (Offset k = 0; k < squares_of_line; ++k) {
      Moved::run(LoadColumns<O>{b.from, b.table + k * side, b.ahead},
                 PutRows<StorePut<O>>{to + k * vector, rows});
    }
  }
  // The same streamed: no line is written in parts.
  template <Offset Squares, bool Skips>
  static __attribute__((noinline)) void stream_squares(const BlockFrom& b, std::byte* to,
                                                       const Offset* rows, Offset skipped) {
    constexpr auto others = static_cast<std::size_t>(Squares) - 1;
    Own own[others];
    for (std::size_t k = 0; k < others; ++k) {
      Moved::run(LoadColumns<O>{b.from, b.table + static_cast<Offset>(k) * side, b.ahead},
                 PutRows<StorePut<O>>{own[k].bytes, own_rows});
    }
    Moved::run(LoadColumns<O>{b.from, b.table + static_cast<Offset>(others) * side, b.ahead},
               StreamWith<O, others, Skips>{own[0].bytes, sizeof(Own), to, rows, skipped});
  }
  template <Offset Squares>
  static FARO_INLINE void stream_rows_of(const BlockFrom& b, std::byte* to, const Offset* rows,
                                         Offset skipped) {
    if (skipped == 0) {
      stream_squares<Squares, false>(b, to, rows, 0);
    } else {
      stream_squares<Squares, true>(b, to, rows, skipped);
    }
  }
  // Fewer rows than a square has.
  static __attribute__((noinline)) void stream_rows(const BlockFrom& b, std::byte* to,
                                                    const Offset* rows) {
    Moved::run(LoadFirst<O>{b.from, b.table, bytes(b.rows)},
               PutSome<StreamPut<O>>{{to, rows}, b.rows});
  }
  static __attribute__((noinline)) void store_first(const std::byte* from, const Offset* columns,
                                                    std::byte* to, const Offset* rows,
                                                    std::size_t bytes_each) {
    Moved::run(LoadColumns<O>{from, columns, 0}, PutFirst<O>{to, rows, bytes_each});
  }

  // The columns of a block, the last one instead of those that it lacks.
  struct Columns {
    Offset table[side];
    explicit Columns(const BlockFrom& b) {
      for (Offset i = 0; i < side; ++i) table[i] = b.table[std::min(i, b.cols - 1)];
    }
  };
  // The rows of any block, in `own`.
  static __attribute__((noinline)) void transpose_part(const BlockFrom& b, Own& own) {
    const Columns given(b);
    if (b.rows >= side) {
      store_whole(b.from, given.table, 0, own.bytes, own_rows);
      return;
    }
    Own columns;
    for (Offset i = 0; i < side; ++i) {
      O::store(columns.bytes + own_rows[i], O::load_first(b.from + given.table[i], bytes(b.rows)));
    }
    store_whole(columns.bytes, own_rows, 0, own.bytes, own_rows);
  }
  static __attribute__((noinline)) void store_part(const BlockFrom& b, std::byte* to,
                                                   const Offset* table) {
    if (b.rows >= side) {
      const Columns given(b);
      store_first(b.from, given.table, to, table, bytes(b.cols));
      return;
    }
    Own own;
    transpose_part(b, own);
    for (Offset i = 0; i < b.rows; ++i) {
      O::store_first(to + table[i], O::load(own.bytes + own_rows[i]), bytes(b.cols));
    }
  }

  // A block and what follows it, `cols` columns in all; how many of them it moved.
  Offset store(const BlockFrom& b, Offset cols, std::byte* to, const Offset* table) const {
    constexpr Offset line = squares_of_line * side;
    if (squares_of_line > 1 && b.rows >= side && cols >= line) {
      store_line(b, to, table);
      return line;
    }
    if (is_whole(b)) {
      store_whole(b.from, b.table, b.ahead, to, table);
    } else {
      store_part(b, to, table);
    }
    return side;
  }
  // The same without the first `skipped` rows, two lines of a row one right after the other where
  // it can.
  Offset stream(const BlockFrom& b, Offset cols, std::byte* to, const Offset* table,
                Offset skipped) const {
    constexpr Offset line = squares_of_line * side;
    if (b.rows >= side && cols >= 2 * line) {
      stream_rows_of<2 * squares_of_line>(b, to, table, skipped);
      return 2 * line;
    }
    if constexpr (squares_of_line > 1) {
      if (b.rows < side || cols < line) return store(b, cols, to, table);
      stream_rows_of<squares_of_line>(b, to, table, skipped);
      return line;
    }
    if (is_whole(b)) {
      stream_whole(b.from, b.table, b.ahead, to, table);
    } else if (b.cols >= side) {
      stream_rows(b, to, table);
    } else {
      store_part(b, to, table);
    }
    return side;
  }
};

// ---- elements of any size ----

template <std::size_t Known>
struct CopiedBlocks {
  static constexpr Offset side = Known == 0 || Known > 8 ? 8 : 64 / static_cast<Offset>(Known);
  static constexpr bool overlaps = false;
  std::size_t unknown;

  explicit CopiedBlocks(Offset element) : unknown(static_cast<std::size_t>(element)) {}
  Offset store(const BlockFrom& b, Offset, std::byte* to, const Offset* table) const {
    const std::size_t bytes = Known != 0 ? Known : unknown;
    if (b.ahead != 0) {
      for (Offset d = 0; d < b.cols; ++d) __builtin_prefetch(b.from + b.table[d] + b.ahead, 0, 3);
    }
    for (Offset s = 0; s < b.rows; ++s) {
      std::byte* row = to + table[s];
      const std::byte* column = b.from + s * static_cast<Offset>(bytes);
      for (Offset d = 0; d < b.cols; ++d) {
        std::memcpy(row + d * static_cast<Offset>(bytes), column + b.table[d], bytes);
      }
    }
    return side;
  }
};
