// The loops of StridedPlan over a policy Ops and a family of squares, which follow. Included
// once per instruction set, inside its namespace, after the tile loops.

// ---- whole lines to memory ----

// `bytes` from a stage that agrees with the destination in its place within a line: whole lines are
// streamed, the ends stored.
template <class Ops, class PutTo = StreamPut<Ops>>
FARO_INLINE void drain_piece(const std::byte* stage, std::byte* to, std::size_t bytes) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % line_bytes;
  if (past != 0) {
    const std::size_t head = std::min(bytes, line_bytes - past);
    std::memcpy(to, stage, head);
    to += head;
    stage += head;
    bytes -= head;
  }
  for (; bytes >= line_bytes; bytes -= line_bytes, to += line_bytes, stage += line_bytes) {
    move_line<Ops, PutTo>(stage, to);
  }
  if (bytes != 0) std::memcpy(to, stage, bytes);
}

inline Offset past_line(const std::byte* at) {
  return static_cast<Offset>(reinterpret_cast<std::uintptr_t>(at) % line_bytes);
}

// Where the source's next tile along S is, in bytes from this one.
inline Offset bytes_ahead(const StridedPlan& plan) {
  if (plan.lines_ahead == 0) return 0;
  // A tile that has S whole is followed by one further along D.
  if (plan.s_tile >= plan.s.length && plan.d.plain) return plan.d_tile * plan.d.stride;
  return plan.s_tile * plan.s_from;
}

// What brings row s to the next one whose source begins a line, where all columns agree in that.
struct SourceLines {
  Offset rows = 0;  // of a line; 0 is nothing to bring
  Offset first = 0;

  SourceLines(const StridedPlan& plan, const Panel& panel) {
    if (!plan.from_agree) return;
    const Side::At column = plan.d.at(panel.d_begin);
    const Offset past = past_line(panel.from + column.base + *column.table);
    if (past % plan.s_from != 0) return;
    rows = static_cast<Offset>(line_bytes) / plan.s_from;
    first = past / plan.s_from;
  }
  Offset short_of(Offset s) const {
    const Offset past = rows == 0 ? 0 : (s + first) % rows;
    return past == 0 ? 0 : rows - past;
  }
};

// Calls tile(d, cols, source table, source, s, rows, destination table, destination) for the tiles
// of a panel: along S first, so that the source's pages stay. `head` columns come first, alone.
template <class Tile>
FARO_INLINE void each_tile(const StridedPlan& plan, const Panel& panel, Offset head, Tile& tile) {
  const SourceLines lines(plan, panel);
  for (Offset d = panel.d_begin; d < panel.d_end;) {
    const Side::At column = plan.d.at(d);
    Offset cols = std::min({plan.d_tile, column.count, panel.d_end - d});
    if (head != 0) cols = std::min(cols, std::exchange(head, Offset{0}));
    for (Offset s = panel.s_begin; s < panel.s_end;) {
      const Side::At row = plan.s.at(s);
      Offset rows = std::min({plan.s_tile, row.count, panel.s_end - s});
      const Offset short_of = lines.short_of(s);
      if (short_of != 0) rows = std::min(rows, short_of);
      tile(d, cols, column.table, panel.from + column.base + s * plan.s_from, s, rows, row.table,
           panel.to + row.base + d * plan.d_to);
      s += rows;
    }
    d += cols;
  }
}

// The blocks of a tile to memory or a stage.
template <class Blocks, bool Streams>
FARO_INLINE void move_blocks(const StridedPlan& plan, const Blocks& blocks, const std::byte* from,
                             const Offset* from_table, Offset cols, std::byte* to,
                             const Offset* to_table, Offset rows, Offset ahead) {
  constexpr Offset side = Blocks::side;
  for (Offset s = 0; s < rows; s += side) {
    for (Offset d = 0; d < cols; d += side) {
      if constexpr (Streams) {
        // The last rows are those of a whole square, of which the first are written already.
        const Offset row =
            Blocks::squares_of_line > 1 && rows >= side ? std::min(s, rows - side) : s;
        const BlockFrom block{from + row * plan.s_from, from_table + d, std::min(side, cols - d),
                              std::min(side, rows - row), ahead};
        d += blocks.stream(block, cols - d, to + d * plan.d_to, to_table + row, s - row) - side;
      } else {
        // The last block is whole too where it may overlap the one before.
        const bool back = Blocks::overlaps && cols >= side;
        const Offset at = back ? std::min(d, cols - side) : d;
        const Offset row = Blocks::overlaps && rows >= side ? std::min(s, rows - side) : s;
        const BlockFrom block{from + row * plan.s_from, from_table + at, std::min(side, cols - at),
                              std::min(side, rows - row), ahead};
        d = at - side + blocks.store(block, cols - at, to + at * plan.d_to, to_table + row);
      }
    }
  }
}

template <class Blocks, bool Streams>
struct DirectTile {
  const StridedPlan& plan;
  const Blocks& blocks;
  Offset ahead;

  void operator()(Offset, Offset cols, const Offset* from_table, const std::byte* from, Offset,
                  Offset rows, const Offset* to_table, std::byte* to) const {
    if constexpr (Streams) {
      // The first tile of a row and the last may be parts of a line.
      if (past_line(to + to_table[0]) == 0) {
        move_blocks<Blocks, true>(plan, blocks, from, from_table, cols, to, to_table, rows, ahead);
        return;
      }
    }
    move_blocks<Blocks, false>(plan, blocks, from, from_table, cols, to, to_table, rows, ahead);
  }
};

template <class Blocks, bool Streams>
void run_direct_tiles(const StridedPlan& plan, const Panel& panel) {
  const Blocks blocks(plan.d_to);
  Offset head = 0;
  if (plan.lines_agree) {
    const std::byte* first = panel.to + panel.d_begin * plan.d_to + plan.s.at(panel.s_begin).base +
                             *plan.s.at(panel.s_begin).table;
    const std::size_t short_of =
        (line_bytes - static_cast<std::size_t>(past_line(first))) % line_bytes;
    if (short_of % static_cast<std::size_t>(plan.d_to) == 0) {
      head = static_cast<Offset>(short_of) / plan.d_to;
    }
  }
  DirectTile<Blocks, Streams> tile{plan, blocks, bytes_ahead(plan)};
  each_tile(plan, panel, head, tile);
}

// Tiles to a stage, in which 64 bytes before each row have what the tile before left of its last
// line: whole lines are loaded from there, wherever they begin, and streamed.
template <class Ops, class Blocks>
struct ExactTile {
  const StridedPlan& plan;
  const Panel& panel;
  const Blocks& blocks;
  Offset ahead;
  std::byte* stage;
  std::byte* carry;  // of the panel's rows
  Offset pitch;
  Offset places[exact_rows_max];

  ExactTile(const StridedPlan& of, const Panel& at, const Blocks& moved, std::byte* working)
      : plan(of),
        panel(at),
        blocks(moved),
        ahead(bytes_ahead(of)),
        stage(working),
        pitch(stage_pitch(of.d_tile * of.d_to)) {
    carry = working + plan.s_tile * pitch;
    for (Offset i = 0; i < plan.s_tile; ++i) places[i] = line + i * pitch;
  }

  void operator()(Offset d, Offset cols, const Offset* from_table, const std::byte* from, Offset s,
                  Offset rows, const Offset* to_table, std::byte* to) const {
    move_blocks<Blocks, false>(plan, blocks, from, from_table, cols, stage, places, rows, ahead);
    const bool first = d == panel.d_begin;
    const bool last = d + cols == panel.d_end;
    std::byte* left = carry + (s - panel.s_begin) * line;
    if (first || last) {
      drain_ends(left, rows, cols * plan.d_to, to_table, to, first, last);
    } else {
      drain(left, rows, cols * plan.d_to, to_table, to);
    }
  }

 private:
  static constexpr auto line = static_cast<Offset>(line_bytes);

  // The lines of a row that are complete, from `begin` on; returns what is behind them.
  static FARO_INLINE Offset stream_lines(const std::byte* staged, std::byte* row, Offset begin,
                                         Offset bytes) {
    for (; begin + line <= bytes; begin += line) {
      move_line<Ops, StreamPut<Ops>>(staged + begin, row + begin);
    }
    return begin;
  }
  __attribute__((noinline)) void drain(std::byte* left, Offset rows, Offset bytes,
                                       const Offset* to_table, std::byte* to) const {
    std::byte* staged = stage + line;
    for (Offset i = 0; i < rows; ++i, left += line, staged += pitch) {
      std::byte* row = to + to_table[i];
      move_line<Ops, StorePut<Ops>>(left, staged - line);
      stream_lines(staged, row, -past_line(row), bytes);
      move_line<Ops, StorePut<Ops>>(staged + bytes - line, left);
    }
  }
  // A row's first tile or its last, whose lines are written in part.
  void drain_ends(std::byte* left, Offset rows, Offset bytes, const Offset* to_table, std::byte* to,
                  bool first, bool last) const {
    std::byte* staged = stage + line;
    for (Offset i = 0; i < rows; ++i, left += line, staged += pitch) {
      std::byte* row = to + to_table[i];
      Offset begin = -past_line(row);
      if (!first) {
        move_line<Ops, StorePut<Ops>>(left, staged - line);
      } else if (begin != 0) {
        begin += line;
        std::memcpy(row, staged, static_cast<std::size_t>(std::min(bytes, begin)));
      }
      const Offset end = stream_lines(staged, row, begin, bytes);
      if (!last) {
        move_line<Ops, StorePut<Ops>>(staged + bytes - line, left);
      } else if (end < bytes) {
        std::memcpy(row + end, staged + end, static_cast<std::size_t>(bytes - end));
      }
    }
  }
};

template <class Ops, class Blocks>
void run_exact_tiles(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  const Blocks blocks(plan.d_to);
  ExactTile<Ops, Blocks> tile(plan, panel, blocks, working);
  each_tile(plan, panel, 0, tile);
}

// A tile is one piece of the destination: the same along S.
template <class Ops, class Blocks, class PutTo>
struct OneTile {
  const StridedPlan& plan;
  const Panel& panel;
  const Blocks& blocks;
  Offset ahead;
  std::byte* stage;
  alignas(line_bytes) std::byte carry[line_bytes];
  Offset places[one_rows_max];
  Offset begin = 0;  // of what is staged and not written yet, in its line

  void operator()(Offset, Offset cols, const Offset* from_table, const std::byte* from, Offset s,
                  Offset rows, const Offset* to_table, std::byte* to) {
    const bool first = s == panel.s_begin;
    const bool last = s + rows == panel.s_end;
    std::byte* piece = to + to_table[0];
    const Offset past = past_line(piece);
    const Offset row_bytes = cols * plan.d_to;
    for (Offset i = 0; i < rows; ++i) places[i] = past + i * row_bytes;
    if (!first) move_line<Ops, StorePut<Ops>>(carry, stage);
    move_blocks<Blocks, false>(plan, blocks, from, from_table, cols, stage, places, rows, ahead);
    const Offset end = past + rows * row_bytes;
    const Offset stop = last ? end : end - end % static_cast<Offset>(line_bytes);
    if (first) begin = past;
    // A first tile may be shorter than the way to its line's end.
    if (stop > begin) {
      drain_piece<Ops, PutTo>(stage + begin, piece - past + begin,
                              static_cast<std::size_t>(stop - begin));
      begin = 0;
    }
    if (!last) move_line<Ops, StorePut<Ops>>(stage + stop, carry);
  }
};

template <class Ops, class Blocks, class PutTo>
void run_one_tiles(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  const Blocks blocks(plan.d_to);
  OneTile<Ops, Blocks, PutTo> tile{plan, panel, blocks, bytes_ahead(plan), working, {}, {}, 0};
  each_tile(plan, panel, 0, tile);
}

// ---- element by element, and what stays together ----

template <std::size_t Known>
void run_element_tiles(const StridedPlan& plan, const Panel& panel) {
  const std::size_t bytes = Known != 0 ? Known : plan.form.element_bytes;
  const auto tile = [&](Offset, Offset cols, const Offset* from_table, const std::byte* from,
                        Offset, Offset rows, const Offset* to_table, std::byte* to) {
    for (Offset s = 0; s < rows; ++s) {
      const std::byte* column = from + s * plan.s_from;
      std::byte* row = to + to_table[s];
      for (Offset d = 0; d < cols; ++d) {
        std::memcpy(row + d * plan.d_to, column + from_table[d], bytes);
      }
    }
  };
  each_tile(plan, panel, 0, tile);
}

// Runs shorter than this are put together in a stage first.
constexpr Offset streamed_run_min = 1024;

FARO_INLINE void copy_run(const std::byte* from, std::byte* to, std::size_t bytes) {
  if (bytes < line_bytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t i = 0; i + line_bytes < bytes; i += line_bytes) {
    std::memcpy(to + i, from + i, line_bytes);
  }
  std::memcpy(to + bytes - line_bytes, from + bytes - line_bytes, line_bytes);
}

// Whole runs that adjoin at the destination.
template <class Ops>
void run_short_runs(const StridedPlan& plan, const Panel& panel) {
  constexpr std::size_t piece = 4096;
  constexpr Offset runs_ahead = 16;
  const auto bytes = static_cast<std::size_t>(plan.d_to);
  alignas(line_bytes) std::byte stage[piece + streamed_run_min + line_bytes];
  std::byte* to = panel.to + panel.d_begin * plan.d_to;
  // The stage holds `have` bytes that go to `to`, from where `to` is in its line.
  auto past = static_cast<std::size_t>(past_line(to));
  std::size_t have = 0;
  for (Offset d = panel.d_begin; d < panel.d_end;) {
    const Side::At at = plan.d.at(d);
    const Offset count = std::min(at.count, panel.d_end - d);
    for (Offset i = 0; i < count; ++i) {
      // What lies apart is asked for some runs ahead.
      const std::byte* next = panel.from + at.base + at.table[std::min(i + runs_ahead, count - 1)];
      __builtin_prefetch(next);
      __builtin_prefetch(next + bytes - 1);
      copy_run(panel.from + at.base + at.table[i], stage + past + have, bytes);
      have += bytes;
      if (past + have < piece) continue;
      const std::size_t lines = (past + have) / line_bytes * line_bytes - past;
      drain_piece<Ops>(stage + past, to, lines);
      to += lines;
      have -= lines;
      std::memcpy(stage, stage + past + lines, have);
      past = 0;
    }
    d += count;
  }
  drain_piece<Ops>(stage + past, to, have);
}

template <class Ops>
void run_runs(const StridedPlan& plan, const Panel& panel) {
  const auto bytes = static_cast<std::size_t>(panel.s_end - panel.s_begin);
  if (plan.streaming && panel.s_end - panel.s_begin < streamed_run_min &&
      panel.s_end - panel.s_begin == plan.d_to) {
    run_short_runs<Ops>(plan, panel);
    return;
  }
  const bool streams = plan.streaming && panel.s_end - panel.s_begin >= streamed_run_min;
  for (Offset d = panel.d_begin; d < panel.d_end; ++d) {
    const Side::At at = plan.d.at(d);
    const std::byte* from = panel.from + at.base + *at.table + panel.s_begin;
    std::byte* to = panel.to + d * plan.d_to + panel.s_begin;
    if (!streams) {
      std::memcpy(to, from, bytes);
      continue;
    }
    const std::size_t head =
        std::min(bytes, (line_bytes - static_cast<std::size_t>(past_line(to))) % line_bytes);
    std::memcpy(to, from, head);
    drain_piece<Ops>(from + head, to + head, bytes - head);
  }
}

// The fastest axis backwards: element d of D is at from - d * e.
template <class Ops, std::size_t Bytes>
void run_reversed_rows(const StridedPlan& plan, const Panel& panel) {
  constexpr auto e = static_cast<Offset>(Bytes);
  const std::byte* from = panel.from;
  std::byte* to = panel.to;
  Offset d = panel.d_begin;
  const auto one = [&] {
    std::memcpy(to + d * e, from - d * e, Bytes);
    ++d;
  };
  if constexpr (Ops::picks) {
    constexpr auto lanes = static_cast<Offset>(Ops::vector_bytes) / e;
    const auto backwards = Ops::load_table(reversal<Ops::unit_log2>.bytes);
    const bool streams = plan.streaming && past_line(to) % e == 0;
    while (streams && d < panel.d_end && past_line(to + d * e) != 0) one();
    for (; d + lanes <= panel.d_end; d += lanes) {
      const auto x = Ops::pick_one(Ops::load(from - (d + lanes - 1) * e), backwards);
      if (streams) {
        Ops::stream(to + d * e, x);
      } else {
        Ops::store(to + d * e, x);
      }
    }
  }
  while (d < panel.d_end) one();
}

// ---- which of these ----

template <class Ops, class Blocks>
void run_blocks_by(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  if (plan.way == Way::exact) {
    run_exact_tiles<Ops, Blocks>(plan, panel, working);
  } else if (plan.way == Way::one) {
    if (plan.streaming) {
      run_one_tiles<Ops, Blocks, StreamPut<Ops>>(plan, panel, working);
    } else {
      run_one_tiles<Ops, Blocks, StorePut<Ops>>(plan, panel, working);
    }
  } else {
    run_direct_tiles<Blocks, false>(plan, panel);
  }
}

template <template <int> class Ops, int ElementLog2>
void run_lanes(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  using Blocks = LaneBlocks<Ops, ElementLog2>;
  if (plan.way == Way::direct && plan.streaming) {
    run_direct_tiles<Blocks, true>(plan, panel);
  } else {
    run_blocks_by<Ops<3>, Blocks>(plan, panel, working);
  }
}

template <template <int> class Ops, template <template <int> class, std::size_t> class OddBlocks>
void run_tiles_of(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  switch (plan.form.element_bytes) {
    case 1:
      return run_lanes<Ops, 0>(plan, panel, working);
    case 2:
      return run_lanes<Ops, 1>(plan, panel, working);
    case 4:
      return run_lanes<Ops, 2>(plan, panel, working);
    case 8:
      return run_lanes<Ops, 3>(plan, panel, working);
    case 16:
      return run_lanes<Ops, 4>(plan, panel, working);
    case 3:
      return run_blocks_by<Ops<3>, OddBlocks<Ops, 3>>(plan, panel, working);
    case 5:
      return run_blocks_by<Ops<3>, OddBlocks<Ops, 5>>(plan, panel, working);
    case 6:
      return run_blocks_by<Ops<3>, OddBlocks<Ops, 6>>(plan, panel, working);
    case 12:
      return run_blocks_by<Ops<3>, OddBlocks<Ops, 12>>(plan, panel, working);
    case 24:
      return run_blocks_by<Ops<3>, CopiedBlocks<24>>(plan, panel, working);
    case 32:
      return run_blocks_by<Ops<3>, CopiedBlocks<32>>(plan, panel, working);
    default:
      return run_blocks_by<Ops<3>, CopiedBlocks<0>>(plan, panel, working);
  }
}

inline void run_elements_of(const StridedPlan& plan, const Panel& panel) {
  switch (plan.form.element_bytes) {
    case 1:
      return run_element_tiles<1>(plan, panel);
    case 2:
      return run_element_tiles<2>(plan, panel);
    case 3:
      return run_element_tiles<3>(plan, panel);
    case 4:
      return run_element_tiles<4>(plan, panel);
    case 8:
      return run_element_tiles<8>(plan, panel);
    case 12:
      return run_element_tiles<12>(plan, panel);
    case 16:
      return run_element_tiles<16>(plan, panel);
    default:
      return run_element_tiles<0>(plan, panel);
  }
}

template <template <int> class Ops>
void run_reversed_of(const StridedPlan& plan, const Panel& panel) {
  switch (plan.form.element_bytes) {
    case 1:
      return run_reversed_rows<Ops<0>, 1>(plan, panel);
    case 2:
      return run_reversed_rows<Ops<1>, 2>(plan, panel);
    case 4:
      return run_reversed_rows<Ops<2>, 4>(plan, panel);
    default:
      return run_reversed_rows<Ops<3>, 8>(plan, panel);
  }
}
