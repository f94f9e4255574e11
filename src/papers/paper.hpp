// The tables, figures and worked examples of the papers: what is printed, what ours is, the bound.
// "Ours" is planned and verified when the page is made, never read from a table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace faro::inline v1 {

struct PaperTable {
  std::string title;                           // "Table I: ..."
  std::vector<std::string> columns;            // among them "printed", "ours", "bound"
  std::vector<std::vector<std::string>> rows;  // one text a column; "-" where there is none
  std::vector<std::string> remarks;            // where the text is wrong, with the counterexample
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
