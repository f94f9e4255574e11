// `faro paper`: tables and figures of the papers, planned and verified while you wait.
#include "papers/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/working.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {
namespace {

// Columns of a text: code points, near enough for what the tables hold.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

void add_words(Report& report, const PaperTable& table, const Output& out) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(column));
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
      widths[c] = std::max(widths[c], width_of(row[c]));
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size() && c < widths.size(); ++c)
      text += "  " + padded(cells[c], widths[c]);
    text.erase(text.find_last_not_of(' ') + 1);
    report.say("{}\n", text);
  };
  report.say("\n{}\n", out.styled(Output::Style::strong, table.title));
  print(table.columns);
  for (const auto& row : table.rows) print(row);
  for (const std::string& remark : table.remarks) report.say("  * {}\n", remark);
}

Report table_report(const Paper& paper, const PaperTable& table) {
  Report rows = Report::list();
  for (const auto& row : table.rows) {
    Report cells;
    for (std::size_t c = 0; c < row.size() && c < table.columns.size(); ++c)
      cells[table.columns[c]] = row[c];
    rows.push_back(cells);
  }
  return {{"paper", paper.name},
          {"title", table.title},
          {"columns", table.columns},
          {"rows", rows},
          {"remarks", table.remarks}};
}

std::string paper_names() {
  std::string names;
  for (const Paper* p : papers()) names += (names.empty() ? "" : ", ") + std::string(p->name);
  return names;
}

int list_papers(Output& out) {
  Report report{{"format", "faro-paper/1"}, {"rows", Report::list()}};
  for (const Paper* p : papers()) {
    report.say("  {:<12} {}\n", p->name, p->title);
    report["rows"].push_back({{"name", p->name}, {"title", p->title}});
  }
  out.report(report);
  return 0;
}

int run(const std::optional<std::string>& name, Output& out) {
  if (!name) return list_papers(out);
  for (const Paper* p : papers()) {
    if (*name != p->name) continue;
    end_within_a_second();
    const Progress progress = out.progress("recomputing", Output::Unit::steps);
    const Listening listening(progress);
    // A table is printed when it is made: a page takes seconds, and who reads its head may leave.
    const PaperPage page = p->page([&out](const PaperPage& so_far) {
      if (out.is_json()) return;
      Report words;
      if (so_far.tables.empty()) {
        words.say("{}\n", so_far.citation);
      } else {
        add_words(words, so_far.tables.back(), out);
      }
      out.report(words);
      out.flush();
    });
    if (!out.is_json()) return 0;
    Report report{{"format", "faro-paper/1"},
                  {"paper", p->name},
                  {"citation", page.citation},
                  {"rows", Report::list()}};
    for (const PaperTable& table : page.tables) report["rows"].push_back(table_report(*p, table));
    out.report(report);
    return 0;
  }
  throw Error(ErrorCode::usage,
              fmt::format("there is no paper '{}'; there are {}", *name, paper_names()));
}

}  // namespace

extern const Command paper_command;
const Command paper_command{
    .name = "paper",
    .summary = "every table, figure and formula of a paper: printed, ours, bound",
    .details =
        "Without a name it lists the papers. What stands under 'ours' is planned and\n"
        "verified when the page is made, never read from a table. Remarks say where a\n"
        "text is wrong, with the smallest counterexample.",
    .examples = "faro paper\nfaro paper conversion",
    .declare = [](Arguments& arguments) -> Action {
      auto name = std::make_shared<std::optional<std::string>>();
      arguments.positional("NAME", *name, "which paper");
      return [name](Output& out) { return run(*name, out); };
    }};

}  // namespace faro::cli
