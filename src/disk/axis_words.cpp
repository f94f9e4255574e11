// The words are split and looked up; what is said by no word stays as in the input.
#include "disk/axis_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

// Axes of the output with their names, where there are any.
struct OutputAxes {
  std::vector<std::size_t> axes;  // of the input; empty: as they are
  std::vector<bool> reversed;
  ArrayWords words;  // of the output, with the input's chunks
};

// What a chunk of `auto` axes comes to, about.
constexpr std::uint64_t usual_chunk_bytes = std::uint64_t{4} << 20U;

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::string part;
  std::istringstream stream(text);
  while (std::getline(stream, part, by)) parts.push_back(part);
  if (!text.empty() && text.back() == by) parts.emplace_back();
  return parts;
}

std::size_t axis_named(const std::string& word, const ArrayWords& words,
                       const std::string& option) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size() && number < words.shape.size())
    return number;
  const auto found = std::find(words.names.begin(), words.names.end(), word);
  if (!word.empty() && found != words.names.end())
    return static_cast<std::size_t>(found - words.names.begin());
  throw Error(ErrorCode::usage,
              fmt::format("{}: no axis '{}'; there are {}", option, word,
                          words.names.empty() ? fmt::format("0 to {}", words.shape.size() - 1)
                                              : fmt::format("{}", fmt::join(words.names, ", "))));
}

constexpr std::uint64_t chosen_later = 0;

std::uint64_t length_from(const std::string& word, std::uint64_t whole, const std::string& option) {
  if (word == "auto") return chosen_later;
  if (word == "all" || word == "-1") return std::max<std::uint64_t>(whole, 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number == 0)
    throw Error(ErrorCode::usage,
                fmt::format("{}: wanted a length, 'auto' or 'all', not '{}'", option, word));
  return number;
}

// From the last axis up, in equal pieces, until a chunk is as usual.
void choose_lengths(std::vector<std::uint64_t>& lengths, const ArrayWords& words) {
  std::uint64_t bytes = words.element_bytes;
  for (const std::uint64_t n : lengths)
    if (n != chosen_later) bytes = bytes > usual_chunk_bytes / n ? usual_chunk_bytes : bytes * n;
  for (std::size_t k = lengths.size(); k-- > 0;) {
    if (lengths[k] != chosen_later) continue;
    const std::uint64_t whole = std::max<std::uint64_t>(words.shape[k], 1);
    const std::uint64_t most = std::clamp<std::uint64_t>(usual_chunk_bytes / bytes, 1, whole);
    const std::uint64_t pieces = (whole - 1) / most + 1;
    lengths[k] = (whole - 1) / pieces + 1;
    bytes = std::min(usual_chunk_bytes, bytes * lengths[k]);
  }
}

// 't y x -> x ~t y': every axis once on both sides.
void axes_of_map(const std::string& map, std::size_t axes, OutputAxes& to) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::usage,
                fmt::format("--map '{}': {}; here maps move and reverse whole axes, as in 't y x "
                            "-> x ~t y'; 'faro permute' takes all others",
                            map, what));
  };
  const std::size_t arrow = map.find("->");
  if (arrow == std::string::npos) refuse("wanted '->'");
  const auto side = [&](const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.size() != axes)
      refuse(fmt::format("{} axes, and the array has {}", words.size(), axes));
    return words;
  };
  std::vector<std::string> from = side(map.substr(0, arrow));
  // A length may be said: 't=365'.
  for (std::string& name : from) name = name.substr(0, name.find_first_of("=:"));
  for (std::string name : side(map.substr(arrow + 2))) {
    const bool reversed = name.starts_with('~');
    if (reversed) name = name.substr(1);
    const auto found = std::find(from.begin(), from.end(), name);
    if (found == from.end()) refuse(fmt::format("no axis '{}' on the left", name));
    to.axes.push_back(static_cast<std::size_t>(found - from.begin()));
    to.reversed.push_back(reversed);
  }
}

OutputAxes output_axes(const ArrayWords& input, const std::string& order, const std::string& flip,
                       const std::string& map) {
  OutputAxes to;
  const std::size_t axes = input.shape.size();
  if (!map.empty() && (!order.empty() || !flip.empty()))
    throw Error(ErrorCode::usage, "--map says the order of axes; without --axes and --flip");
  if (!map.empty()) {
    axes_of_map(map, axes, to);
  } else {
    for (const std::string& word : split(order, ','))
      to.axes.push_back(axis_named(word, input, "--axes"));
    to.reversed.assign(axes, false);
  }
  std::vector<std::size_t> sorted = to.axes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted.size() != axes || sorted[k] != k)
      throw Error(ErrorCode::usage, fmt::format("an order of axes has each of {} once", axes));
  to.words.element_bytes = input.element_bytes;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t a = to.axes.empty() ? k : to.axes[k];
    to.words.shape.push_back(input.shape[a]);
    to.words.chunks.push_back(input.chunks[a]);
    if (!input.names.empty()) to.words.names.push_back(input.names[a]);
  }
  for (const std::string& word : split(flip, ','))
    to.reversed[axis_named(word, to.words, "--flip")] = true;
  return to;
}

std::vector<std::uint64_t> lengths_from(const std::string& text, const std::string& option,
                                        const ArrayWords& words,
                                        const std::vector<std::uint64_t>& others) {
  if (text.empty()) return {};
  std::vector<std::string> parts = split(
      text, text.find('x') != std::string::npos && text.find('=') == std::string::npos ? 'x' : ',');
  std::vector<std::uint64_t> lengths;
  if (text.find('=') == std::string::npos) {
    if (parts.size() == 1) parts.resize(words.shape.size(), parts[0]);
    if (parts.size() != words.shape.size())
      throw Error(ErrorCode::usage,
                  fmt::format("{}: {} lengths, and the array has {} {}", option, parts.size(),
                              words.shape.size(), words.shape.size() == 1 ? "axis" : "axes"));
    for (std::size_t k = 0; k < parts.size(); ++k)
      lengths.push_back(length_from(parts[k], words.shape[k], option));
  } else {
    lengths = others;
    for (const std::string& part : parts) {
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: wanted NAME=LENGTH, not '{}'", option, part));
      const std::size_t axis = axis_named(part.substr(0, equals), words, option);
      lengths[axis] = length_from(part.substr(equals + 1), words.shape[axis], option);
    }
  }
  choose_lengths(lengths, words);
  return lengths;
}

}  // namespace

void read_axes(const AxisTexts& texts, const std::string& in, RechunkOptions& options) {
  const OutputAxes to =
      output_axes(array_words(in, options.raw), texts.axes, texts.flip, texts.map);
  options.axes = to.axes;
  options.reversed = to.reversed;
  options.chunks = lengths_from(texts.chunks, "--chunks", to.words, to.words.chunks);
  const auto& chunks = options.chunks.empty() ? to.words.chunks : options.chunks;
  options.shards = lengths_from(texts.shards, "--shards", to.words, chunks);
}

}  // namespace faro::inline v1::disk
