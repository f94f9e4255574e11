// The engine beside its peers, on bit permutations: time over memcpy of the same bytes, medians.
//
//   build/bench/bench/peers_bench [--full]      16 MiB, or with --full 256 MiB
//
// Peers: the obvious loop; a classic buffered bit reversal (COBRA); FFTW's rank-0 plans, estimated
// and measured, with neighbouring bits merged, so that a transpose has rank 2; Eigen's shuffle,
// merged alike; NumPy's copy of a transposed 2 x 2 x ... x 2 view. One thread each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(FARO_HAVE_EIGEN)
#include <unsupported/Eigen/CXX11/Tensor>
#endif
#if defined(FARO_HAVE_FFTW)
#include <fftw3.h>
#endif

#include "cli/bench_rows.hpp"
#include "cli/timing.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro {
namespace {

// Consecutive bits that stay together: bits low..low+count-1 go to place..place+count-1.
struct Group {
  int low;
  int place;
  int count;
};

std::vector<Group> groups_of(const BitMap& map) {
  std::vector<Group> groups;
  for (int b = 0; b < map.width(); ++b) {
    const int place = lowest_bit(map.column(b));
    if (!groups.empty() && groups.back().place + groups.back().count == place) {
      ++groups.back().count;
    } else {
      groups.push_back({b, place, 1});
    }
  }
  return groups;
}

template <class T>
void obvious(const BitMap& map, const T* from, T* to) {
  std::array<Word, word_bits + 1> steps{};
  Word sum = 0;
  for (int i = 0; i < map.width(); ++i) steps[static_cast<std::size_t>(i)] = sum ^= map.column(i);
  Word y = map.complement();
  for (Word x = 0; x < bit(map.width()); ++x) {
    to[y] = from[x];
    y ^= steps[static_cast<std::size_t>(lowest_bit(x + 1))];
  }
}

// Carter and Gatlin's COBRA: the index is a b c, a and c of q bits; for every b a 2^q x 2^q block
// goes through a buffer, so that both sides are touched in runs of 2^q.
template <class T>
void cobra(int width, const T* from, T* to) {
  constexpr int q = sizeof(T) >= 8 ? 4 : 5;
  constexpr Word side = bit(q);
  const auto reversed = [](Word x, int bits) {
    Word y = 0;
    for (int i = 0; i < bits; ++i) y |= ((x >> i) & 1U) << (bits - 1 - i);
    return y;
  };
  std::array<Word, side> reverse{};
  for (Word i = 0; i < side; ++i) reverse[i] = reversed(i, q);
  std::array<T, side * side> buffer;
  const int middle = width - 2 * q;
  for (Word b = 0; b < bit(middle); ++b) {
    const Word back = reversed(b, middle);
    for (Word a = 0; a < side; ++a) {
      const T* run = from + ((a << (width - q)) | (b << q));
      for (Word c = 0; c < side; ++c) buffer[reverse[a] * side + c] = run[c];
    }
    for (Word c = 0; c < side; ++c) {
      T* run = to + ((reverse[c] << (width - q)) | (back << q));
      for (Word a = 0; a < side; ++a) run[a] = buffer[a * side + c];
    }
  }
}

#if defined(FARO_HAVE_FFTW)
std::vector<fftw_iodim64> dimensions_of(const BitMap& map) {
  std::vector<fftw_iodim64> dims;
  for (const Group& g : groups_of(map)) {
    dims.push_back({static_cast<std::ptrdiff_t>(bit(g.count)),
                    static_cast<std::ptrdiff_t>(bit(g.low)),
                    static_cast<std::ptrdiff_t>(bit(g.place))});
  }
  return dims;
}

// A plan of rank 0: a copy between strides. Elements of 4 bytes are floats, of 8 doubles, of 16
// complex.
class Fftw {
 public:
  Fftw(const BitMap& map, std::uint64_t element, std::byte* from, std::byte* to, unsigned flags) {
    const auto dims = dimensions_of(map);
    const int rank = static_cast<int>(dims.size());
    constexpr double planning_seconds_max = 8;
    fftwf_set_timelimit(planning_seconds_max);
    fftw_set_timelimit(planning_seconds_max);
    if (element == 4) {
      single_ = fftwf_plan_guru64_r2r(0, nullptr, rank, dims.data(), reinterpret_cast<float*>(from),
                                      reinterpret_cast<float*>(to), nullptr, flags);
    } else if (element == 8) {
      plan_ = fftw_plan_guru64_r2r(0, nullptr, rank, dims.data(), reinterpret_cast<double*>(from),
                                   reinterpret_cast<double*>(to), nullptr, flags);
    } else if (element == 16) {
      plan_ =
          fftw_plan_guru64_dft(0, nullptr, rank, dims.data(), reinterpret_cast<fftw_complex*>(from),
                               reinterpret_cast<fftw_complex*>(to), FFTW_FORWARD, flags);
    }
  }
  ~Fftw() {
    if (plan_ != nullptr) fftw_destroy_plan(plan_);
    if (single_ != nullptr) fftwf_destroy_plan(single_);
  }
  Fftw(const Fftw&) = delete;
  Fftw& operator=(const Fftw&) = delete;
  bool exists() const { return plan_ != nullptr || single_ != nullptr; }
  void run() const {
    if (plan_ != nullptr) {
      fftw_execute(plan_);
    } else {
      fftwf_execute(single_);
    }
  }

 private:
  fftw_plan plan_ = nullptr;
  fftwf_plan single_ = nullptr;
};
#endif

#if defined(FARO_HAVE_EIGEN)
template <class T, int Rank>
void eigen_shuffle(const std::vector<Group>& groups, const T* from, T* to) {
  Eigen::array<Eigen::Index, Rank> shape;
  Eigen::array<int, Rank> order;
  std::vector<std::pair<int, int>> places;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    shape[i] = static_cast<Eigen::Index>(bit(groups[i].count));
    places.emplace_back(groups[i].place, static_cast<int>(i));
  }
  std::sort(places.begin(), places.end());
  Eigen::array<Eigen::Index, Rank> result_shape;
  for (std::size_t i = 0; i < places.size(); ++i) {
    order[i] = places[i].second;
    result_shape[i] = shape[static_cast<std::size_t>(order[i])];
  }
  const Eigen::TensorMap<const Eigen::Tensor<T, Rank>> source(from, shape);
  Eigen::TensorMap<Eigen::Tensor<T, Rank>> result(to, result_shape);
  result = source.shuffle(order);
}

// Tensor ranks are fixed when compiled; these are those of the maps below.
template <class T>
std::optional<cli::Contender> eigen(const BitMap& map, const std::byte* from, std::byte* to) {
  const auto groups = groups_of(map);
  const auto* source = reinterpret_cast<const T*>(from);
  auto* result = reinterpret_cast<T*>(to);
  std::optional<cli::Contender> found;
  const auto offer = [&]<int Rank>(std::integral_constant<int, Rank>) {
    if (groups.size() != static_cast<std::size_t>(Rank)) return;
    found = cli::Contender{"eigen", [=] { eigen_shuffle<T, Rank>(groups, source, result); }};
  };
  const auto offer_all = [&]<int... Ranks>(std::integer_sequence<int, Ranks...>) {
    (offer(std::integral_constant<int, Ranks>{}), ...);
  };
  offer_all(std::integer_sequence<int, 2, 20, 21, 22, 23, 24, 25, 26>{});
  return found;
}
#endif

// Median seconds as bench/numpy_peer.py measures them, nothing where there is no NumPy.
std::optional<double> numpy_seconds(const BitMap& map, std::uint64_t element) {
  std::string command = fmt::format("{} {} {}", FARO_PYTHON, FARO_NUMPY_PEER, element);
  for (int b = 0; b < map.width(); ++b) command += fmt::format(" {}", lowest_bit(map.column(b)));
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  double seconds = 0;
  const int read = std::fscanf(pipe, "%lf", &seconds);
  if (pclose(pipe) != 0 || read != 1) return std::nullopt;
  return seconds;
}

struct Table {
  static constexpr std::array columns{"faro",         "loop",  "cobra", "fftw estimate",
                                      "fftw measure", "eigen", "numpy"};
  static void header() {
    fmt::print("| map | element |");
    for (const char* column : columns) fmt::print(" {} |", column);
    fmt::print(" best peer / faro |\n|---|---|");
    for (std::size_t i = 0; i <= columns.size(); ++i) fmt::print("---|");
    fmt::print("\n");
  }
  static void row(const std::string& map, std::uint64_t element,
                  const std::vector<cli::Timed>& timed) {
    fmt::print("| {} | {} |", map, element);
    double faro = 0;
    double best = 0;
    for (const char* column : columns) {
      const auto at = std::find_if(timed.begin(), timed.end(),
                                   [&](const cli::Timed& t) { return t.name == column; });
      if (at == timed.end()) {
        fmt::print(" |");
        continue;
      }
      fmt::print(" {:.2f} |", at->ratio);
      if (std::string_view(column) == "faro") {
        faro = at->ratio;
      } else if (best == 0 || at->ratio < best) {
        best = at->ratio;
      }
    }
    fmt::print(" {:.1f} |\n", best / faro);
    std::fflush(stdout);
  }
};

template <class T>
void add_loops(const std::string& name, const BitMap& map, const std::byte* from, std::byte* to,
               std::vector<cli::Contender>& contenders) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* result = reinterpret_cast<T*>(to);
  contenders.push_back({"loop", [=, &map] { obvious(map, source, result); }});
  if (name == "bit-reversal") {
    const int width = map.width();
    contenders.push_back({"cobra", [=] { cobra(width, source, result); }});
  }
}

struct Wide {
  std::array<std::uint64_t, 2> words;
};

struct Buffers {
  explicit Buffers(std::uint64_t bytes) : from(bytes), to(bytes), expected(bytes) {}
  cli::BenchBuffer from;
  cli::BenchBuffer to;
  cli::BenchBuffer expected;
};

// All contenders must do the same thing, or the table says nothing.
void compare_results(const std::vector<cli::Contender>& contenders, const Buffers& buffers,
                     std::uint64_t bytes) {
  const auto to = buffers.to.first(bytes);
  const auto expected = buffers.expected.first(bytes);
  std::uint64_t word = 0;  // filled here: FFTW writes over both buffers while it plans
  for (std::byte& b : buffers.from.first(bytes))
    b = static_cast<std::byte>((++word * 0x9e3779b97f4a7c15U) >> 56U);
  contenders.front().run();
  std::memcpy(expected.data(), to.data(), to.size());
  for (const cli::Contender& c : contenders) {
    std::memset(to.data(), 0, to.size());
    c.run();
    if (std::memcmp(to.data(), expected.data(), to.size()) == 0) continue;
    fmt::print(stderr, "{} moves other bytes than {}\n", c.name, contenders.front().name);
    std::exit(1);
  }
}

void bench_row(const std::string& name, int bytes_log2, int element_log2, const Buffers& buffers) {
  const std::uint64_t bytes = bit(bytes_log2);
  const std::uint64_t element = bit(element_log2);
  const BitMap map = cli::bench_map(name, bytes_log2 - element_log2);
  const auto from = buffers.from.first(bytes);
  const auto to = buffers.to.first(bytes);
  const auto plan = PermutePlan::out_of_place(map, {.element_bytes = element});
  std::vector<cli::Contender> contenders{{"faro", [&] { plan.execute(from, to); }}};
  if (element_log2 == 2) add_loops<std::uint32_t>(name, map, from.data(), to.data(), contenders);
  if (element_log2 == 3) add_loops<std::uint64_t>(name, map, from.data(), to.data(), contenders);
  if (element_log2 == 4) add_loops<Wide>(name, map, from.data(), to.data(), contenders);
  // Others know permutations of bits only, without complements.
  bool plain = map.complement() == 0;
  for (int i = 0; i < map.width(); ++i) plain = plain && is_power_of_two(map.column(i));
#if defined(FARO_HAVE_FFTW)
  std::optional<Fftw> estimated;
  std::optional<Fftw> measured;
  if (plain) {
    estimated.emplace(map, element, from.data(), to.data(), FFTW_ESTIMATE);
    if (estimated->exists()) contenders.push_back({"fftw estimate", [&] { estimated->run(); }});
    measured.emplace(map, element, from.data(), to.data(), FFTW_MEASURE);
    if (measured->exists()) contenders.push_back({"fftw measure", [&] { measured->run(); }});
  }
#endif
#if defined(FARO_HAVE_EIGEN)
  if (plain) {
    const auto peer = element_log2 == 2 ? eigen<float>(map, from.data(), to.data())
                      : element_log2 == 3
                          ? eigen<double>(map, from.data(), to.data())
                          : eigen<std::complex<double>>(map, from.data(), to.data());
    if (peer) contenders.push_back(*peer);
  }
#endif
  compare_results(contenders, buffers, bytes);
  constexpr int rounds = 3;
  auto timed = cli::time_against(
      "memcpy", [&] { cli::copy_with_threads(from, to, 1); }, contenders, bytes, rounds);
  if (plain) {
    if (const auto seconds = numpy_seconds(map, element)) {
      timed.push_back({"numpy", *seconds / timed.back().seconds, *seconds});
    }
  }
  Table::row(name, element, timed);
}

}  // namespace
}  // namespace faro

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  const int bytes_log2 = full ? 28 : 24;
  const faro::Buffers buffers(faro::bit(bytes_log2));
  fmt::print("{}, one thread, {} MiB: time over memcpy of the same bytes, medians of 3 rounds\n\n",
             faro::cli::cpu_name(), faro::bit(bytes_log2 - 20));
  faro::Table::header();
  for (const char* name :
       {"bit-reversal", "shuffle", "unshuffle", "transpose", "transpose-8-columns",
        "transpose-8-rows", "morton", "gray", "vector-reversal", "bpc-1", "affine-1"}) {
    for (const int element_log2 : {2, 3, 4})
      faro::bench_row(name, bytes_log2, element_log2, buffers);
  }
  return 0;
}
