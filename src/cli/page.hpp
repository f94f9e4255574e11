// The explorer's page with content in it: one file that opens in any browser.
#pragma once

#include <optional>
#include <string>

#include "cli/output.hpp"

namespace faro::cli {

struct PageContent {
  std::string link;                       // "#v1:...": what the page opens with
  std::optional<std::string> schedule{};  // a file's text, judged there
  std::string name{};                     // that file's
  std::optional<std::string> goal{};      // the map to hold it to, in place of its own
  std::optional<Report> verdict{};  // faro-verdict/1: what the page shows before it has judged
};

// A page holds its schedule as text, and a browser has to take it whole: Error(limit).
std::string schedule_text(const std::string& path);

// Writes it to a file, or "-"; its size. Error(environment) where there is no page.
std::size_t write_page(const PageContent& content, const std::string& path, Output& out);

}  // namespace faro::cli
