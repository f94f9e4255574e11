// Costs found again from values of the map: see faro/distributed/exchange_plan.hpp. No matrices
// here.
#include <algorithm>
#include <functional>
#include <vector>

#include "base/check.hpp"
#include "distributed/check.hpp"
#include "faro/distributed/exchange_plan.hpp"

namespace faro::inline v1 {
namespace {

// What is asked of either way of counting; amounts in elements.
struct CountedSizes {
  const BitMap& map;
  BitMap host;  // what belongs to rank q lies on rank host(q)
  int rank_bits;
  int local_bits;

  Word rank_of(Word index) const { return local_bits == word_bits ? 0 : index >> local_bits; }
  Word to_rank(Word index) const { return rank_of(map(index)); }
};

struct Leaving {
  Count moved = 0, fixed = 0, least = 0;
};
struct Figures {
  int rho = 0;
  Count pair = 0;
  std::uint64_t partners = 0, keepers = 0;
  Count most_sent = 0;
};

Word above(Word rank, int node_bits) {
  return node_bits == word_bits ? 0 : rank >> node_bits;
}

// Element by element.
class OneByOne {
 public:
  explicit OneByOne(const CountedSizes& sizes) : s_(sizes), to_(bit(sizes.rank_bits)) {}

  Leaving leaving(int node_bits) {
    Leaving all;
    for (Word node = 0; node < bit(s_.rank_bits - node_bits); ++node) {
      count(node, node_bits);
      std::vector<std::uint64_t> amounts;
      std::uint64_t sent = 0;
      std::uint64_t may_stay = 0;
      for (const Word q : reached_) {
        sent += to_[q];
        amounts.push_back(to_[q]);
        if (above(s_.host(q), node_bits) != node) all.moved += to_[q];
        if (above(q, node_bits) != node) all.fixed += to_[q];
      }
      std::sort(amounts.begin(), amounts.end(), std::greater<>());
      for (std::size_t i = 0; i < std::min<std::size_t>(amounts.size(), bit(node_bits)); ++i) {
        may_stay += amounts[i];
      }
      all.least += sent - may_stay;
    }
    return all;
  }

  Figures figures() {
    Figures f;
    for (Word rank = 0; rank < bit(s_.rank_bits); ++rank) {
      count(rank, 0);
      std::uint64_t others = 0;
      std::uint64_t sent = 0;
      for (const Word q : reached_) {
        if (s_.host(q) == rank) {
          ++f.keepers;
        } else {
          ++others;
          sent += to_[q];
        }
        if (f.pair == 0) f.pair = to_[q];
        FARO_CHECK(f.pair == Count{to_[q]});
      }
      f.partners = std::max(f.partners, others);
      f.most_sent = std::max(f.most_sent, Count{sent});
      if (rank == 0) f.rho = log2_exact(reached_.size());
    }
    return f;
  }

 private:
  // What the ranks of a node send, by the rank it belongs to.
  void count(Word node, int node_bits) {
    for (const Word q : reached_) to_[q] = 0;
    reached_.clear();
    const int bits = s_.local_bits + node_bits;
    for (Word i = node << bits; i < (node + 1) << bits; ++i) {
      const Word q = s_.to_rank(i);
      if (to_[q]++ == 0) reached_.push_back(q);
    }
  }

  const CountedSizes& s_;
  std::vector<std::uint64_t> to_;
  std::vector<Word> reached_;
};

// Words by their highest bits.
class Span {
 public:
  // What is left of `word` when the span has taken its part; 0 if it lies in it.
  Word rest(Word word) const {
    for (const Word w : words_) word = std::min(word, word ^ w);
    return word;
  }
  void add(Word word) {
    word = rest(word);
    if (word == 0) return;
    words_.insert(std::upper_bound(words_.begin(), words_.end(), word, std::greater<>()), word);
  }
  int dimension() const { return static_cast<int>(words_.size()); }

 private:
  std::vector<Word> words_;
};

// Coset by coset: what a bit of the index changes, it changes everywhere.
class ByCosets {
 public:
  explicit ByCosets(const CountedSizes& sizes) : s_(sizes) {}

  Leaving leaving(int node_bits) const {
    const Count all = Count{1} << static_cast<unsigned>(width());
    // Of the 2^t ranks that a node reaches it can be the home of as many as it has.
    const int t = reached(s_.local_bits + node_bits).dimension();
    const Count may_stay = Count{1} << static_cast<unsigned>(width() + node_bits - t);
    return {all - stay(node_bits, true), all - stay(node_bits, false), all - may_stay};
  }

  Figures figures() const {
    Figures f;
    f.rho = reached(s_.local_bits).dimension();
    f.pair = Count{1} << static_cast<unsigned>(s_.local_bits - f.rho);
    const Count keepers = stay(0, true) >> static_cast<unsigned>(s_.local_bits - f.rho);
    f.keepers = keepers > Count{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(keepers);
    f.partners = bit(f.rho) - (keepers == Count{1} << static_cast<unsigned>(s_.rank_bits) ? 1 : 0);
    f.most_sent = f.pair * f.partners;
    return f;
  }

 private:
  int width() const { return s_.rank_bits + s_.local_bits; }
  // Differences of the ranks that indices reach which agree above `bits`.
  Span reached(int bits) const {
    Span span;
    for (int j = 0; j < bits; ++j) span.add(s_.to_rank(bit(j)) ^ s_.to_rank(0));
    return span;
  }
  // How many elements end on the node where they are.
  Count stay(int node_bits, bool hosted) const {
    const auto apart = [&](Word i) {
      const Word q = s_.to_rank(i);
      return above(hosted ? s_.host(q) : q, node_bits) ^ above(s_.rank_of(i), node_bits);
    };
    Span span;
    for (int j = 0; j < width(); ++j) span.add(apart(bit(j)) ^ apart(0));
    if (span.rest(apart(0)) != 0) return 0;
    return Count{1} << static_cast<unsigned>(width() - span.dimension());
  }

  const CountedSizes& s_;
};

}  // namespace

ExchangeCost counted_cost(const BitMap& map, const BitMap& relabelling, int rank_bits,
                          std::uint64_t element_bytes, int node_bits) {
  distributed::check_exchange(map, rank_bits, element_bytes, node_bits);
  if (relabelling.width() != rank_bits) {
    throw Error(ErrorCode::usage, "exchange: the relabelling is not of the ranks' bits");
  }
  const CountedSizes sizes{map, relabelling.inverse(), rank_bits, map.width() - rank_bits};
  Figures f;
  Leaving ranks;
  Leaving nodes;
  if (map.width() <= counted_bits_max) {
    OneByOne way(sizes);
    f = way.figures();
    ranks = way.leaving(0);
    nodes = way.leaving(node_bits);
  } else {
    const ByCosets way(sizes);
    f = way.figures();
    ranks = way.leaving(0);
    nodes = way.leaving(node_bits);
  }
  const auto bytes = [&](const Leaving& all) {
    return ExchangeTraffic{all.moved * element_bytes, all.fixed * element_bytes,
                           all.least * element_bytes};
  };
  ExchangeCost cost;
  cost.rho = f.rho;
  cost.partners = f.partners;
  // One port a rank: as many rounds as some rank has partners.
  cost.rounds = f.partners;
  cost.pair_bytes = f.pair * element_bytes;
  cost.ranks = bytes(ranks);
  cost.most_sent_bytes = f.most_sent * element_bytes;
  cost.keepers = f.keepers;
  cost.node_bits = node_bits;
  cost.nodes = bytes(nodes);
  return cost;
}

}  // namespace faro::inline v1
