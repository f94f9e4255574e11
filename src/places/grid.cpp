// Placements of any lengths on any number of ranks: who sends how much to whom.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "faro/base/error.hpp"
#include "faro/distributed/grid_move.hpp"
#include "layouts/grid_words.hpp"
#include "places/placed_plan.hpp"

namespace faro::inline v1::places {
namespace {

// Messages are listed up to here, and added up for all ranks; beyond, a library call asks for those
// of one rank.
constexpr std::uint64_t listed_ranks_max = 1024;
constexpr std::size_t listed_messages_max = 65'536;
constexpr std::size_t shown_messages = 6;

std::optional<std::uint64_t> ranks_of(std::string_view machine) {
  constexpr std::string_view name = "ranks:";
  if (!machine.starts_with(name)) return std::nullopt;
  machine.remove_prefix(name.size());
  std::uint64_t ranks = 0;
  const auto read = std::from_chars(machine.data(), machine.data() + machine.size(), ranks);
  if (read.ec != std::errc() || read.ptr != machine.data() + machine.size()) return std::nullopt;
  return ranks;
}

struct AllMessages {
  std::uint64_t count = 0, bytes = 0, pieces = 0, least = 0, most = 0, most_sent = 0;
  bool is_mutual = true;  // every message is announced by sender and receiver alike
};

// Both sides are asked: what a rank sends is planned apart from what one receives.
AllMessages add_messages(const GridMove& move, Report& report) {
  AllMessages all;
  Report list = Report::list();
  const std::uint64_t element_bytes = move.options().element_bytes;
  std::uint64_t received = 0;
  for (std::uint64_t rank = 0; rank < move.facts().ranks; ++rank) {
    std::uint64_t sent = 0;
    for (const GridMessage& m : move.sends(rank)) {
      const std::uint64_t bytes = m.elements * element_bytes;
      all.least = all.count == 0 ? bytes : std::min(all.least, bytes);
      all.most = std::max(all.most, bytes);
      all.pieces += m.pieces;
      sent += bytes;
      if (++all.count <= listed_messages_max)
        list.push_back({{"from", rank}, {"to", m.peer}, {"bytes", bytes}, {"pieces", m.pieces}});
    }
    all.bytes += sent;
    all.most_sent = std::max(all.most_sent, sent);
    for (const GridMessage& m : move.receives(rank)) {
      received += m.elements * element_bytes;
      all.is_mutual = all.is_mutual && move.elements_between(m.peer, rank) == m.elements;
    }
  }
  all.is_mutual = all.is_mutual && received == all.bytes;
  report["messages"] = Report{{"count", all.count},     {"bytes", all.bytes},
                              {"pieces", all.pieces},   {"least_bytes", all.least},
                              {"most_bytes", all.most}, {"most_sent_bytes", all.most_sent}};
  if (all.count <= listed_messages_max) report["messages"]["list"] = std::move(list);
  return all;
}

void say_messages(const GridMove& move, const AllMessages& all, Report& report) {
  report.add_words(
      plan_line("messages",
                fmt::format("{} of {} to {} bytes, {} pieces in all; a rank sends {} bytes at most",
                            all.count, all.least, all.most, all.pieces, all.most_sent)));
  std::size_t shown = 0;
  for (std::uint64_t rank = 0; rank < move.facts().ranks && shown < shown_messages; ++rank)
    for (const GridMessage& m : move.sends(rank)) {
      if (++shown > shown_messages) break;
      report.add_words(plan_line("", fmt::format("{} to {}: {} bytes in {} {}", rank, m.peer,
                                                 m.elements * move.options().element_bytes,
                                                 m.pieces, m.pieces == 1 ? "piece" : "pieces")));
    }
  if (all.count > shown_messages) report.add_words(plan_line("", "... --json lists them"));
}

}  // namespace

bool is_grid(const Asked& asked) {
  const std::string& words = asked.request.words;
  if (words.empty()) return false;
  const std::string& machine = asked.place;
  const auto& shape = asked.request.shape;
  const auto ranks = ranks_of(machine);
  if (!ranks) return false;
  if (!says_grid_move(words)) {
    if (*ranks < 2 || is_power_of_two(*ranks)) return false;
    throw Error(ErrorCode::usage,
                fmt::format("{}: a map of bits needs a power of two of ranks. Placements take any "
                            "number: 'A => B' in the words of jax, xla, dtensor, hpf or scalapack, "
                            "with --shape",
                            machine));
  }
  const bool bits = is_power_of_two(*ranks) &&
                    (!shape || std::all_of(shape->begin(), shape->end(),
                                           [](Word side) { return is_power_of_two(side); }));
  if (!bits || words.find("=>") != words.rfind("=>")) return true;
  // No map of bits makes other numbers of ranks.
  return shape && read_grid_placement(words.substr(0, words.find("=>")), *shape).ranks() !=
                      read_grid_placement(words.substr(words.find("=>") + 2), *shape).ranks();
}

PlacedPlan::Content between_placements(const Asked& asked) {
  const std::string& words = asked.request.words;
  GridMoveOptions options;
  options.element_bytes = asked.request.element_bytes.value_or(1);
  if (asked.options.relabel) options.relabel = Relabel::least;
  const GridMove move =
      grid_move(words, asked.request.shape.value_or(std::vector<Word>{}), options);
  const GridMoveFacts& facts = move.facts();
  if (facts.ranks > *ranks_of(asked.place))
    throw Error(ErrorCode::usage, fmt::format("{}: the placements are on {} and {} ranks",
                                              asked.place, move.from().ranks(), move.to().ranks()));
  Report report;
  report.row("map", words, "{}\n", words);
  const auto line = [&](const char* name, const char* member, Report value,
                        const std::string& text) {
    report[member] = std::move(value);
    report.add_words(plan_line(name, text));
  };
  report["ranks"] = facts.ranks;
  report["element_bytes"] = options.element_bytes;
  line("from", "from",
       {{"ranks", move.from().ranks()},
        {"copies", move.from().copies()},
        {"text", move.from().text()}},
       fmt::format("{} ranks: {}", move.from().ranks(), move.from().text()));
  line("to", "to",
       {{"ranks", move.to().ranks()}, {"copies", move.to().copies()}, {"text", move.to().text()}},
       fmt::format("{} ranks: {}", move.to().ranks(), move.to().text()));
  report["bytes"] = facts.bytes;
  line("kept", "kept_bytes", facts.kept_bytes,
       fmt::format("{} bytes stay on their ranks", facts.kept_bytes));
  line("moved", "moved_bytes", facts.moved_bytes,
       fmt::format("{} bytes, the least that can be with these ranks; a rank receives {} at most",
                   facts.moved_bytes, facts.most_received_bytes));
  report["most_received_bytes"] = facts.most_received_bytes;
  report["relabelled"] = name_of(facts.relabelled);
  if (asked.options.relabel) {
    const bool exact = facts.relabelled == GridMoveFacts::Relabelled::exactly;
    line("relabelled", "kept_bytes_at_most", facts.kept_bytes_at_most,
         exact ? "no other order of the ranks keeps more"
               : fmt::format("{}; no order of the ranks keeps more than {} bytes",
                             name_of(facts.relabelled), facts.kept_bytes_at_most));
    report["relabelling"] = move.relabelling();
  }
  bool good = true;
  if (facts.ranks <= listed_ranks_max) {
    const AllMessages all = add_messages(move, report);
    say_messages(move, all, report);
    good = all.is_mutual && all.bytes == facts.moved_bytes;
    report.row(
        "verified", {{"by", "messages"}, {"ok", good}}, "{}",
        plan_line("verified", good ? "what all ranks send is what all receive, and all that moves"
                                   : "NO: the messages do not add up"));
  }
  PlacedPlan::Content content{.plan = move};
  content.cost = content.bound = facts.moved_bytes;
  if (asked.options.relabel)
    content.bound = facts.kept_bytes + facts.moved_bytes - facts.kept_bytes_at_most;
  content.reason = "what a rank lacks it receives, and nothing else";
  content.unit = "bytes moved";
  content.made_of = fmt::format("one exchange between {} ranks", facts.ranks);
  content.judged = facts.ranks > listed_ranks_max ? Judged::nobody
                   : good                         ? Judged::right
                                                  : Judged::wrong;
  content.report = std::move(report);
  return content;
}

}  // namespace faro::inline v1::places
