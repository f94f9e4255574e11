// Quirk, a drawing board for circuits: its links, or the object in them.
//
//   quirk:https://algassert.com/quirk#circuit={"cols":[["X","•"],["Swap",1,"Swap"]]}
//
// A column has an entry for each qubit from the lowest bit on: 1 for nothing, X, Swap twice, and
// the controls • and ◦ (of all the X in the column).
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "faro/base/limits.hpp"
#include "layouts/circuit.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// %22 and its like, as browsers write them.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool three = text[i] == '%' && i + 2 < text.size();
    const int high = three ? hex_value(text[i + 1]) : -1;
    const int low = three ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// One column, which acts all at once.
void apply(Circuit& circuit, const Scanner& in, const nlohmann::json& column, std::size_t at) {
  std::vector<std::uint64_t> inverted, controls, negated, swapped;
  for (std::size_t q = 0; q < column.size(); ++q) {
    const nlohmann::json& entry = column[q];
    if (entry == 1 || entry == "…") continue;
    if (entry == "X")
      inverted.push_back(q);
    else if (entry == "•")
      controls.push_back(q);
    else if (entry == "◦")
      negated.push_back(q);
    else if (entry == "Swap")
      swapped.push_back(q);
    else
      in.refuse(LayoutFault::unknown, "the gate " + entry.dump() +
                                          ": no permutation of amplitudes, which X and Swap are");
  }
  if (!swapped.empty() && swapped.size() != 2)
    in.fail_at(at, "a column has no Swap or two", NotationFault::range);
  // With the name of the gate that the column is: more controls are refused there.
  std::vector<std::uint64_t> all = controls;
  all.insert(all.end(), negated.begin(), negated.end());
  if (!swapped.empty()) {
    const bool controlled = !all.empty();
    all.insert(all.end(), swapped.begin(), swapped.end());
    circuit.apply(controlled ? "cswap" : "swap", all, at);
  }
  for (const std::uint64_t target : inverted) {
    std::vector<std::uint64_t> on(controls);
    on.insert(on.end(), negated.begin(), negated.end());
    on.push_back(target);
    circuit.apply(on.size() == 1 ? "x" : on.size() == 2 ? "cx" : "ccx", on, at);
    if (!negated.empty()) circuit.apply("x", {target}, at);
  }
}

}  // namespace

ForeignLayout read_quirk(Scanner& in, const ForeignSizes& sizes) {
  const std::size_t at = in.at();
  std::string text(in.rest());
  in.go_to(at + text.size());
  constexpr std::string_view before = "#circuit=";
  if (const std::size_t hash = text.find(before); hash != std::string::npos)
    text.erase(0, hash + before.size());
  if (!text.starts_with("{")) text = unescaped(text);
  const nlohmann::json circuit = nlohmann::json::parse(text, nullptr, false);
  if (!circuit.is_object() || !circuit.contains("cols") || !circuit["cols"].is_array())
    in.fail_at(at, R"(wanted a link of Quirk, or {"cols":[...]})");
  for (const auto& [key, value] : circuit.items())
    if (key != "cols")
      in.fail_at(at, "'" + key + "' of a Quirk circuit is not read", NotationFault::name);
  std::size_t qubits = sizes.width ? static_cast<std::size_t>(*sizes.width) : 0;
  for (const nlohmann::json& column : circuit["cols"]) {
    if (!column.is_array()) in.fail_at(at, "a column is a list");
    if (!sizes.width) qubits = std::max(qubits, column.size());
  }
  if (qubits > limits::address_bits_max)
    in.fail_at(at, "more than 64 qubits", NotationFault::limit);
  Circuit states(static_cast<int>(qubits), Circuit::Order::little, in);
  for (const nlohmann::json& column : circuit["cols"]) apply(states, in, column, at);
  return states.layout();
}

}  // namespace faro::inline v1::layouts
