// The loops of split and zip over lines that a set of kernels puts together, and the choice among
// the ways of a strided plan. Included once per instruction set, after tiles_strided-inl.h.
//
//   SplitLines<Ops, N>(element bytes).put(group, to, streams)
//       64 bytes of one stream, from 64 N bytes in which N take turns element by element
//   ZipLines<Ops, N>(element bytes).put(from, at, f, to, streams)
//       64 bytes in which N take turns, from `at` bytes in each on, element f of a group first;
//       at most 64 bytes of each are read

template <class Ops>
FARO_INLINE void put_vector(std::byte* to, typename Ops::Vector x, bool streams) {
  if (streams) {
    Ops::stream(to, x);
  } else {
    Ops::store(to, x);
  }
}

// One stream of groups of N elements becomes N rows.
template <class Lines, std::size_t N>
void run_split_in(const StridedPlan& plan, const Panel& panel) {
  const auto e = static_cast<Offset>(plan.form.element_bytes);
  constexpr auto n = static_cast<Offset>(N);
  const Offset lanes = 64 / e;
  const Lines lines(plan.form.element_bytes);
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
        const std::byte* group = from + d * n * e;
        lines.put(group, to + d * e, streams);
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
template <class Lines, std::size_t N>
void run_zip_of(const StridedPlan& plan, const Panel& panel) {
  const std::size_t bytes = plan.form.element_bytes;
  const auto e = static_cast<Offset>(bytes);
  constexpr auto n = static_cast<Offset>(N);
  const Offset lanes = 64 / e;
  const Lines lines(bytes);
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
    lines.put(streams_from, group * e, f, panel.to + t * e, streams);
    group += lanes / n;
    f += static_cast<std::size_t>(lanes % n);
    if (f >= N) {
      f -= N;
      ++group;
    }
  }
  while (t < end) one();
}

template <class Ops, template <class, std::size_t> class SplitLines,
          template <class, std::size_t> class ZipLines, std::size_t N = 2>
void run_narrow(const StridedPlan& plan, const Panel& panel) {
  const bool splits = plan.way == Way::split;
  if constexpr (N < 8) {
    if ((splits ? plan.s.length : plan.d.length) != static_cast<Offset>(N)) {
      return run_narrow<Ops, SplitLines, ZipLines, N + 1>(plan, panel);
    }
  }
  if (splits) {
    run_split_in<SplitLines<Ops, N>, N>(plan, panel);
  } else {
    run_zip_of<ZipLines<Ops, N>, N>(plan, panel);
  }
}

// Every way but those that a set of kernels has of its own.
template <template <int> class Ops, template <template <int> class, std::size_t> class OddBlocks,
          template <class, std::size_t> class SplitLines,
          template <class, std::size_t> class ZipLines>
void run_ways_of(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  switch (plan.way) {
    case Way::runs:
      return run_runs<Ops<3>>(plan, panel);
    case Way::reversed:
      return run_reversed_of<Ops>(plan, panel);
    case Way::elements:
      return run_elements_of(plan, panel);
    case Way::split:
    case Way::zip:
      return run_narrow<Ops<0>, SplitLines, ZipLines>(plan, panel);
    default:
      return run_tiles_of<Ops, OddBlocks>(plan, panel, working);
  }
}
