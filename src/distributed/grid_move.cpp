#include "faro/distributed/grid_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "distributed/grid_state.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

// From here on a plan that is there is as fast as the loops or faster, whatever the element; for
// those of 1 and 3 bytes it is from 16 KiB on. Making one takes 5 us, and all whole slices of a
// message share one (bench/grid_bench.cpp).
constexpr std::uint64_t planned_bytes_min = std::uint64_t{1} << 17U;

[[noreturn]] void refuse_move(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

// All choices of one meet an axis.
template <class Visit>
void for_products(const std::vector<std::vector<AxisMeet>>& lists, Visit visit) {
  for (const auto& list : lists)
    if (list.empty()) return;
  std::vector<std::size_t> at(lists.size());
  std::vector<std::uint64_t> parts(lists.size());
  while (true) {
    GridMessage message{0, 1, 1};
    for (std::size_t a = 0; a < lists.size(); ++a) {
      const AxisMeet& meet = lists[a][at[a]];
      parts[a] = meet.part;
      message.elements *= meet.elements;
      message.pieces *= meet.pieces;
    }
    visit(parts, message);
    std::size_t a = lists.size();
    while (a > 0 && ++at[a - 1] == lists[a - 1].size()) at[--a] = 0;
    if (a == 0) return;
  }
}

void check_bytes(const GridPlacement& side, std::uint64_t element_bytes) {
  const Count bytes = Count{side.elements()} * Count{side.copies()} * Count{element_bytes};
  if (bytes > Count{bit(63)})
    throw Error(ErrorCode::limit,
                fmt::format("{} bytes with all copies; at most 2^63", to_string(bytes)));
}

}  // namespace

const char* name_of(GridMoveFacts::Relabelled how) {
  switch (how) {
    case GridMoveFacts::Relabelled::no:
      return "no";
    case GridMoveFacts::Relabelled::exactly:
      return "exactly";
    case GridMoveFacts::Relabelled::by_axis:
      return "by axis";
    case GridMoveFacts::Relabelled::by_rank:
      return "by rank";
  }
  return "no";
}

GridMove::State::State(const GridPlacement& old_side, const GridPlacement& new_side,
                       const GridMoveOptions& given)
    : given_from(old_side),
      given_to(new_side),
      from(old_side),
      to(new_side),
      options(given),
      copier(given.element_bytes, planned_bytes_min) {
  const std::size_t count = axes();
  if (options.element_bytes == 0) refuse_move("elements of 0 bytes");
  if (to.axes().size() != count)
    refuse_move(fmt::format("the array has {} axes before and {} after", count, to.axes().size()));
  if (options.order.empty()) {
    options.order.resize(count);
    std::iota(options.order.begin(), options.order.end(), std::size_t{0});
  }
  if (options.reversed.empty()) options.reversed.assign(count, false);
  if (options.roll.empty()) options.roll.assign(count, 0);
  std::vector<bool> taken(count);
  new_axis.resize(count);
  to_deal.resize(count);
  bool right = options.order.size() == count && options.reversed.size() == count &&
               options.roll.size() == count;
  for (std::size_t k = 0; right && k < count; ++k) {
    const std::size_t a = options.order[k];
    right = a < count && !taken[a];
    if (!right) break;
    taken[a] = true;
    new_axis[a] = k;
    const AxisDeal& deal = to.axes()[k].deal;
    if (deal.length() != from_deal(a).length())
      refuse_move(fmt::format("axis {} has {} before, and after it is axis {} of {}", a,
                              from_deal(a).length(), k, deal.length()));
    if (options.roll[k] >= deal.length())
      refuse_move(fmt::format("axis {} of {} is rolled by {}: a roll is below the length", k,
                              deal.length(), options.roll[k]));
    to_deal[a] = deal.rolled(options.roll[k]);
    if (options.reversed[k]) to_deal[a] = to_deal[a].reversed();
  }
  if (!right)
    refuse_move(
        fmt::format("the order of axes is 0 to {}, each once, and as many say whether "
                    "they are reversed and by how much they are rolled",
                    count - 1));
  check_bytes(from, options.element_bytes);
  check_bytes(to, options.element_bytes);
  facts.ranks = std::max(from.ranks(), to.ranks());
  facts.bytes = from.elements() * options.element_bytes;
  hosted.resize(facts.ranks);
  std::iota(hosted.begin(), hosted.end(), std::uint64_t{0});
  if (options.relabel == Relabel::least) relabel(from, to, to_deal, new_axis, hosted, facts);
  host_of.resize(facts.ranks);
  for (std::uint64_t r = 0; r < facts.ranks; ++r) host_of[hosted[r]] = r;
  std::vector<SharedCounts> counts;
  for (std::size_t a = 0; a < count; ++a) counts.emplace_back(from_deal(a), to_deal[a]);
  for (std::uint64_t r = 0; r < facts.ranks; ++r) {
    if (!receives(r)) continue;
    std::uint64_t kept = sends(r) ? 1 : 0;
    for (std::size_t a = 0; kept != 0 && a < count; ++a)
      kept *= counts[a](from.part(r, a), to.part(hosted[r], new_axis[a]));
    const std::uint64_t lacks = to.local_elements(hosted[r]) - kept;
    facts.kept_bytes += kept * options.element_bytes;
    facts.moved_bytes += lacks * options.element_bytes;
    facts.most_received_bytes = std::max(facts.most_received_bytes, lacks * options.element_bytes);
  }
  using How = GridMoveFacts::Relabelled;
  if (facts.relabelled == How::by_axis || facts.relabelled == How::by_rank)
    facts.kept_bytes_at_most *= options.element_bytes;
  else
    facts.kept_bytes_at_most = facts.kept_bytes;
}

std::vector<std::uint64_t> GridMove::State::from_parts(std::uint64_t rank) const {
  std::vector<std::uint64_t> parts;
  for (std::size_t a = 0; a < axes(); ++a) parts.push_back(from.part(rank, a));
  return parts;
}

std::vector<std::uint64_t> GridMove::State::to_parts(std::uint64_t rank) const {
  std::vector<std::uint64_t> parts;
  for (std::size_t a = 0; a < axes(); ++a) parts.push_back(to.part(hosted[rank], new_axis[a]));
  return parts;
}

std::uint64_t GridMove::State::copy_for(std::uint64_t rank) const {
  return sends(rank) ? from.copy(rank) : rank % from.copies();
}

bool GridMove::State::goes(std::uint64_t sender, std::uint64_t receiver) const {
  if (!sends(sender) || !receives(receiver)) return false;
  if (sender == receiver) return true;
  if (from.copy(sender) != copy_for(receiver)) return false;
  return !sends(receiver) || from_parts(sender) != from_parts(receiver);
}

void GridMove::State::check_rank(std::uint64_t rank) const {
  if (rank >= facts.ranks)
    refuse_move(fmt::format("rank {} of a move between {} ranks", rank, facts.ranks));
}

GridMove::GridMove(const GridPlacement& from, const GridPlacement& to,
                   const GridMoveOptions& options)
    : state_(std::make_shared<const State>(from, to, options)) {}

GridMove::GridMove(const GridPlacement& from, const GridPlacement& to, const Map& map,
                   const GridMoveOptions& options) {
  const DigitMove digits = digits_placed(from, to, map, options);
  auto state = std::make_shared<State>(digits.from, digits.to, digits.options);
  state->given_from = from;
  state->given_to = to;
  state_ = std::move(state);
}

const GridPlacement& GridMove::from() const {
  return state_->given_from;
}
const GridPlacement& GridMove::to() const {
  return state_->given_to;
}
const GridMoveOptions& GridMove::options() const {
  return state_->options;
}
const GridMoveFacts& GridMove::facts() const {
  return state_->facts;
}
const std::vector<std::uint64_t>& GridMove::relabelling() const {
  return state_->hosted;
}

std::vector<std::uint64_t> GridMove::digit_lengths() const {
  return state_->from.shape();
}

std::uint64_t GridMove::from_bytes(std::uint64_t rank) const {
  state_->check_rank(rank);
  return state_->sends(rank) ? state_->from.local_elements(rank) * options().element_bytes : 0;
}
std::uint64_t GridMove::to_bytes(std::uint64_t rank) const {
  state_->check_rank(rank);
  if (!state_->receives(rank)) return 0;
  return state_->to.local_elements(state_->hosted[rank]) * options().element_bytes;
}
std::vector<std::uint64_t> GridMove::from_shape(std::uint64_t rank) const {
  state_->check_rank(rank);
  if (state_->sends(rank)) return from().local_shape(rank);
  return std::vector<std::uint64_t>(from().axes().size(), 0);
}
std::vector<std::uint64_t> GridMove::to_shape(std::uint64_t rank) const {
  state_->check_rank(rank);
  if (state_->receives(rank)) return to().local_shape(state_->hosted[rank]);
  return std::vector<std::uint64_t>(to().axes().size(), 0);
}

std::vector<GridMessage> GridMove::sends(std::uint64_t rank) const {
  state_->check_rank(rank);
  std::vector<GridMessage> messages;
  const State& s = *state_;
  if (!s.sends(rank)) return messages;
  std::vector<std::vector<AxisMeet>> lists;
  for (std::size_t a = 0; a < s.axes(); ++a)
    lists.push_back(meets(s.from_deal(a), s.from.part(rank, a), s.to_deal[a]));
  std::vector<std::uint64_t> new_parts(s.axes());
  for_products(lists, [&](const std::vector<std::uint64_t>& parts, GridMessage message) {
    for (std::size_t a = 0; a < s.axes(); ++a) new_parts[s.new_axis[a]] = parts[a];
    for (std::uint64_t copy = 0; copy < s.to.copies(); ++copy) {
      message.peer = s.host_of[s.to.rank_of(new_parts, copy)];
      if (message.peer != rank && s.goes(rank, message.peer)) messages.push_back(message);
    }
  });
  std::sort(messages.begin(), messages.end(),
            [](const GridMessage& a, const GridMessage& b) { return a.peer < b.peer; });
  return messages;
}

std::vector<GridMessage> GridMove::receives(std::uint64_t rank) const {
  state_->check_rank(rank);
  std::vector<GridMessage> messages;
  const State& s = *state_;
  if (!s.receives(rank)) return messages;
  std::vector<std::vector<AxisMeet>> lists;
  const std::vector<std::uint64_t> new_parts = s.to_parts(rank);
  for (std::size_t a = 0; a < s.axes(); ++a)
    lists.push_back(meets(s.to_deal[a], new_parts[a], s.from_deal(a)));
  const std::vector<std::uint64_t> mine = s.sends(rank) ? s.from_parts(rank) : new_parts;
  for_products(lists, [&](const std::vector<std::uint64_t>& parts, GridMessage message) {
    if (s.sends(rank) && parts == mine) return;
    message.peer = s.from.rank_of(parts, s.copy_for(rank));
    messages.push_back(message);
  });
  std::sort(messages.begin(), messages.end(),
            [](const GridMessage& a, const GridMessage& b) { return a.peer < b.peer; });
  return messages;
}

std::uint64_t GridMove::kept_elements(std::uint64_t rank) const {
  return elements_between(rank, rank);
}

std::uint64_t GridMove::elements_between(std::uint64_t sender, std::uint64_t receiver) const {
  state_->check_rank(sender);
  state_->check_rank(receiver);
  const State& s = *state_;
  if (!s.goes(sender, receiver)) return 0;
  std::uint64_t elements = 1;
  for (std::size_t a = 0; elements != 0 && a < s.axes(); ++a)
    elements *= shared(s.from_deal(a), s.from.part(sender, a), s.to_deal[a],
                       s.to.part(s.hosted[receiver], s.new_axis[a]));
  return elements;
}

std::string GridMove::describe() const {
  const GridMoveFacts& f = facts();
  std::string result = fmt::format("from {}\nto   {}\n", from().text(), to().text());
  result +=
      fmt::format("{} ranks: {} bytes stay on their ranks, {} are sent, the least that can be\n",
                  f.ranks, f.kept_bytes, f.moved_bytes);
  result += fmt::format("a rank receives {} bytes at most\n", f.most_received_bytes);
  if (f.relabelled == GridMoveFacts::Relabelled::exactly)
    result += "relabelled: no other order of the ranks keeps more\n";
  if (f.relabelled == GridMoveFacts::Relabelled::by_axis ||
      f.relabelled == GridMoveFacts::Relabelled::by_rank)
    result += fmt::format("relabelled {}: no order of the ranks keeps more than {} bytes\n",
                          name_of(f.relabelled), f.kept_bytes_at_most);
  return result;
}

}  // namespace faro::inline v1
