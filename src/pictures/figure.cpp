#include "pictures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace faro::inline v1 {
namespace {

constexpr double gap = 24;
constexpr double head = 5;  // length of an arrow's head

const char* name_of(Figure::Ink ink) {
  switch (ink) {
    case Figure::Ink::line:
      return "line";
    case Figure::Ink::faint:
      return "faint";
    case Figure::Ink::accent:
      return "accent";
    case Figure::Ink::bad:
      return "bad";
    case Figure::Ink::heat:
      return "heat";
    case Figure::Ink::hue:
      return "hue";
  }
  return "";
}

std::string class_of(const Figure::Shape& shape) {
  const bool levels = shape.ink == Figure::Ink::heat || shape.ink == Figure::Ink::hue;
  return levels ? fmt::format("{}{}", name_of(shape.ink), shape.level) : name_of(shape.ink);
}

// At most two digits after the point, so that no rounding shows.
std::string number(double value) {
  const long long hundredths = std::llround(value * 100);
  std::string text =
      fmt::format("{}.{:02}", std::abs(hundredths) / 100, std::abs(hundredths) % 100);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return hundredths < 0 ? "-" + text : text;
}

// Control characters are not allowed in XML at all.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20U)
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::string tex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '^')
      out += "\\textasciicircum{}";
    else if (c == '~')
      out += "\\textasciitilde{}";
    else if (std::string_view("_&%#{}$").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

struct Head {
  double x1, y1, x2, y2;
};
Head head_of(const Figure::Shape& s) {
  const double length = std::max(1.0, std::hypot(s.x2 - s.x, s.y2 - s.y));
  const double dx = (s.x2 - s.x) / length * head;
  const double dy = (s.y2 - s.y) / length * head;
  return {s.x2 - dx - dy / 2, s.y2 - dy + dx / 2, s.x2 - dx + dy / 2, s.y2 - dy - dx / 2};
}

// Blue to dark red, readable in print; the hues differ in lightness too.
constexpr const char* heat_light[] = {"f4f4f4", "dbe7f3", "b9d2ea", "8fbbdd", "69a0cb",
                                      "f0c05a", "e8963c", "d45f2e", "a52a2a"};
constexpr const char* heat_dark[] = {"222222", "1f3043", "24466b", "2b6096", "3a80c0",
                                     "a07a20", "b8701c", "c8582a", "e05050"};
constexpr const char* hues[] = {"3b6fb6", "e08a2e", "4f9d4f", "b8434b",
                                "8a63b0", "8c6d4f", "d37fb5", "7f7f7f"};

// Plain rules, twice: many programs that draw SVG know no variables.
std::string rules(const char* const (&inks)[4], const char* paper, const char* const* heat) {
  constexpr const char* names[] = {"line", "faint", "accent", "bad"};
  std::string text;
  for (std::size_t i = 0; i < std::size(inks); ++i)
    text += fmt::format(
        ".faro-figure .{0}{{stroke:{1};fill:{2}}}"
        ".faro-figure .{0}.solid,.faro-figure text.{0}{{fill:{1}}}\n",
        names[i], inks[i], paper);
  for (int i = 0; i <= 8; ++i)
    text += fmt::format(".faro-figure .heat{}{{stroke:none;fill:#{}}}\n", i, heat[i]);
  return text + ".faro-figure path{fill:none}.faro-figure text{stroke:none}\n";
}

std::string style() {
  std::string text = "<style>\n";
  for (int i = 0; i < 8; ++i)
    text += fmt::format(
        ".faro-figure .hue{0}{{stroke:#{1};fill:none}}"
        ".faro-figure .hue{0}.solid{{fill:#{1}}}\n",
        i, hues[i]);
  text += rules({"#222", "#aaa", "#1f5fae", "#c02020"}, "#fff", heat_light);
  text += "@media (prefers-color-scheme:dark){\n";
  text += rules({"#ddd", "#666", "#7fb4f0", "#ff7070"}, "#161616", heat_dark);
  return text + "}\n</style>\n";
}

std::string svg_shape(const Figure::Shape& s) {
  const std::string attributes =
      fmt::format("class=\"{}{}\"", class_of(s), s.filled ? " solid" : "");
  const std::string tip = s.tip.empty() ? "" : "<title>" + xml(s.tip) + "</title>";
  const auto with = [&](std::string_view name, const std::string& rest) {
    return tip.empty() ? fmt::format("<{} {} {}/>\n", name, attributes, rest)
                       : fmt::format("<{0} {1} {2}>{3}</{0}>\n", name, attributes, rest, tip);
  };
  switch (s.kind) {
    case Figure::Kind::line:
      return with("path", fmt::format("d=\"M{} {}L{} {}\"", number(s.x), number(s.y), number(s.x2),
                                      number(s.y2)));
    case Figure::Kind::arrow: {
      const Head h = head_of(s);
      return with("path",
                  fmt::format("d=\"M{} {}L{} {}M{} {}L{} {}L{} {}\"", number(s.x), number(s.y),
                              number(s.x2), number(s.y2), number(h.x1), number(h.y1), number(s.x2),
                              number(s.y2), number(h.x2), number(h.y2)));
    }
    case Figure::Kind::curve: {
      const std::string middle = number((s.y + s.y2) / 2);
      return with("path", fmt::format("d=\"M{} {}C{} {} {} {} {} {}\"", number(s.x), number(s.y),
                                      number(s.x), middle, number(s.x2), middle, number(s.x2),
                                      number(s.y2)));
    }
    case Figure::Kind::box:
      return with("rect", fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(s.x),
                                      number(s.y), number(s.x2), number(s.y2)));
    case Figure::Kind::disc:
      return with("circle", fmt::format("cx=\"{}\" cy=\"{}\" r=\"{}\"", number(s.x), number(s.y),
                                        number(s.x2)));
    case Figure::Kind::words: {
      const char* anchor = s.anchor == Figure::Anchor::start
                               ? "start"
                               : (s.anchor == Figure::Anchor::end ? "end" : "middle");
      return fmt::format("<text {} x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}{}</text>\n", attributes,
                         number(s.x), number(s.y), anchor, tip, xml(s.text));
    }
  }
  return "";
}

std::string tikz_options(const Figure::Shape& s) {
  const std::string colour = "faro" + class_of(s);
  if (s.ink == Figure::Ink::heat) return "fill=" + colour;
  return s.filled ? fmt::format("draw={0},fill={0}", colour) : "draw=" + colour;
}

std::string tikz_shape(const Figure::Shape& s) {
  const std::string options = tikz_options(s);
  switch (s.kind) {
    case Figure::Kind::line:
      return fmt::format("\\path[{}] ({},{}) -- ({},{});\n", options, number(s.x), number(s.y),
                         number(s.x2), number(s.y2));
    case Figure::Kind::arrow:
      return fmt::format("\\path[{},->] ({},{}) -- ({},{});\n", options, number(s.x), number(s.y),
                         number(s.x2), number(s.y2));
    case Figure::Kind::curve: {
      const std::string middle = number((s.y + s.y2) / 2);
      return fmt::format("\\path[{}] ({},{}) .. controls ({},{}) and ({},{}) .. ({},{});\n",
                         options, number(s.x), number(s.y), number(s.x), middle, number(s.x2),
                         middle, number(s.x2), number(s.y2));
    }
    case Figure::Kind::box:
      return fmt::format("\\path[{}] ({},{}) rectangle ({},{});\n", options, number(s.x),
                         number(s.y), number(s.x + s.x2), number(s.y + s.y2));
    case Figure::Kind::disc:
      return fmt::format("\\path[{}] ({},{}) circle [radius={}];\n", options, number(s.x),
                         number(s.y), number(s.x2));
    case Figure::Kind::words: {
      const char* anchor = s.anchor == Figure::Anchor::start
                               ? "base west"
                               : (s.anchor == Figure::Anchor::end ? "base east" : "base");
      return fmt::format("\\node[anchor={},text=faro{}] at ({},{}) {{{}}};\n", anchor, class_of(s),
                         number(s.x), number(s.y), tex(s.text));
    }
  }
  return "";
}

}  // namespace

Figure::Shape& Figure::add(Shape shape) {
  shapes.push_back(std::move(shape));
  return shapes.back();
}
Figure::Shape& Figure::line(double x, double y, double x2, double y2, Ink ink) {
  return add({.kind = Kind::line, .x = x, .y = y, .x2 = x2, .y2 = y2, .ink = ink});
}
Figure::Shape& Figure::curve(double x, double y, double x2, double y2, Ink ink) {
  return add({.kind = Kind::curve, .x = x, .y = y, .x2 = x2, .y2 = y2, .ink = ink});
}
Figure::Shape& Figure::arrow(double x, double y, double x2, double y2, Ink ink) {
  return add({.kind = Kind::arrow, .x = x, .y = y, .x2 = x2, .y2 = y2, .ink = ink});
}
Figure::Shape& Figure::box(double x, double y, double w, double h, Ink ink) {
  return add({.kind = Kind::box, .x = x, .y = y, .x2 = w, .y2 = h, .ink = ink});
}
Figure::Shape& Figure::disc(double x, double y, double radius, Ink ink) {
  return add({.kind = Kind::disc, .x = x, .y = y, .x2 = radius, .ink = ink});
}
Figure::Shape& Figure::words(double x, double y, std::string text, Anchor anchor, Ink ink) {
  return add(
      {.kind = Kind::words, .x = x, .y = y, .ink = ink, .anchor = anchor, .text = std::move(text)});
}

void Figure::append_below(const Figure& other) {
  const double shift = height == 0 ? 0 : height + gap;
  for (Shape shape : other.shapes) {
    shape.y += shift;
    if (shape.kind != Kind::box && shape.kind != Kind::disc) shape.y2 += shift;
    shapes.push_back(std::move(shape));
  }
  width = std::max(width, other.width);
  height = shift + other.height;
}

std::string to_svg(const Figure& figure) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"faro-figure\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Fira Mono,DejaVu Sans Mono,monospace\" font-size=\"12\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n",
      number(figure.width), number(figure.height), xml(figure.title), xml(figure.description));
  text += style();
  for (const Figure::Shape& shape : figure.shapes) text += svg_shape(shape);
  return text + "</svg>\n";
}

std::string to_tikz(const Figure& figure) {
  std::string text;
  for (std::string line = figure.title + "\n" + figure.description; !line.empty();) {
    const std::size_t end = std::min(line.find('\n'), line.size());
    text += "% " + line.substr(0, end) + "\n";
    line.erase(0, end + 1);
  }
  text += "\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,font=\\ttfamily\\scriptsize,>=stealth]\n";
  const auto colour = [&](const std::string& name, const char* value) {
    std::string upper = value;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
      return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    text += fmt::format("\\definecolor{{faro{}}}{{HTML}}{{{}}}\n", name, upper);
  };
  colour("line", "222222");
  colour("faint", "aaaaaa");
  colour("accent", "1f5fae");
  colour("bad", "c02020");
  for (int i = 0; i <= 8; ++i) colour(fmt::format("heat{}", i), heat_light[i]);
  for (int i = 0; i < 8; ++i) colour(fmt::format("hue{}", i), hues[i]);
  for (const Figure::Shape& shape : figure.shapes) text += tikz_shape(shape);
  return text + "\\end{tikzpicture}\n";
}

}  // namespace faro::inline v1
