// The tables, figures and worked examples of the papers: what is printed, what ours is, the bound.
// "Ours" is planned and verified when the page is made, never read from a table.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faro/base/count.hpp"

namespace faro::inline v1 {

// What stands in a row under a column; "-" is nothing.
struct Cell {
  std::string text = "-";

  Cell(std::string of) : text(std::move(of)) {}
  Cell(const char* of) : text(of) {}
  Cell(Count of) : text(to_string(of)) {}
  Cell(double of);
  template <std::integral Number>
  Cell(Number of) : text(std::to_string(of)) {}
  template <class Some>
  Cell(const std::optional<Some>& of) {
    if (of) text = Cell(*of).text;
  }
};

struct PaperTable {
  std::string title;                      // "Table I: ..."
  std::vector<std::string> columns;       // among them "printed", "ours", "bound"
  std::vector<std::string> remarks = {};  // where the text is wrong, with the counterexample
  std::vector<std::vector<std::string>> rows = {};  // one text a column; "-" where there is none

  void row(std::initializer_list<Cell> cells) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const Cell& cell : cells) row.push_back(cell.text);
  }
};

struct PaperPage;
// Told of a page whenever it has a table more; of the citation alone before the first.
using PaperTold = std::function<void(const PaperPage&)>;

struct PaperPage {
  std::string citation;
  std::vector<PaperTable> tables;
  PaperTold told;

  PaperPage(std::string of, PaperTold to) : citation(std::move(of)), told(std::move(to)) {
    if (told) told(*this);
  }
  void add(PaperTable table) {
    tables.push_back(std::move(table));
    if (told) told(*this);
  }
  void add(std::vector<PaperTable> made) {
    for (PaperTable& table : made) add(std::move(table));
  }
};

struct Paper {
  const char* name;   // what `faro paper` takes: conversion, shuffle, mesh, pops, butterfly
  const char* title;  // of the paper, with authors and year
  PaperPage (*page)(const PaperTold& told);
};

std::span<const Paper* const> papers();

}  // namespace faro::inline v1
