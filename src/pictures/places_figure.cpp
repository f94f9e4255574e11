#include "pictures/places_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exports/transfers.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "schedules/expand.hpp"
#include "schedules/quiet_sink.hpp"

namespace faro::inline v1::pictures {
namespace {

using Ink = Figure::Ink;
using Anchor = Figure::Anchor;

constexpr double row_height = 13;
constexpr double moves_width = 46;        // of the part of a step in which elements travel
constexpr double butterflies_width = 40;  // and of the part in which they are computed with
constexpr double margin = 12;

// What one step does between places.
struct Column {
  struct Line {
    std::uint64_t from;
    std::uint64_t to;
    bool leaves;  // its processor
  };
  std::vector<Line> moves;
  std::vector<std::vector<Butterfly>> stages;  // one after another
};

std::vector<std::vector<Butterfly>> by_stage(const std::vector<Butterfly>& all) {
  std::vector<std::vector<Butterfly>> stages;
  for (const Butterfly& b : all) {
    const auto same = std::find_if(stages.begin(), stages.end(), [&](const auto& stage) {
      return stage.front().stage == b.stage;
    });
    if (same == stages.end())
      stages.push_back({b});
    else
      same->push_back(b);
  }
  return stages;
}

// Butterflies pass the transfers unseen.
class Butterflies : public QuietSink {
 public:
  void step(const CubeStep& step) override { steps.push_back(step.butterflies); }
  std::vector<std::vector<Butterfly>> steps;
};

class Columns : public TransferSink {
 public:
  void begin(const ScheduleHeader& h) override {
    header = h;
    const auto* mesh = std::get_if<Mesh>(&h.machine);
    const bool program = mesh != nullptr && mesh->links == Mesh::Links::one_route;
    slots = program ? 3 : std::max(h.slots, h.elements);
    const Count places = processors(h.machine) * slots;
    if (places > limits::drawn_places_max)
      throw Error(ErrorCode::limit, fmt::format("{} places are too many to draw one by one; at "
                                                "most {}",
                                                to_string(places), limits::drawn_places_max));
    rows = static_cast<std::uint64_t>(places);
  }
  void step(const TransferStep& step) override {
    if (columns.size() == limits::drawn_places_steps_max)
      throw Error(ErrorCode::limit, fmt::format("more than {} steps are too many to draw in a row",
                                                limits::drawn_places_steps_max));
    Column column;
    for (const Transfer& t : step.transfers)
      column.moves.push_back(
          {t.from * slots + t.from_slot, t.to * slots + t.to_slot, !t.is_inside()});
    columns.push_back(std::move(column));
  }
  void finish() override {}

  ScheduleHeader header;
  std::uint64_t slots = 1;
  std::uint64_t rows = 0;
  std::vector<Column> columns;
};

std::string title_of(const ScheduleHeader& header) {
  if (!header.map_text.empty())
    return fmt::format("{} on {}", header.map_text, to_string(header.machine));
  const bool network = std::holds_alternative<ButterflyGoal>(header.goal);
  return fmt::format("{} on {}", network ? "butterflies" : "a schedule", to_string(header.machine));
}

class Drawing {
 public:
  explicit Drawing(const Columns& columns) : all_(columns) {}

  Figure drawn() {
    figure_.title = title_of(all_.header);
    figure_.description = fmt::format(
        "{} places of {} processors from the top, {} steps from the left: a line for each element "
        "that moves, a crossing for each butterfly.",
        all_.rows, to_string(processors(all_.header.machine)), all_.columns.size());
    figure_.words(margin, 16, figure_.title, Anchor::start);
    double width = left;
    for (const Column& column : all_.columns) width += width_of(column);
    label_rows(width);
    double x = left;
    for (std::size_t s = 0; s < all_.columns.size(); ++s) {
      draw(all_.columns[s], s, x);
      x += width_of(all_.columns[s]);
    }
    figure_.width =
        std::max(width, margin + 7.3 * static_cast<double>(figure_.title.size())) + margin;
    figure_.height = y_of(all_.rows) + gaps() + 14;
    return std::move(figure_);
  }

 private:
  static constexpr double left = 74;
  static constexpr double top = 50;
  static constexpr double between_processors = 6;

  static double width_of(const Column& column) {
    if (column.moves.empty() && column.stages.empty()) return 10;
    return (column.moves.empty() ? 0 : moves_width) +
           butterflies_width * static_cast<double>(column.stages.size());
  }
  double gaps() const { return between_processors * static_cast<double>(all_.rows / all_.slots); }
  double y_of(std::uint64_t row) const {
    return top + row_height * static_cast<double>(row) +
           between_processors * static_cast<double>(row / all_.slots);
  }

  void label_rows(double width) {
    for (std::uint64_t row = 0; row < all_.rows; ++row) {
      const std::uint64_t p = row / all_.slots;
      const std::uint64_t s = row % all_.slots;
      const double y = y_of(row);
      figure_.line(left, y, width, y, Ink::faint);
      figure_.words(left - 6, y + 4,
                    all_.slots == 1 ? fmt::format("{}", p) : fmt::format("{}.{}", p, s),
                    Anchor::end);
    }
  }

  void draw(const Column& column, std::size_t number, double x) {
    const double middle = x + width_of(column) / 2;
    figure_.words(middle, top - 18, std::to_string(number));
    if (!column.moves.empty()) {
      for (const Column::Line& line : column.moves) {
        Figure::Shape& shape = figure_.line(x + 6, y_of(line.from), x + moves_width - 6,
                                            y_of(line.to), line.leaves ? Ink::accent : Ink::line);
        shape.tip =
            fmt::format("step {}: {} to {}", number, place_of(line.from), place_of(line.to));
      }
      x += moves_width;
    }
    for (const std::vector<Butterfly>& stage : column.stages) {
      figure_.words(x + butterflies_width / 2, top - 5, fmt::format("s{}", stage.front().stage),
                    Anchor::middle, Ink::faint);
      for (const Butterfly& b : stage) draw(b, number, x);
      x += butterflies_width;
    }
  }

  void draw(const Butterfly& b, std::size_t number, double x) {
    const double low = y_of(b.processor * all_.slots + b.low);
    const double high = y_of(b.processor * all_.slots + b.high);
    const double end = x + butterflies_width - 6;
    const auto ink = [&b](Figure::Shape& shape) -> Figure::Shape& {
      shape.level = b.stage % 8;
      return shape;
    };
    const std::string tip = fmt::format("step {}: stage {} at processor {}, slots {} and {}",
                                        number, b.stage, b.processor, b.low, b.high);
    for (const auto& [from, to] : {std::pair{low, high}, std::pair{high, low}})
      ink(figure_.line(x + 6, from, end, to, Ink::hue)).tip = tip;
    for (const double y : {low, high}) ink(figure_.disc(end, y, 2.5, Ink::hue)).filled = true;
  }

  std::string place_of(std::uint64_t row) const {
    return fmt::format("slot {} of {}", row % all_.slots, row / all_.slots);
  }

  const Columns& all_;
  Figure figure_;
};

}  // namespace

Figure places_figure(const std::function<void(ScheduleSink&)>& push) {
  Columns columns;
  push(*transfers_into(columns));
  // Small by now, so that this ends.
  Butterflies butterflies;
  ExpandingSink expanded(butterflies);
  push(expanded);
  for (std::size_t s = 0; s < std::min(butterflies.steps.size(), columns.columns.size()); ++s)
    columns.columns[s].stages = by_stage(butterflies.steps[s]);
  return Drawing(columns).drawn();
}

}  // namespace faro::inline v1::pictures
