// faro and its peers between MPI ranks, in one run, interleaved: a Markdown table of least times,
// each divided by that of the same messages sent raw. What a peer's interface cannot say is empty.
//
//   mpirun -n 2 mpi_peers [LOCAL-LOG2 [ROUNDS]]       2^LOCAL-LOG2 complex numbers on each rank
//
// faro: as it comes, in slices through a small buffer; in place; with send and receive buffers as
// large as the array, as the peers have them; between arrays of mpi::allocate.
// raw: every message of the map once from and to contiguous memory, pair by pair. A time is the
// largest over the ranks. Every result is looked at, element by element; a wrong one is no figure,
// and if it is faro's the exit code is 1. A second table says what share of the data each has sent
// to other ranks, counted as it was sent; the exit code is 1 as well where faro sent more than a
// peer.
#include "peers.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>

#include "faro/mpi/mpi_plan.hpp"
#include "faro/words/say.hpp"

namespace peers {

std::vector<Named> all() {
  std::vector<Named> list = {{"chain of swaps", chain}};
#ifdef FARO_HAVE_FFTW_MPI
  list.push_back({"FFTW", fftw});
#endif
#ifdef FARO_HAVE_COSTA
  list.push_back({"COSTA", costa});
#endif
#ifdef FARO_HAVE_SCALAPACK
  list.push_back({"ScaLAPACK", scalapack});
#endif
  return list;
}

namespace {

Case exchange(const std::string& name, const Ranks& ranks, int bits, int low) {
  const int n = ranks.rank_bits + ranks.local_bits;
  std::vector<int> place(static_cast<std::size_t>(n));
  std::iota(place.begin(), place.end(), 0);
  for (int b = 0; b < bits; ++b) {
    std::swap(place[static_cast<std::size_t>(n - bits + b)],
              place[static_cast<std::size_t>(low + b)]);
  }
  return {name, BitMap::from_places(place), Kind::exchange, bits, low, 0};
}

Case transpose(const std::string& name, int bits, int rows_log2) {
  std::vector<int> place;
  for (int b = 0; b < bits; ++b) place.push_back((b + rows_log2) % bits);
  return {name, BitMap::from_places(place), Kind::transpose, 0, 0, rows_log2};
}

std::vector<Case> cases(const Ranks& ranks) {
  const int p = ranks.rank_bits, m = ranks.local_bits, n = p + m;
  const auto other = [n](const char* name, const std::string& to) {
    return Case{name, faro::say("i:" + std::to_string(n) + " -> " + to).map.as_bits()};
  };
  std::vector<Case> list = {
      exchange("rank bits with the highest of memory", ranks, p, m - p),
      exchange("rank bits with bits in the middle", ranks, p, m / 2),
      exchange("rank bits with the lowest of memory", ranks, p, 0),
      transpose("square transpose", n, n / 2),
      transpose("block to cyclic", n, m),
      transpose("cyclic to block", n, p),
      other("bit reversal", "rev(i)"),
      other("Gray code", "gray(i)"),
      other("complement", "~i"),
  };
  if (p > 1) list.insert(list.begin(), exchange("one rank bit with the highest", ranks, 1, m - 1));
  std::mt19937_64 random(3);
  std::vector<int> place(static_cast<std::size_t>(n));
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  list.push_back(
      {"random bit permutation", BitMap::from_places(place, random() & faro::low_mask(n))});
  for (;;) {
    faro::BitMatrix matrix(n, n);
    for (int i = 0; i < n; ++i) matrix.set_column(i, random() & faro::low_mask(n));
    if (matrix.rank() != n) continue;
    list.push_back(
        {"random affine map", BitMap::from_matrix(matrix, random() & faro::low_mask(n))});
    return list;
  }
}

Number numbered(Word index) {
  return {static_cast<double>(index), -static_cast<double>(index)};
}

bool is_right(const Case& what, const Ranks& ranks, std::span<const Number> to) {
  const BitMap back = what.map.inverse();
  const Word first = static_cast<Word>(ranks.rank) << ranks.local_bits;
  int wrong = 0;
  for (Word at = 0; at < to.size() && wrong == 0; ++at) {
    wrong = to[at] == numbered(back(first | at)) ? 0 : 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, ranks.comm);
  return wrong == 0;
}

struct Column {
  std::string name;
  Run run;
  bool right = true;
  bool is_peer = false;
  double sent = 0;  // of the data, by all ranks
  std::vector<double> seconds = {};
  // The least: what else the machine does only adds.
  double time() const { return *std::min_element(seconds.begin(), seconds.end()); }
};

// The map's messages, whole, from and to contiguous memory.
Run raw(const faro::ExchangePlan& plan, const Ranks& ranks, Arrays& arrays) {
  return [&plan, &ranks, &arrays] {
    const auto rank = static_cast<Word>(ranks.rank);
    const Word blocks = faro::bit(plan.cost().rho);
    const std::size_t each = arrays.from.size() / blocks;
    const int count = static_cast<int>(each);
    std::vector<MPI_Request> requests;
    for (Word b = 0; b < blocks; ++b) {
      const Word step = b / plan.blocks(), block = b % plan.blocks();
      const Word origin = plan.origin(rank, step, block), target = plan.target(rank, step, block);
      Number* const in = arrays.to.data() + b * each;
      const Number* const out = arrays.from.data() + b * each;
      if (target == rank) std::copy_n(out, each, in);
      if (origin != rank)
        MPI_Irecv(in, count, MPI_C_DOUBLE_COMPLEX, static_cast<int>(origin), 0, ranks.comm,
                  &requests.emplace_back());
      if (target != rank)
        MPI_Isend(out, count, MPI_C_DOUBLE_COMPLEX, static_cast<int>(target), 0, ranks.comm,
                  &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  };
}

// One line of the table.
class Line {
 public:
  Line(const Case& what, const Ranks& ranks)
      : what_(what), ranks_(ranks), size_(faro::bit(ranks.local_bits)) {
    arrays_.from.resize(size_);
    arrays_.to.resize(size_);
    faro::MpiOptions in_place;
    in_place.exchange.in_place = true;
    plan_.emplace(ranks.comm, what.map, sizeof(Number));
    in_place_.emplace(ranks.comm, what.map, sizeof(Number), in_place);
    const bool sends = plan_->plan().has_exchange();
    columns_.push_back({"raw ms", sends ? raw(plan_->plan(), ranks_, arrays_) : Run()});
    columns_.push_back({"MPI_Alltoall", alltoall()});
    judged("faro", [this] {
      plan_->execute(std::as_bytes(std::span(arrays_.from)),
                     std::as_writable_bytes(std::span(arrays_.to)));
    });
    judged("in place",
           [this] { in_place_->execute_in_place(std::as_writable_bytes(std::span(arrays_.to))); });
    faro::MpiOptions whole;
    whole.exchange.step_bytes = whole.exchange.buffer_bytes = 4 * size_ * sizeof(Number);
    whole_.emplace(ranks.comm, what.map, sizeof(Number), whole);
    judged("whole buffers", [this] {
      whole_->execute(std::as_bytes(std::span(arrays_.from)),
                      std::as_writable_bytes(std::span(arrays_.to)));
    });
    add_shared();
    for (const Named& named : all()) {
      judged(named.name, named.peer(what, ranks, arrays_));
      columns_.back().is_peer = true;
    }
  }

  const std::vector<Column>& measure(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (Column& column : columns_) {
        if (!column.run) continue;
        MPI_Barrier(ranks_.comm);
        const double start = MPI_Wtime();
        column.run();
        double taken = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, ranks_.comm);
        column.seconds.push_back(taken);
      }
    }
    return columns_;
  }

 private:
  Run alltoall() {
    if (plan_->plan().cost().rho != ranks_.rank_bits) return {};
    return [this] {
      const int count = static_cast<int>(size_ / static_cast<std::size_t>(ranks_.size));
      MPI_Alltoall(arrays_.from.data(), count, MPI_C_DOUBLE_COMPLEX, arrays_.to.data(), count,
                   MPI_C_DOUBLE_COMPLEX, ranks_.comm);
    };
  }

  // Runs once, as what moves in place does too, and looks at the result.
  void judged(const std::string& name, std::optional<Run> run) {
    columns_.push_back({name, run.value_or(Run())});
    if (!run) return;
    fill(arrays_.from);
    arrays_.to = arrays_.from;
    take_sent_bytes();
    (*run)();
    columns_.back().sent = sent_share();
    columns_.back().right = is_right(what_, ranks_, arrays_.to);
  }

  double sent_share() const {
    auto sent = static_cast<double>(take_sent_bytes());
    MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, ranks_.comm);
    return sent / static_cast<double>(size_ * sizeof(Number)) / ranks_.size;
  }

  void add_shared() {
    const std::uint64_t bytes = size_ * sizeof(Number);
    shared_from_.emplace(faro::mpi::allocate(ranks_.comm, bytes));
    shared_to_.emplace(faro::mpi::allocate(ranks_.comm, bytes));
    const auto numbers = [this](const faro::SharedArray& array) {
      return std::span(reinterpret_cast<Number*>(array.data().data()), size_);
    };
    fill(numbers(*shared_from_));
    columns_.push_back({"shared memory", [this] { plan_->execute(*shared_from_, *shared_to_); }});
    take_sent_bytes();
    columns_.back().run();
    columns_.back().sent = sent_share();
    columns_.back().right = is_right(what_, ranks_, numbers(*shared_to_));
  }

  void fill(std::span<Number> data) const {
    const Word first = static_cast<Word>(ranks_.rank) << ranks_.local_bits;
    for (Word at = 0; at < data.size(); ++at) data[at] = numbered(first | at);
  }

  const Case& what_;
  const Ranks& ranks_;
  std::size_t size_;
  Arrays arrays_;
  std::optional<faro::MpiPlan> plan_, in_place_, whole_;
  std::optional<faro::SharedArray> shared_from_, shared_to_;
  std::vector<Column> columns_;
};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

void print(const Case& what, const std::vector<Column>& columns, bool with_header) {
  if (with_header) {
    std::string rule = "|---";
    std::printf("| map ");
    for (const Column& column : columns) {
      std::printf("| %s ", column.name.c_str());
      rule += "|---";
    }
    std::printf("|\n%s|\n", rule.c_str());
  }
  // Where nothing is sent there are no messages to compare with.
  const double raw = columns.front().run ? columns.front().time() : 0;
  std::printf(raw > 0 ? "| %s | %.3f " : "| %s | ", what.name.c_str(), 1e3 * raw);
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const Column& column = columns[c];
    if (!column.run)
      std::printf("| ");
    else if (!column.right)
      std::printf("| wrong ");
    else if (raw > 0)
      std::printf("| %.2f ", column.time() / raw);
    else
      std::printf("| %.1f ms ", 1e3 * column.time());
  }
  std::printf("|\n");
  std::fflush(stdout);
}

// The second table's line; false where faro sent more than a peer.
bool add_sent(const Case& what, const std::vector<Column>& columns, std::string& table) {
  char cell[32];
  if (table.empty()) {
    table = "| map ";
    std::string rule = "|---";
    for (std::size_t c = 2; c < columns.size(); ++c) {
      table += "| " + columns[c].name + " ";
      rule += "|---";
    }
    table += "|\n" + rule + "|\n";
  }
  table += "| " + what.name + " ";
  double faro = 0;
  bool least = true;
  for (std::size_t c = 2; c < columns.size(); ++c) {
    const Column& column = columns[c];
    std::snprintf(cell, sizeof cell, "| %.4f ", column.sent);
    table += column.run && column.right ? cell : "| ";
    if (column.name == "faro") faro = column.sent;
    // Peers send a few numbers of their own besides.
    if (column.is_peer && column.run && column.right) least = least && faro <= column.sent;
  }
  table += "|\n";
  return least;
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  {
    peers::Ranks ranks;
    MPI_Comm_rank(ranks.comm, &ranks.rank);
    MPI_Comm_size(ranks.comm, &ranks.size);
    ranks.rank_bits = faro::log2_exact(static_cast<faro::Word>(ranks.size));
    ranks.local_bits = argc > 1 ? std::atoi(argv[1]) : 22;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
    std::string mpi(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(mpi.data(), &length);
    mpi.resize(std::min<std::size_t>(mpi.find_first_of(",\n\t"), static_cast<std::size_t>(length)));
    if (ranks.rank == 0)
      std::printf("%d ranks with 2^%d complex numbers each, least of %d, %s, %s\n\n", ranks.size,
                  ranks.local_bits, rounds, peers::processor().c_str(), mpi.c_str());
    bool first = true;
    std::string sent;
    for (const peers::Case& what : peers::cases(ranks)) {
      peers::Line line(what, ranks);
      const auto& columns = line.measure(rounds);
      for (const peers::Column& column : columns) right = right && (column.right || column.is_peer);
      if (ranks.rank == 0) peers::print(what, columns, first);
      first = false;
      right = peers::add_sent(what, columns, sent) && right;
    }
    if (ranks.rank == 0) std::printf("\n%s", sent.c_str());
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
