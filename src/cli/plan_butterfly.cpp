#include "cli/plan_butterfly.hpp"

#include <fmt/format.h>

#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"

namespace faro::cli {
namespace {

// In the words of the program: "natural" restores the dimensions in the code of the input. With one
// element a processor and the least significant bit first no plan changes the code in n steps, so
// nothing is promised there.
void set_output(ButterflyNetwork& network, const std::string& output) {
  const bool coded = network.encoding != Encoding::binary;
  const bool gray = output == "gray" || (output == "natural" && coded);
  network.output = gray ? ButterflyNetwork::Output::gray : ButterflyNetwork::Output::binary;
  network.finish = output == "natural" ? ButterflyNetwork::Finish::restored
                                       : ButterflyNetwork::Finish::as_planned;
}

}  // namespace

const Hypercube& butterfly_cube(const Machine& machine) {
  const auto* cube = std::get_if<Hypercube>(&machine);
  if (cube == nullptr || cube->ports != Hypercube::Ports::all)
    throw Error(ErrorCode::usage, fmt::format("{}: butterfly networks run on cubes with all ports, "
                                              "cube:6",
                                              to_string(machine)));
  return *cube;
}

Request butterfly_request(const ButterflyText& text) {
  const Machine machine = machine_from(text.on);
  if (text.index_bits > word_bits)
    throw Error(ErrorCode::limit,
                fmt::format("--butterfly {}: at most 64 index bits", text.index_bits));
  const bool sorts = text.computation == ButterflyGoal::Computation::sort;
  if (sorts && (text.order != "msb" || text.output != "binary"))
    throw Error(ErrorCode::usage,
                "--order and --output are for --butterfly; a sort has passes of its own, and its "
                "results end where the last one leaves them");
  ButterflyNetwork network{.processor_bits = butterfly_cube(machine).dimensions,
                           .index_bits = static_cast<int>(text.index_bits),
                           .order = text.order == "lsb"
                                        ? ButterflyGoal::Order::least_significant_first
                                        : ButterflyGoal::Order::most_significant_first};
  // Sizes that do not fit are told as such before the layout is read.
  static_cast<void>(Request::of(machine, network));
  const Layout layout =
      parse_layout(text.layout, {.total = network.index_bits, .processor = network.processor_bits});
  network.allocation = layout.allocation;
  network.encoding = layout.encoding;
  if (sorts) return Request::of(machine, BitonicSort{network});
  set_output(network, text.output);
  return Request::of(machine, network);
}

const char* order_word(ButterflyGoal::Order order) {
  return order == ButterflyGoal::Order::most_significant_first ? "msb" : "lsb";
}

std::string layout_text(const ButterflyNetwork& request) {
  const bool msb = request.order == ButterflyGoal::Order::most_significant_first;
  return fmt::format("{}, {} significant bit first", to_string(request.layout()),
                     msb ? "most" : "least");
}

std::string rows_text(const std::vector<Word>& rows) {
  std::string text;
  for (const Word row : rows) {
    std::string bits;
    for (int b = word_bits - 1; b >= 0; --b)
      if (has_bit(row, b)) bits += fmt::format("{}b{}", bits.empty() ? "" : "^", b);
    text += fmt::format("{}{}", text.empty() ? "" : " ", bits);
  }
  return text.empty() ? "none" : text;
}

}  // namespace faro::cli
