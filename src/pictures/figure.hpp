// A picture as plain shapes, and its text as SVG or TikZ. Same figure, same bytes: no fonts are
// measured, no clock and no address gets in.
//
//   Figure figure = map_figure(say("r:3 c:2 -> c r").as_bits());
//   to_svg(figure)      "<svg xmlns=... role="img">...", with title, description, both themes
//   to_tikz(figure)     "\begin{tikzpicture}...", needs no package but tikz
//
// Coordinates are in pixels, from the upper left corner.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace faro::inline v1 {

struct Figure {
  // line: strokes and text; heat: filled by `level`, 0 to 8; hue: one of eight, for telling apart.
  enum class Ink { line, faint, accent, bad, heat, hue };
  // curve: an S from top to bottom; arrow: a line with a head at its end.
  enum class Kind { line, curve, arrow, box, disc, words };
  enum class Anchor { start, middle, end };

  struct Shape {
    Kind kind = Kind::line;
    double x = 0;  // a box's upper left corner, a disc's middle, where words stand
    double y = 0;
    double x2 = 0;  // the other end of a line; width and height of a box; x2: radius of a disc
    double y2 = 0;
    Ink ink = Ink::line;
    int level = 0;
    bool filled = false;
    Anchor anchor = Anchor::middle;
    std::string text = {};
    std::string tip = {};  // what a pointer that rests here is told
  };

  std::string title;
  std::string description;
  double width = 0;
  double height = 0;
  std::vector<Shape> shapes = {};

  Shape& line(double x, double y, double x2, double y2, Ink ink = Ink::line);
  Shape& curve(double x, double y, double x2, double y2, Ink ink = Ink::line);
  Shape& arrow(double x, double y, double x2, double y2, Ink ink = Ink::accent);
  Shape& box(double x, double y, double width, double height, Ink ink = Ink::line);
  Shape& disc(double x, double y, double radius, Ink ink = Ink::line);
  Shape& words(double x, double y, std::string text, Anchor anchor = Anchor::middle,
               Ink ink = Ink::line);

  // Puts `other` below, with a gap.
  void append_below(const Figure& other);

 private:
  Shape& add(Shape shape);
};

std::string to_svg(const Figure& figure);
std::string to_tikz(const Figure& figure);

}  // namespace faro::inline v1
