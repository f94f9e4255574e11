// Pictures are text: what they must say is read from it, and every figure is well formed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "faro/words/say.hpp"
#include "pictures/map_figure.hpp"
#include "pictures/schedule_figure.hpp"

namespace faro {
namespace {

// Tags close in order, nothing is left open, every attribute is quoted, & begins an entity.
::testing::AssertionResult well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const std::string rest = xml.substr(at, 6);
      if (rest.find(';') == std::string::npos)
        return ::testing::AssertionFailure() << "a bare & at " << at;
    }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "an open tag at " << at;
    std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0)
      return ::testing::AssertionFailure() << "quotes of " << tag;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return ::testing::AssertionFailure() << "closes " << tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "leaves " << open.back() << " open";
  return ::testing::AssertionSuccess();
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

Figure of(const char* map, MapPicture what) {
  return map_figure(say(map).as_bits(), what);
}

std::size_t count_of(const Figure& figure, Figure::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(figure.shapes.begin(), figure.shapes.end(),
                    [kind](const Figure::Shape& shape) { return shape.kind == kind; }));
}

TEST(Pictures, a_strand_for_every_one_of_the_matrix) {
  for (const char* map : {"i:4 -> rev(i)", "r:3 c:2 -> gray(c) rev(r)", "a:7 -> ungray(a)",
                          "a:3 | m:2 -> m a[2] | ~a[1:0]", "i:64 -> gray(i)"}) {
    const Notation notation = say(map).as_bits();
    std::size_t ones = 0;
    for (int row = 0; row < notation.map.width(); ++row)
      ones += static_cast<std::size_t>(std::popcount(notation.map.matrix().row(row)));
    const Figure strands = map_figure(notation, MapPicture::strands);
    EXPECT_EQ(count_of(strands, Figure::Kind::curve), ones) << map;
    const Figure matrix = map_figure(notation, MapPicture::matrix);
    const auto marks = std::count_if(
        matrix.shapes.begin(), matrix.shapes.end(),
        [](const Figure::Shape& shape) { return shape.kind == Figure::Kind::box && shape.filled; });
    EXPECT_EQ(static_cast<std::size_t>(marks), ones) << map;
  }
}

TEST(Pictures, the_array_after_is_the_inverse) {
  const Figure figure = of("i:3 -> rot(i, 1)", MapPicture::array);
  std::string shown;
  for (const Figure::Shape& shape : figure.shapes)
    if (shape.kind == Figure::Kind::words) shown += shape.text + " ";
  EXPECT_EQ(shown, "before 0 1 2 3 4 5 6 7 after 0 4 1 5 2 6 3 7 ");
}

TEST(Pictures, are_well_formed_and_the_same_twice) {
  for (const char* map : {"i:0 -> i", "i:1 -> ~i", "i:5 -> rev(i)", "r:3 | c:2 -> r[0] c | r[2:1]"})
    for (const MapPicture what : {MapPicture::standard, MapPicture::strands, MapPicture::matrix,
                                  MapPicture::array, MapPicture::all}) {
      const std::string svg = to_svg(of(map, what));
      EXPECT_TRUE(well_formed(svg)) << map;
      EXPECT_EQ(svg, to_svg(of(map, what)));
      EXPECT_NE(svg.find("<title>"), std::string::npos);
      EXPECT_NE(svg.find("<desc>"), std::string::npos);
    }
}

TEST(Pictures, too_large_is_said) {
  EXPECT_THROW(of("i:9 -> rev(i)", MapPicture::array), Error);
  EXPECT_EQ(count_of(of("i:9 -> rev(i)", MapPicture::all), Figure::Kind::curve), 9U);
}

TEST(Pictures, words_are_escaped) {
  Figure figure;
  figure.title = "a < b & \"c\"";
  figure.words(1, 2, "x_1 ^ ~{y} & <z> \\ 50%");
  const std::string svg = to_svg(figure);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_NE(to_tikz(figure).find("x\\_1 \\textasciicircum{} \\textasciitilde{}\\{y\\} \\& <z> "
                                 "\\textbackslash{} 50\\%"),
            std::string::npos);
}

TEST(Pictures, numbers_are_short_and_never_minus_zero) {
  Figure figure;
  figure.line(0.1, -0.001, 2.50, -3.25);
  EXPECT_NE(to_svg(figure).find("M0.1 0L2.5 -3.25"), std::string::npos);
}

std::function<void(ScheduleSink&)> pushed(const MachinePlan& plan) {
  return [&plan](ScheduleSink& sink) { plan.push(sink); };
}

// Every butterfly is two lines that cross, every element that moves one.
TEST(Pictures, a_network_has_a_crossing_for_every_butterfly) {
  ButterflyNetwork network{.index_bits = 5};
  const MachinePlan plan = faro::plan(Request::of(machine_from("cube:3"), network));
  const Figure figure = schedule_figure(pushed(plan), {.what = SchedulePicture::places});
  std::size_t crossings = 0, moves = 0, ends = 0;
  for (const Figure::Shape& shape : figure.shapes) {
    crossings += shape.kind == Figure::Kind::line && shape.ink == Figure::Ink::hue ? 1U : 0U;
    moves += shape.kind == Figure::Kind::line && shape.ink == Figure::Ink::accent ? 1U : 0U;
    ends += shape.kind == Figure::Kind::disc ? 1U : 0U;
  }
  EXPECT_EQ(crossings, 2U * 5U * 16U);  // five stages of sixteen pairs
  EXPECT_EQ(ends, crossings);
  EXPECT_EQ(moves, static_cast<std::size_t>(plan.cost().remote_moves));
  EXPECT_TRUE(well_formed(to_svg(figure)));
  const MachinePlan large = faro::plan("i:8 -> rev(i)", "cube:8", {.elements = 1});
  EXPECT_THROW(schedule_figure(pushed(large), {.what = SchedulePicture::places}), Error);
  const MachinePlan mesh = faro::plan("i:4 -> rev(i)", "mesh:4x4");
  EXPECT_TRUE(
      well_formed(to_svg(schedule_figure(pushed(mesh), {.what = SchedulePicture::places}))));
}

TEST(Pictures, links_are_as_busy_as_the_plan_counts) {
  struct Case {
    const char* map;
    const char* machine;
    std::uint64_t elements;
    double links;  // of one row, where all rows are alike
  };
  for (const Case& c : {Case{"a:4 -> ungray(a)", "cube:4", 10, 16},
                        Case{"i -> rev(i)", "torus:4x4,all-links", 1, 16},
                        Case{"p:3 | m:3 -> m | p", "ranks:8", 0, 8}}) {
    PlanOptions options;
    if (c.elements != 0) options.elements = c.elements;
    const MachinePlan planned = plan(c.map, c.machine, options);
    const Figure figure = schedule_figure(pushed(planned), {});
    double moves = 0;
    for (const Figure::Shape& shape : figure.shapes) {
      if (shape.ink != Figure::Ink::heat) continue;
      const std::size_t colon = shape.tip.find(": ");
      moves += std::stod(shape.tip.substr(colon + 2)) / 100 * c.links;
    }
    const Cost cost = planned.cost();
    const double wanted = std::string(c.machine) == "ranks:8"
                              ? 56  // everybody sends to the seven others
                              : std::stod(to_string(cost.remote_moves));
    EXPECT_NEAR(moves, wanted, 0.01 * wanted) << c.machine;
  }
}

TEST(Pictures, a_machine_of_2_to_the_60_has_its_links_drawn) {
  const MachinePlan planned = plan("a:60 -> ungray(a)", "cube:60", {.elements = 4});
  const std::string svg = to_svg(schedule_figure(pushed(planned), {}));
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find("59, step"), std::string::npos);
  EXPECT_THROW(schedule_figure(pushed(planned), {.what = SchedulePicture::machine}), Error);
}

TEST(Pictures, every_machine_at_work) {
  for (const char* machine :
       {"cube:4", "mesh:4x4", "torus:4x4", "mesh:4x4,all-links", "torus:4x4,all-links",
        "torus:2x2x4,all-links", "pops:4,4", "pops:2,8", "ranks:16"}) {
    const MachinePlan planned = plan("i:4 -> rev(i)", machine);
    const Figure steps = schedule_figure(pushed(planned), {.what = SchedulePicture::steps});
    EXPECT_TRUE(well_formed(to_svg(steps))) << machine;
    EXPECT_GE(count_of(to_svg(steps), "processor 15"), 1U) << machine;
    EXPECT_GE(count_of(steps, Figure::Kind::arrow), 12U) << machine;  // four stay where they are
    const Figure first = schedule_figure(pushed(planned), {.what = SchedulePicture::machine});
    EXPECT_TRUE(well_formed(to_svg(first))) << machine;
    EXPECT_THROW(schedule_figure(pushed(planned), {.what = SchedulePicture::machine, .step = 1000}),
                 Error)
        << machine;
    for (const Figure::Shape& shape : steps.shapes) {
      EXPECT_LE(shape.x, steps.width) << machine;
      EXPECT_LE(shape.y, steps.height) << machine;
    }
    // No two processors stand in one place.
    std::set<std::pair<double, double>> places;
    std::size_t discs = 0;
    for (const Figure::Shape& shape : first.shapes)
      if (shape.kind == Figure::Kind::disc) {
        places.emplace(shape.x, shape.y);
        ++discs;
      }
    EXPECT_EQ(places.size(), discs) << machine;
  }
}

}  // namespace
}  // namespace faro
