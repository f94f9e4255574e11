// The loops of involutions in place, tiles or blocks of them in pairs. Included after tiles-inl.h.

// Walks the pairs of tiles that change places: tile i with its partner, and where both are read and
// written. All five are affine in i, so a step is five xors.
struct PairWalk {
  struct At {
    Word partner = 0;
    Word a_from = 0;
    Word b_from = 0;
    Word a_to = 0;
    Word b_to = 0;

    At& operator^=(const At& other) {
      partner ^= other.partner;
      a_from ^= other.a_from;
      b_from ^= other.b_from;
      a_to ^= other.a_to;
      b_to ^= other.b_to;
      return *this;
    }
  };
  std::array<At, word_bits + 1> steps;
  At at;
  Word tile;
  Word end;

  PairWalk(const TilePlan& plan, Word begin, Word end_tile) : tile(begin), end(end_tile) {
    const Word start = plan.partner_start;
    at = {start, 0, combine(plan.outer_from, start), plan.to_start,
          combine(plan.outer_to, start) ^ plan.to_start};
    At sum;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(plan.outer_bits); ++i) {
      const Word other = plan.partner[i];
      const At step{other, plan.outer_from[i], combine(plan.outer_from, other), plan.outer_to[i],
                    combine(plan.outer_to, other)};
      if (has_bit(begin, static_cast<int>(i))) at ^= step;
      sum ^= step;
      steps[i] = sum;
    }
    skip();
  }
  bool done() const { return tile >= end; }
  void next() {
    step();
    skip();
  }

 private:
  void step() { at ^= steps[static_cast<std::size_t>(lowest_bit(++tile))]; }
  // A pair is moved from its first tile.
  void skip() {
    while (tile < end && at.partner < tile) step();
  }
};

// In place, the source staged, block by block: one block of a pair is copied in whole; the tiles of
// the other, one by one, go through a stage to its place, and then what was copied to theirs.
template <template <class, int> class Family, template <int> class Ops>
void run_blocks(const TilePass& pass, std::byte* data, Word begin, Word end, std::byte* working) {
  const TilePlan& plan = pass.plan;
  const std::size_t tile_bytes = plan.tile_bytes();
  const Word tiles = bit(plan.block_bits);
  std::byte* const single = working + tiles * tile_bytes;
  const FromStage<Family, Ops> from_stage(pass, data, single + tile_bytes);
  for (Word block = begin; block < end; ++block) {
    const Word partner = combine(plan.partner, block) ^ plan.partner_start;
    if (partner < block) continue;
    const Word first = block << plan.block_bits;
    const Word second = partner << plan.block_bits;
    TileWalk copied(plan, first);
    TileWalk other(plan, second);
    for (Word tile = 0; tile < tiles; ++tile) {
      const Word from_at = copied.from_at;
      copied.next();
      copy_tile_in<Ops<3>>(plan, data, from_at, tile + 1 < tiles ? copied.from_at : other.from_at,
                           working + tile * tile_bytes);
    }
    for (Word tile = 0; partner != block && tile < tiles; ++tile) {
      const Word from_at = other.from_at;
      const Word to_at = other.to_at;
      other.next();
      copy_tile_in<Ops<3>>(plan, data, from_at, other.from_at, single);
      from_stage.move(single, to_at);
    }
    copied = TileWalk(plan, first);
    for (Word tile = 0; tile < tiles; ++tile) {
      from_stage.move(working + tile * tile_bytes, copied.to_at);
      copied.next();
    }
  }
}

// In place: both tiles of a pair go through the kernels into stages, then each is drained to where
// the other was. While one is read, what is read after it is prefetched.
template <template <class, int> class Family, template <int> class Ops>
void run_tile_pairs(const TilePass& pass, std::byte* data, Word begin, Word end,
                    std::byte* working) {
  using Mover = Ops<3>;
  const TilePlan& plan = pass.plan;
  const RunKernels kernels = choose_kernels<Family, Ops>(plan, Put::store);
  const Lines to_lines(plan.to_runs, plan.to_run_bytes());
  const Drain how = drain_for(plan, data);
  const std::size_t lines = plan.tile_bytes() / line_bytes;
  std::byte* const stages[2] = {working, working + plan.tile_bytes()};
  const auto shuffle = [&](Word from_at, Word later_from_at, Word to_at, std::byte* stage) {
    const Placed placed(plan, to_at);
    const KernelRun run{data, from_at, later_from_at, stage, placed.inside, placed.shift};
    kernels(pass, run, 0, plan.kernels.size(), plan.kernels_ahead);
  };
  const auto write = [&](Word to_at, const std::byte* stage) {
    drain<Mover>(to_lines, how, stage, data, Placed(plan, to_at).run, 0, lines);
  };
  for (PairWalk walk(plan, begin, end); !walk.done();) {
    const PairWalk::At at = walk.at;
    const bool alone = at.partner == walk.tile;
    walk.next();
    const Word later = walk.done() ? at.a_from : walk.at.a_from;
    shuffle(at.a_from, alone ? later : at.b_from, at.a_to, stages[0]);
    if (!alone) {
      shuffle(at.b_from, later, at.b_to, stages[1]);
      write(at.b_to, stages[1]);
    }
    write(at.a_to, stages[0]);
  }
}

template <template <class, int> class Family, template <int> class Ops>
void run_pairs(const TilePass& pass, std::byte* data, Word begin, Word end, std::byte* working) {
  if (begin == end) return;
  if (pass.plan.method.copy_in) {
    run_blocks<Family, Ops>(pass, data, begin, end, working);
  } else {
    run_tile_pairs<Family, Ops>(pass, data, begin, end, working);
  }
  if (pass.plan.method.streaming) Ops<3>::fence();
}
