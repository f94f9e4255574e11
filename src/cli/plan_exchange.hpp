// `faro plan MAP --on ranks:8 --element-bytes 16`: what moving an array between ranks costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "faro/base/bits.hpp"

namespace faro::cli {

class Arguments;

struct ExchangeOptionsText {
  std::optional<std::uint64_t> element_bytes;
  std::optional<std::uint64_t> nodes;
  std::optional<std::string> buffer;
  bool relabel = false;
  bool in_place = false;

  bool any() const { return element_bytes || nodes || buffer || relabel || in_place; }
};
void declare_exchange_options(Arguments& arguments, ExchangeOptionsText& options);

struct ExchangeCommand {
  std::string map;
  std::optional<std::vector<Word>> shape = {};  // of the array
  std::string machine;
  std::optional<std::uint64_t> elements;  // of each rank
  std::optional<double> startup;          // seconds of a message
  std::optional<double> transfer;         // seconds of a byte
  ExchangeOptionsText options;
};

// Returns the exit code.
int plan_exchange_command(const ExchangeCommand& command, Output& out);

}  // namespace faro::cli
