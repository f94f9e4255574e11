#include "pictures/schedule_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exports/transfers.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "machines/mesh/geometry.hpp"
#include "pictures/link_loads.hpp"
#include "pictures/machine_drawing.hpp"
#include "pictures/places_figure.hpp"

namespace faro::inline v1 {
namespace {

using Ink = Figure::Ink;
using Anchor = Figure::Anchor;
using Push = std::function<void(ScheduleSink&)>;

constexpr double frame = 12;
constexpr std::size_t columns_max = 600;  // of the heat map; steps beyond share a column

std::string title_of(const ScheduleHeader& header) {
  const std::string map = header.map_text.empty() ? "a schedule" : header.map_text;
  return fmt::format("{} on {}, {} element{} in each processor", map, to_string(header.machine),
                     header.elements, header.elements == 1 ? "" : "s");
}

int level_of(double used) {
  if (used <= 0) return 0;
  return std::clamp(static_cast<int>(std::ceil(std::min(used, 1.0) * 8)), 1, 8);
}

Figure links(const Push& push) {
  pictures::LinkLoads loads;
  push(loads);
  const auto& rows = loads.rows();
  const auto& steps = loads.steps();
  const std::size_t shared =
      std::max<std::size_t>(1, (steps.size() + columns_max - 1) / columns_max);
  const std::size_t columns = (steps.size() + shared - 1) / shared;
  const double cell =
      std::clamp(900.0 / static_cast<double>(std::max<std::size_t>(columns, 1)), 1.5, 18.0);
  const double height =
      std::clamp(720.0 / static_cast<double>(std::max<std::size_t>(rows.size(), 1)), 8.0, 18.0);
  double left = frame + 40;
  for (const std::string& row : rows)
    left = std::max(left, frame + 10 + 7.3 * static_cast<double>(row.size()));
  Figure figure;
  figure.title = title_of(loads.header());
  figure.description = fmt::format(
      "The use of the links: {} steps in which something travels from the left, the kinds of link "
      "from the top; darker where more of them carry an element.",
      steps.size());
  figure.words(frame, 16, figure.title, Anchor::start);
  const double top = 34;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = top + height * static_cast<double>(r);
    if (height >= 11 || r % 2 == 0)
      figure.words(left - 6, y + height / 2 + 4, rows[r], Anchor::end);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t end = std::min(steps.size(), (c + 1) * shared);
      double used = 0;
      for (std::size_t s = c * shared; s < end; ++s) used += steps[s].used[r];
      used /= static_cast<double>(end - c * shared);
      Figure::Shape& box =
          figure.box(left + cell * static_cast<double>(c), y, cell, height, Ink::heat);
      box.level = level_of(used);
      box.tip = fmt::format("{}, step {}: {:.4g} % in use", rows[r], steps[c * shared].number,
                            used * 100);
    }
  }
  const double bottom = top + height * static_cast<double>(rows.size());
  figure.words(left, bottom + 18,
               shared == 1 ? fmt::format("{} steps", steps.size())
                           : fmt::format("{} steps, {} a column", steps.size(), shared),
               Anchor::start);
  double below = bottom + 18;
  for (const auto& loop : loads.loops()) {
    below += 16;
    figure.words(left + cell * static_cast<double>(loop.begin / shared), below,
                 fmt::format("from here: two laps of {}", loop.laps), Anchor::start);
  }
  figure.width = std::max(left + cell * static_cast<double>(columns),
                          7.3 * static_cast<double>(figure.title.size()) + frame) +
                 frame;
  figure.height = below + 8;
  return figure;
}

// Draws the steps that are wanted while they pass.
class MachineFigures : public TransferSink {
 public:
  explicit MachineFigures(const SchedulePictureOptions& options) : options_(options) {}

  void begin(const ScheduleHeader& header) override {
    header_ = header;
    drawing_ = pictures::machine_drawing(header.machine);
  }
  void step(const TransferStep& step) override {
    ++count_;
    if (options_.what == SchedulePicture::machine && step.number != options_.step) return;
    if (options_.what == SchedulePicture::steps && step.length == 0) return;
    if (figures_.size() == limits::figures_max)
      throw Error(ErrorCode::limit, fmt::format("more than {} steps are too many to draw; ask for "
                                                "one of them, or for the links",
                                                limits::figures_max));
    figures_.push_back(drawn(step));
  }
  void finish() override {}

  Figure figure() const {
    if (options_.what == SchedulePicture::machine && figures_.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("this schedule has {} steps, counted from 0; there is no step {}",
                              count_, options_.step));
    Figure whole;
    whole.title = title_of(header_);
    whole.description =
        options_.what == SchedulePicture::machine
            ? fmt::format("The machine in step {}: what travels where.", options_.step)
            : fmt::format("{} steps, each with what travels.", figures_.size());
    const double column = drawing_.width + 2 * frame;
    const auto columns = static_cast<std::size_t>(std::max(1.0, std::floor(1100 / column)));
    whole.words(frame, 16, whole.title, Anchor::start);
    whole.height = 24;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      const double x = column * static_cast<double>(i % columns);
      const double y = 24 + figures_[i].height * static_cast<double>(i / columns);
      for (Figure::Shape shape : figures_[i].shapes) {
        shape.x += x;
        shape.y += y;
        if (shape.kind != Figure::Kind::box && shape.kind != Figure::Kind::disc) {
          shape.x2 += x;
          shape.y2 += y;
        }
        whole.shapes.push_back(std::move(shape));
      }
      whole.width = std::max(whole.width, x + column);
      whole.height = std::max(whole.height, y + figures_[i].height);
    }
    whole.width = std::max(whole.width, 7.3 * static_cast<double>(whole.title.size()) + 2 * frame);
    return whole;
  }

 private:
  Figure drawn(const TransferStep& step) const {
    Figure figure;
    figure.width = drawing_.width;
    figure.height = drawing_.height + 30;
    figure.words(frame, 16,
                 step.length == 0 ? fmt::format("step {}, inside processors", step.number)
                                  : fmt::format("step {}", step.number),
                 Anchor::start);
    const double down = 24;
    for (const auto& [a, b] : drawing_.links)
      figure.line(a.x, a.y + down, b.x, b.y + down, Ink::faint);
    for (const pictures::Point& c : drawing_.couplers)
      figure.box(c.x - 4, c.y + down - 4, 8, 8, Ink::faint);
    draw_transfers(figure, step, down);
    for (const auto* points : {&drawing_.senders, &drawing_.receivers}) {
      if (points == &drawing_.receivers && drawing_.couplers.empty()) break;
      for (std::size_t p = 0; p < points->size(); ++p) {
        const pictures::Point& at = (*points)[p];
        figure.disc(at.x, at.y + down, pictures::disc_radius).tip = fmt::format("processor {}", p);
        figure.words(at.x, at.y + down + 4, std::to_string(p));
      }
    }
    return figure;
  }

  void draw_transfers(Figure& figure, const TransferStep& step, double down) const {
    for (const Transfer& t : step.transfers) {
      if (t.is_inside() && drawing_.couplers.empty()) continue;
      const pictures::Point a = drawing_.senders[t.from];
      const pictures::Point b = drawing_.receivers[t.to];
      std::string tip =
          fmt::format("slot {} of {} to slot {} of {}", t.from_slot, t.from, t.to_slot, t.to);
      if (t.home)
        tip += fmt::format(", the element of slot {} of {}", t.home->slot, t.home->processor);
      if (!drawing_.couplers.empty()) {
        const pictures::Point c = drawing_.couplers[t.channel];
        figure.line(a.x + pictures::disc_radius, a.y + down, c.x, c.y + down, Ink::accent).tip =
            tip;
        figure.arrow(c.x, c.y + down, b.x - pictures::disc_radius, b.y + down).tip = tip;
        continue;
      }
      // Beside the link, so that both directions show, from edge to edge.
      const double length = std::max(1.0, std::hypot(b.x - a.x, b.y - a.y));
      const double ux = (b.x - a.x) / length;
      const double uy = (b.y - a.y) / length;
      if (goes_around(t)) {
        // Out at one edge of the picture and in at the other.
        const double r = pictures::disc_radius;
        figure.arrow(a.x - ux * r, a.y - uy * r + down, a.x - ux * 2 * r, a.y - uy * 2 * r + down)
            .tip = tip;
        figure.arrow(b.x + ux * 2 * r, b.y + uy * 2 * r + down, b.x + ux * r, b.y + uy * r + down)
            .tip = tip;
        continue;
      }
      const double cut = std::min(pictures::disc_radius + 1, length / 3);
      figure
          .arrow(a.x + ux * cut - uy * 3, a.y + uy * cut + ux * 3 + down, b.x - ux * cut - uy * 3,
                 b.y - uy * cut + ux * 3 + down)
          .tip = tip;
    }
  }

  // One link of a ring from its end to its beginning, or back.
  bool goes_around(const Transfer& t) const {
    const auto* mesh = std::get_if<Mesh>(&header_.machine);
    if (mesh == nullptr || mesh->links != Mesh::Links::all || mesh->wrap == Mesh::Wrap::none)
      return false;
    const MeshGeometry geometry(*mesh);
    for (int d = 0; d < geometry.dimensions(); ++d)
      if (geometry.side(d) > 2 && std::abs(geometry.coordinate(t.from, d) -
                                           geometry.coordinate(t.to, d)) == geometry.side(d) - 1)
        return true;
    return false;
  }

  SchedulePictureOptions options_;
  ScheduleHeader header_;
  pictures::MachineDrawing drawing_;
  std::vector<Figure> figures_;
  std::uint64_t count_ = 0;
};

}  // namespace

Figure schedule_figure(const Push& push, const SchedulePictureOptions& options) {
  if (options.what == SchedulePicture::links) return links(push);
  if (options.what == SchedulePicture::places) return pictures::places_figure(push);
  MachineFigures figures(options);
  push(*transfers_into(figures));
  return figures.figure();
}

}  // namespace faro::inline v1
