#include "planners/cube/affine/jobs.hpp"

#include "base/check.hpp"

namespace faro::inline v1::jobs {

Word reached(std::span<const Word> rows, Word left, Word sources) {
  Word found = 0;
  for (Word more = 1; more != 0; found |= more) {
    more = 0;
    for (Word rest = left & ~found; rest != 0; rest &= rest - 1) {
      const int j = lowest_bit(rest);
      if ((rows[static_cast<std::size_t>(j)] & (found | more | sources)) != 0) more |= bit(j);
    }
  }
  return found;
}

Task::Task(const BitMap& map, int memory_bits)
    : map_(map), n_(map.width() - memory_bits), m_(memory_bits) {
  FARO_CHECK(m_ >= 1 && n_ >= 1);
  std::vector<Word> rows;
  Word sources = 0;
  for (int j = 0; j < n_; ++j) {
    rows.push_back(from_processors(j));
    if (from_memory(j) != 0) sources |= bit(j);
    const bool same = map_.matrix().row(m_ + j) == bit(m_ + j);
    if (!same || has_bit(map_.complement(), m_ + j)) to_do_ |= bit(j);
  }
  fed_ = reached(rows, to_do_, sources) | sources;
  // What idle dimensions feed is not fed by memory: `sources` are to do, all of them.
  FARO_CHECK((fed_ & ~to_do_) == 0);
}

namespace {

// Whether memory reaches all of `dimensions` inside them.
bool feeds_all(const Task& task, Word dimensions) {
  std::vector<Word> rows(static_cast<std::size_t>(task.n()));
  Word sources = 0;
  for (Word rest = dimensions; rest != 0; rest &= rest - 1) {
    const int j = lowest_bit(rest);
    rows[static_cast<std::size_t>(j)] = task.from_processors(j) & dimensions;
    if (task.from_memory(j) != 0) sources |= bit(j);
  }
  return (reached(rows, dimensions & ~sources, sources) | sources) == dimensions;
}

// The columns of [B_D | A_DD] that are no loss of rank, as a mask of dimensions.
Word columns_to_spare(const Task& task, Word d) {
  std::vector<Word> rows;
  for (Word rest = d; rest != 0; rest &= rest - 1) {
    const int j = lowest_bit(rest);
    rows.push_back((task.from_processors(j) & d) << task.m() | task.from_memory(j));
  }
  Word spare = 0;
  for (const Word w : BitMatrix::from_rows(task.n() + task.m(), rows).kernel()) spare |= w;
  return (spare >> task.m()) & d;
}

}  // namespace

std::vector<int> order_of(const Task& task, Word dimensions, std::span<const int> preference) {
  std::vector<int> order(static_cast<std::size_t>(std::popcount(dimensions)));
  Word left = dimensions;
  Word feeds_next = 0;
  for (std::size_t at = order.size(); at-- > 0;) {
    const Word spare = columns_to_spare(task, left);
    int chosen = -1;
    for (const Word among : {spare & feeds_next, spare & ~feeds_next}) {
      for (const int i : preference) {
        if (!has_bit(among, i) || !feeds_all(task, left & ~bit(i))) continue;
        chosen = i;
        break;
      }
      if (chosen >= 0) break;
    }
    FARO_CHECK(chosen >= 0);  // theorem 1
    order[at] = chosen;
    left &= ~bit(chosen);
    feeds_next = task.from_processors(chosen);
  }
  return order;
}

Word Staircase::reduced(int row) const {
  Word y = bit(row);
  for (std::size_t i = 0; i < ys_.size(); ++i)
    if (parity(y & columns_[i]) == 1) y ^= ys_[i];
  return y;
}

void Staircase::add(Word y, Word column) {
  FARO_CHECK(parity(y & column) == 1);
  ys_.push_back(y);
  columns_.push_back(column);
}

namespace {

Word memory_image(const Task& task, Word s) {
  Word image = 0;
  for (; s != 0; s &= s - 1) image ^= task.memory_column(lowest_bit(s));
  return image;
}

}  // namespace

Word memory_column(const Task& task, const Type& type) {
  return memory_image(task, type.b);
}

Word column(const Task& task, const Type& type, int j) {
  return task.processor_column(j) ^ memory_image(task, type.f[static_cast<std::size_t>(j)]);
}

Type type_of(const Task& task, std::span<const int> order, Random* random) {
  const auto any = [&] { return random != nullptr ? random->next() & low_mask(task.m()) : 0; };
  // Some word with parity(word & with) = value, `with` not zero or the value met by any.
  const auto meeting = [&](Word with, unsigned value) {
    Word word = any();
    if (parity(word & with) != value) {
      FARO_CHECK(with != 0);
      word ^= bit(lowest_bit(with));
    }
    return word;
  };
  Type type;
  type.f.assign(static_cast<std::size_t>(task.n()), 0);
  for (Word& f : type.f) f = any();
  if (order.empty()) {
    type.b = meeting(low_mask(task.m()), 1);
    return type;
  }
  type.b = meeting(task.from_memory(order.front()), 1);
  Staircase stairs;
  stairs.add(stairs.reduced(order.front()), memory_column(task, type));
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Word y = stairs.reduced(order[k]);
    Word over_memory = 0;
    for (int i = 0; i < task.m(); ++i)
      if (parity(y & task.memory_column(i)) == 1) over_memory |= bit(i);
    const int j = order[k - 1];
    const unsigned wanted = 1U ^ parity(y & task.processor_column(j));
    type.f[static_cast<std::size_t>(j)] = meeting(over_memory, wanted);
    stairs.add(y, column(task, type, j));
  }
  return type;
}

namespace {

// s_i as a form over q, a, x at the start.
std::vector<Parity> memory_forms(const Task& task, const Type& type) {
  const int n = task.n();
  const int pivot = lowest_bit(type.b);
  std::vector<Parity> forms(static_cast<std::size_t>(task.m()));
  int next = n + 1;
  for (int i = 0; i < task.m(); ++i) {
    Parity& form = forms[static_cast<std::size_t>(i)];
    if (has_bit(type.b, i)) form.mask |= bit(n);
    if (i != pivot) form.mask |= bit(next++);
    for (int j = 0; j < n; ++j)
      if (has_bit(type.f[static_cast<std::size_t>(j)], i)) form.mask |= bit(j);
  }
  return forms;
}

}  // namespace

State start_state(const Task& task, const Type& type) {
  const std::vector<Parity> s = memory_forms(task, type);
  State state;
  for (int i = 0; i < task.n() + task.m(); ++i) {
    const Word row = task.map().matrix().row(i);
    Parity form{row >> task.m(), has_bit(task.map().complement(), i) ? 1U : 0U};
    for (Word rest = row & low_mask(task.m()); rest != 0; rest &= rest - 1)
      form.mask ^= s[static_cast<std::size_t>(lowest_bit(rest))].mask;
    (i < task.m() ? state.memory : state.rows).push_back(form);
  }
  return state;
}

Arrangement arrangement(const Task& task, const Type& type) {
  // u = s_t ^ (F·p)_t for the lowest bit t of b; x_i = s_i ^ (F·p)_i ^ b_i·u for the others.
  const int t = lowest_bit(type.b);
  std::vector<Word> rows{bit(t)};
  for (int i = 0; i < task.m(); ++i)
    if (i != t) rows.push_back(bit(i) | (has_bit(type.b, i) ? bit(t) : 0));
  Arrangement made{.slots = BitMap::from_matrix(BitMatrix::from_rows(task.m(), rows)), .flips = {}};
  for (const Word row : rows) {
    Word mask = 0;
    for (int j = 0; j < task.n(); ++j)
      if (parity(row & type.f[static_cast<std::size_t>(j)]) == 1) mask |= bit(j);
    made.flips.push_back(mask);
  }
  return made;
}

Substitution substitution(int n, int d, Word to) {
  const Word a = bit(n);
  const Word q = bit(d);
  const Word crossing = to ^ q;
  FARO_CHECK((crossing & a) != 0);
  const Word f = crossing ^ a;
  // Where q_d is not in f: q_d becomes q_d + a + f. Else with f = q_d + g: a becomes q_d + g, and
  // q_d becomes a + g.
  if ((f & q) == 0) return {.a = a, .q = q, .for_a = 0, .for_q = a | f};
  const Word swapped = a | f;  // a + q_d + g
  return {.a = a, .q = q, .for_a = swapped, .for_q = swapped};
}

Exchange exchange(State& state, int n, int d, Parity to) {
  const Substitution change = substitution(n, d, to.mask);
  const Word crossing = to.mask ^ bit(d);
  const Word processors = crossing & low_mask(n);
  const Exchange made{.dimension = d,
                      .where = processors,
                      .jobs = (crossing >> n) >> 1U,
                      .value = to.value,
                      .flip = has_bit(processors, d)};
  const auto apply = [&](Parity& form) {
    const bool has_a = (form.mask & change.a) != 0;
    const bool has_q = (form.mask & change.q) != 0;
    if (has_q) form.value ^= to.value;
    if (has_a && made.flip) form.value ^= to.value;
    form.mask = change(form.mask);
  };
  for (Parity& form : state.rows) apply(form);
  for (Parity& form : state.memory) apply(form);
  return made;
}

}  // namespace faro::inline v1::jobs
