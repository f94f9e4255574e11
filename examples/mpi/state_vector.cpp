// A simulator of quantum circuits on MPI ranks, checked against a dense one.
//
//   mpirun -n 4 state_vector [QUBITS [GATES]]      QUBITS qubits, GATES random gates
//
// Each rank has 2^m of the 2^n amplitudes. X, CNOT and SWAP of any qubits change where the qubits
// are and move nothing; a qubit that controls is read from the place; only the target of a gate has
// to be local, and if it is not, one exchange brings it, together with those that come next.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <faro/distributed/register.hpp>
#include <faro/mpi/mpi_plan.hpp>
#include <list>
#include <random>
#include <vector>

using faro::Word;
using Amplitude = std::complex<double>;

// A gate on one or two qubits. The matrix is row by row, the first qubit the low bit.
struct Gate {
  enum Kind { x, cnot, swap, controlled, one, two } kind;
  std::array<int, 2> qubits;
  std::array<Amplitude, 16> matrix;

  // Those that must be local: the last of a controlled gate, none of a permutation.
  std::vector<int> targets() const {
    if (kind == one) return {qubits[0]};
    if (kind == controlled) return {qubits[1]};
    return kind == two ? std::vector<int>{qubits[0], qubits[1]} : std::vector<int>{};
  }
};

class State {
 public:
  State(MPI_Comm comm, int qubits) : comm_(comm) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    place_ = faro::distributed::Register(qubits, faro::log2_exact(static_cast<Word>(size)));
    first_ = static_cast<Word>(rank) << place_.local_bits();
    amplitudes_.resize(faro::bit(place_.local_bits()));
    if (rank == 0) amplitudes_[0] = 1;
  }

  void run(const std::vector<Gate>& circuit) {
    for (std::size_t g = 0; g < circuit.size(); ++g) {
      const auto [a, b] = circuit[g].qubits;
      if (circuit[g].kind == Gate::x) place_.x(a);
      if (circuit[g].kind == Gate::cnot) place_.cnot(a, b);
      if (circuit[g].kind == Gate::swap) place_.swap(a, b);
      bring_local(circuit, g);
      if (!circuit[g].targets().empty()) apply(circuit[g]);
    }
  }

  // Every amplitude at its index.
  void home() { perform(place_.home()); }

  const std::vector<Amplitude>& local() const { return amplitudes_; }
  Word first_index() const { return first_; }
  int exchanges() const { return exchanges_; }
  double moved() const { return moved_; }  // of the state, over all exchanges

 private:
  // The gate's targets; those of the gates that follow stay while there is room. (A permutation in
  // between may make them others: then an exchange more, no wrong result.)
  void bring_local(const std::vector<Gate>& circuit, std::size_t g) {
    const std::vector<int> wanted = circuit[g].targets();
    if (std::ranges::all_of(wanted, [this](int q) { return place_.is_local(q); })) return;
    std::vector<int> soon;
    for (std::size_t next = g + 1; next < circuit.size() && next < g + 64; ++next) {
      for (const int q : circuit[next].targets()) soon.push_back(q);
    }
    perform(place_.bring_local(wanted, soon));
  }

  void perform(const faro::BitMap& move) {
    auto plan = std::find_if(plans_.begin(), plans_.end(),
                             [&](const auto& p) { return p.plan().map() == move; });
    if (plan == plans_.end()) {
      if (plans_.size() == 32) plans_.pop_back();
      faro::MpiOptions options;
      options.exchange.in_place = true;
      plans_.emplace_front(comm_, move, sizeof(Amplitude), options);
      plan = plans_.begin();
    }
    plan->execute_in_place(std::as_writable_bytes(std::span(amplitudes_)));
    const faro::ExchangePlan& how = plan->plan();
    exchanges_ += how.has_exchange() ? 1 : 0;
    moved_ += static_cast<double>(how.cost().ranks.moved_bytes) /
              static_cast<double>(how.local_bytes()) / static_cast<double>(how.ranks());
  }

  void apply(const Gate& gate) {
    const auto& u = gate.matrix;
    const auto [a, b] = gate.qubits;
    for (Word at = 0; at < amplitudes_.size(); ++at) {
      const Word here = first_ | at;
      if (gate.kind == Gate::two) {
        if (place_.value(a, here) || place_.value(b, here)) continue;
        const Word sa = place_.step(a), sb = place_.step(b);
        const std::array<Word, 4> of = {at, at ^ sa, at ^ sb, at ^ sa ^ sb};
        std::array<Amplitude, 4> sums{};
        for (std::size_t r = 0; r < 16; ++r) sums[r / 4] += u[r] * amplitudes_[of[r % 4]];
        for (std::size_t r = 0; r < 4; ++r) amplitudes_[of[r]] = sums[r];
        continue;
      }
      if (gate.kind == Gate::controlled && !place_.value(a, here)) continue;
      const int target = gate.kind == Gate::controlled ? b : a;
      if (place_.value(target, here)) continue;
      Amplitude& zero = amplitudes_[at];
      Amplitude& one = amplitudes_[at ^ place_.step(target)];
      const Amplitude old = zero;
      zero = u[0] * old + u[1] * one;
      one = u[2] * old + u[3] * one;
    }
  }

  MPI_Comm comm_;
  faro::distributed::Register place_{0, 0};
  Word first_ = 0;
  std::vector<Amplitude> amplitudes_;
  std::list<faro::MpiPlan> plans_;  // exchanges come again; plans are made once
  int exchanges_ = 0;
  double moved_ = 0;
};

// The same on the whole vector: a matrix on the bits, nothing else.
void apply_dense(const Gate& gate, std::vector<Amplitude>& state) {
  const Word a = faro::bit(gate.qubits[0]), b = faro::bit(gate.qubits[1]);
  const std::vector<Amplitude> old = state;
  for (Word i = 0; i < state.size(); ++i) {
    const Word both = (i & a ? 1U : 0U) + (i & b ? 2U : 0U);
    const auto from = [&](Word bits) {
      return (i & ~(a | b)) | (bits & 1 ? a : 0) | (bits & 2 ? b : 0);
    };
    const auto& u = gate.matrix;
    if (gate.kind == Gate::x) state[i] = old[i ^ a];
    if (gate.kind == Gate::cnot) state[i] = old[i & a ? i ^ b : i];
    if (gate.kind == Gate::swap) state[i] = old[from(both >> 1 | (both & 1) << 1)];
    if (gate.kind == Gate::one)
      state[i] = u[2 * (both & 1)] * old[i & ~a] + u[2 * (both & 1) + 1] * old[i | a];
    if (gate.kind == Gate::controlled && i & a)
      state[i] = u[2 * (both >> 1)] * old[i & ~b] + u[2 * (both >> 1) + 1] * old[i | b];
    if (gate.kind != Gate::two) continue;
    state[i] = 0;
    for (Word c = 0; c < 4; ++c) state[i] += u[4 * both + c] * old[from(c)];
  }
}

// Gates of all kinds on any qubits. exp(i t) [c s; -s c], and two of it beside each other.
std::vector<Gate> random_circuit(int qubits, int gates) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Gate> circuit;
  while (static_cast<int>(circuit.size()) < gates) {
    const int a = below(qubits);
    const int b = (a + 1 + below(qubits - 1)) % qubits;
    const double t = 0.001 * below(6283), v = 0.001 * below(6283);
    const std::array<Amplitude, 4> u = {std::polar(std::cos(v), t), std::polar(std::sin(v), -t),
                                        std::polar(-std::sin(v), t), std::polar(std::cos(v), -t)};
    Gate gate{static_cast<Gate::Kind>(below(6)), {a, b}, {u[0], u[1], u[2], u[3]}};
    if (gate.kind == Gate::two) {  // u on both, then a CNOT
      for (std::size_t at = 0; at < 16; ++at) {
        const std::size_t row = at >> 2, c = at & 3, r = row & 1 ? row ^ 2 : row;
        gate.matrix[at] = u[2 * (r & 1) + (c & 1)] * u[2 * (r >> 1) + (c >> 1)];
      }
    }
    circuit.push_back(gate);
  }
  return circuit;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int qubits = argc > 1 ? std::atoi(argv[1]) : 12;
  const std::vector<Gate> circuit = random_circuit(qubits, argc > 2 ? std::atoi(argv[2]) : 200);
  double error = 0;
  double total = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    State state(MPI_COMM_WORLD, qubits);
    state.run(circuit);
    state.home();
    std::vector<Amplitude> dense(faro::bit(qubits));
    dense[0] = 1;
    for (const Gate& gate : circuit) apply_dense(gate, dense);
    double norm = 0;
    for (Word i = 0; i < state.local().size(); ++i) {
      error = std::max(error, std::abs(state.local()[i] - dense[state.first_index() + i]));
      norm += std::norm(state.local()[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&norm, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%zu gates, %d exchanges of %.2f states in all, norm %.12f, error %.1e\n",
                  circuit.size(), state.exchanges(), state.moved(), total, error);
  }
  MPI_Finalize();
  return error < 1e-12 && std::abs(total - 1) < 1e-10 ? 0 : 1;
}
