// Squares of elements transposed by fixed exchanges (AVX2, SSE4). Included once per target,
// inside its namespace, after exchanges-inl.h and tiles_strided-inl.h.

template <class Ops, int ElementLog2>
struct ExchangeSquare {
  using Vector = typename Ops::Vector;
  static constexpr int stages = Ops::vector_log2 - ElementLog2;
  static constexpr int side = 1 << stages;
  // Eight registers at a time leave room in sixteen.
  static constexpr int split = stages <= 3 ? stages : stages / 2;

  template <int Begin, int End, int At, int Count>
  static FARO_INLINE void exchange_stages(Vector (&x)[Count]) {
    if constexpr (At < End) {
      constexpr int step = 1 << (At - Begin);
      FARO_UNROLL
      for (int r = 0; r < Count; ++r) {
        if ((r & step) == 0) {
          exchange<(1 << (At + ElementLog2))>(typename Ops::Bytes(), x[r], x[r | step]);
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

template <template <int> class Ops>
void run_panel(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  if (plan.way == Way::runs) {
    run_runs<Ops<3>>(plan, panel);
  } else if (plan.way == Way::reversed) {
    run_reversed_of<Ops>(plan, panel);
  } else if (plan.way == Way::elements) {
    run_elements_of(plan, panel);
  } else {
    run_tiles_of<Ops, ExchangeSquare>(plan, panel, working);
  }
  if (plan.streaming) Ops<3>::fence();
}
