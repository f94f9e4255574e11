#include "algebra/notation_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::notation {
namespace {

constexpr std::array<std::pair<std::string_view, Function>, 10> functions = {
    {{"rev", Function::rev},
     {"gray", Function::gray},
     {"ungray", Function::ungray},
     {"zip", Function::zip},
     {"unzip", Function::unzip},
     {"rot", Function::rot},
     {"front", Function::front},
     {"back", Function::back},
     {"swap", Function::swap},
     {"roll", Function::roll}}};

// Recursive descent, one function a rule of the grammar.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Tree tree() {
    Tree result{layout_or_map(), {}};
    if (accept("=>")) {
      result.second = layout_or_map();
      if (now().is("=>")) fail("a second '=>'");
    }
    if (now().kind != TokenKind::end) fail(fmt::format("expected the end, found {}", shown(now())));
    return result;
  }

 private:
  const Token& now() const { return tokens_[next_]; }
  const Token& ahead(std::size_t by) const {
    return tokens_[std::min(next_ + by, tokens_.size() - 1)];
  }

  [[noreturn]] void fail(const std::string& reason) const { fail(reason, now().at); }
  [[noreturn]] void fail(const std::string& reason, std::size_t at) const {
    throw NotationError(NotationFault::syntax, at, reason, text_);
  }

  bool accept(std::string_view punctuation) {
    if (!now().is(punctuation)) return false;
    ++next_;
    return true;
  }

  void expect(std::string_view punctuation) {
    if (!accept(punctuation))
      fail(fmt::format("expected '{}', found {}", punctuation, shown(now())));
  }

  Number number(std::string_view wanted) {
    if (now().kind != TokenKind::number)
      fail(fmt::format("expected {}, found {}", wanted, shown(now())));
    const Number result{now().value, now().at};
    ++next_;
    return result;
  }

  std::optional<Number> width_after_colon() {
    if (!accept(":")) return std::nullopt;
    return number("a width");
  }

  // One side of '=>': ends before it or at the end of the text. Its first tokens say what it is.
  Text layout_or_map() {
    Text result;
    result.at = now().at;
    if (arrow_ahead()) {
      result.what = arrow();
    } else if (now().is("[")) {
      result.what = vector();
    } else if (now().kind == TokenKind::name && now().text == "matrix" && ahead(1).is("(")) {
      const std::size_t first = next_;
      Matrix literal = matrix();
      if (now().is("(")) {
        next_ = first;
        result.what = bare(result.at);
      } else {
        result.what = std::move(literal);
      }
    } else if (now().kind == TokenKind::name && is_layout(now().text)) {
      result.what = named_layout();
    } else if (starts_bare_side()) {
      result.what = bare(result.at);
    } else if (now().kind == TokenKind::name) {
      result.what = named();
    } else {
      result.what = arrow();  // which says what is missing
    }
    return result;
  }

  bool starts_bare_side() const {
    if (now().is("~") || now().is("(")) return true;
    if (now().kind != TokenKind::name) return false;
    return ahead(1).is("[") || ahead(1).is("^") || (ahead(1).is("(") && is_reserved(now().text));
  }

  // The terms of one field, whose name they say.
  Arrow bare(std::size_t at) {
    Arrow result;
    result.arrow_at = at;
    result.high = terms();
    std::vector<std::string_view> names;
    for (const Term& term : result.high) collect_names(term, names);
    if (names.size() != 1)
      fail(names.empty() ? "without '->' a text names one field"
                         : fmt::format("fields need '->': {} -> ..", fmt::join(names, " ")),
           at);
    result.left.push_back({names[0], at, {}, {}});
    result.axes = {1};
    if (now().kind != TokenKind::end && !now().is("=>"))
      fail(fmt::format("expected the end, found {}", shown(now())));
    result.end_at = now().at;
    return result;
  }

  static void collect_names(const Term& term, std::vector<std::string_view>& names) {
    if (term.kind == Term::Kind::name && term.name != "rest" &&
        std::find(names.begin(), names.end(), term.name) == names.end())
      names.push_back(term.name);
    for (const Terms& argument : term.arguments)
      for (const Term& inner : argument) collect_names(inner, names);
  }

  NamedMap named() {
    NamedMap result;
    result.name = now().text;
    ++next_;
    result.width = width_after_colon();
    if (now().kind == TokenKind::end || now().is("=>")) return result;
    std::string reason = fmt::format("expected a field or '->', found {}", shown(now()));
    if (const std::string_view layout = nearest(result.name, layout_names); !layout.empty())
      reason += fmt::format("; did you mean {}?", layout);
    if (now().is("|") && ahead(1).is("|"))
      reason +=
          "; one '|' cuts, and '||' stands between the codes of a layout: 'cyclic gray||gray'";
    fail(reason);
  }

  static bool is_layout(std::string_view name) {
    return std::find(layout_names.begin(), layout_names.end(), name) != layout_names.end();
  }

  bool arrow_ahead() const {
    for (std::size_t i = next_; i < tokens_.size() && !tokens_[i].is("=>"); ++i)
      if (tokens_[i].is("->")) return true;
    return false;
  }

  NamedLayout named_layout() {
    NamedLayout result;
    const std::string_view name = now().text;
    result.name = name == "block" ? "consecutive" : name;
    ++next_;
    if (accept(":")) {
      result.processor_bits = number("the number of processor bits");
      if (!now().is("|"))
        fail(fmt::format("a layout has two sizes, of processor bits and memory bits: {}:{}|16",
                         name, result.processor_bits->value));
      ++next_;
      result.memory_bits = number("the number of memory bits");
    }
    if (now().kind == TokenKind::name) {
      result.encoding_at = now().at;
      result.encoding = now().text;
      ++next_;
      if (now().is("|") && ahead(1).is("|") && ahead(1).at == now().at + 1) {
        next_ += 2;
        if (now().kind != TokenKind::name)
          fail(fmt::format("expected an encoding, found {}", shown(now())));
        result.encoding += fmt::format("||{}", now().text);
        ++next_;
      }
    }
    if (now().kind != TokenKind::end && !now().is("=>"))
      fail(fmt::format("expected the end, found {}", shown(now())));
    return result;
  }

  Vector vector() {
    Vector result;
    expect("[");
    do {
      Vector::Entry entry;
      entry.at = now().at;
      entry.inverted = accept("-");
      entry.place = number("a bit number");
      result.entries.push_back(entry);
    } while (accept(","));
    if (!accept("]")) fail(fmt::format("expected ',', found {}", shown(now())));
    return result;
  }

  std::vector<Number> matrix_columns() {
    ++next_;  // matrix
    expect("(");
    std::vector<Number> columns;
    do {
      columns.push_back(number("a column"));
    } while (accept(","));
    expect(")");
    return columns;
  }

  Matrix matrix() {
    Matrix result{matrix_columns(), {}};
    if (accept("^")) result.complement = number("a number");
    return result;
  }

  Arrow arrow() {
    Arrow result;
    fields(result);
    result.arrow_at = now().at;
    ++next_;  // ->
    result.high = side();
    if (accept("|")) {
      result.right_cut = true;
      result.low = side();
      if (now().is("|")) fail("a second '|'");
    }
    if (now().kind != TokenKind::end && !now().is("=>"))
      fail(fmt::format("expected a term, found {}", shown(now())));
    result.end_at = now().kind == TokenKind::end ? text_.size() : now().at;
    return result;
  }

  void fields(Arrow& result) {
    bool fields_since_cut = false;
    for (;;) {
      if (now().kind == TokenKind::name) {
        result.left.push_back(field());
        result.axes.push_back(1);
        fields_since_cut = true;
        continue;
      }
      if (accept("(")) {
        group(result);
        fields_since_cut = true;
        continue;
      }
      if (!fields_since_cut)
        fail(now().kind == TokenKind::end
                 ? "expected a field, found the end"
                 : fmt::format("expected a field (a width may be 0), found {}", shown(now())));
      if (now().is("->")) return;
      if (!now().is("|")) fail(fmt::format("expected a field or '->', found {}", shown(now())));
      if (result.left_cut) fail("a second '|'");
      result.left_cut = result.left.size();
      ++next_;
      fields_since_cut = false;
    }
  }

  FieldText field() {
    const Token& name = now();
    ++next_;
    FieldText result{name.text, name.at, width_after_colon(), {}};
    if (!result.width && accept("=")) result.length = number("a length");
    return result;
  }

  // Several fields that are one axis.
  void group(Arrow& result) {
    std::size_t count = 0;
    for (; now().kind == TokenKind::name; ++count) result.left.push_back(field());
    if (count == 0)
      fail(fmt::format("expected a field in the parentheses, found {}", shown(now())));
    expect(")");
    result.axes.push_back(count);
    result.grouped = true;
  }

  static bool starts_term(const Token& token) {
    return token.kind == TokenKind::name || token.is("~") || token.is("(");
  }

  // Empty only beside a '|'.
  Terms side() {
    Terms terms;
    while (starts_term(now())) terms.push_back(exclusive_or());
    const bool after_cut = next_ > 0 && tokens_[next_ - 1].is("|");
    if (terms.empty() && !after_cut && !now().is("|"))
      fail(fmt::format("expected a term, found {}", shown(now())));
    return terms;
  }

  Terms terms() {
    Terms result;
    do {
      if (now().kind == TokenKind::number)
        fail(
            fmt::format("expected a term, found {}; a function begins with what it acts on, as in "
                        "i -> swap(i, 3, 5)",
                        shown(now())));
      if (!starts_term(now())) fail(fmt::format("expected a term, found {}", shown(now())));
      result.push_back(exclusive_or());
    } while (starts_term(now()));
    return result;
  }

  Term exclusive_or() {
    Term first = unary();
    if (!now().is("^")) return first;
    Term result;
    result.kind = Term::Kind::exclusive_or;
    result.at = first.at;
    result.arguments.push_back({std::move(first)});
    while (accept("^")) {
      if (now().kind == TokenKind::number) {
        result.xor_numbers.push_back(number("a number"));
        result.arguments.emplace_back();
        if (result.xor_numbers.back()->value == 2 && now().is("^")) refuse_power();
      } else if (starts_term(now())) {
        result.xor_numbers.emplace_back();
        result.arguments.push_back({unary()});
      } else {
        fail(fmt::format("expected a term or a number, found {}", shown(now())));
      }
    }
    return result;
  }

  // 2^7 is read as a power by one and as a sum by another.
  void refuse_power() const {
    const Token& next = ahead(1);
    if (next.kind != TokenKind::number) return;
    const std::string power =
        next.value < word_bits ? fmt::format("{:#x}", bit(static_cast<int>(next.value))) : "0x..";
    fail(fmt::format("2^{} might be a sum or a power; write {:#x} or {}", next.value,
                     2 ^ next.value, power));
  }

  Term unary() {
    const std::size_t at = now().at;
    bool inverted = false;
    while (accept("~")) inverted = !inverted;
    if (!starts_term(now())) fail(fmt::format("expected a term, found {}", shown(now())));
    Term result = primary();
    result.at = at;
    result.inverted = inverted;
    while (accept("[")) {
      const Number high = number("a bit number");
      result.slices.push_back({high, accept(":") ? number("a bit number") : high});
      expect("]");
    }
    return result;
  }

  void open() {
    if (now().is("(") && ++depth_ > limits::notation_depth_max)
      throw NotationError(NotationFault::limit, now().at,
                          fmt::format("nested deeper than {}", limits::notation_depth_max), text_);
    expect("(");
  }

  void close() {
    expect(")");
    --depth_;
  }

  Term primary() {
    Term result;
    result.at = now().at;
    if (now().is("(")) {
      result.kind = Term::Kind::group;
      const Token& before = tokens_[next_ > 0 ? next_ - 1 : 0];
      open();
      result.arguments.push_back(terms());
      if (now().is(",") && before.kind == TokenKind::name)
        fail(fmt::format("there is no function '{}'", before.text));
      close();
      return result;
    }
    if (now().text == "matrix") {
      result.kind = Term::Kind::matrix;
      result.columns = matrix_columns();
      open();
      result.arguments.push_back(terms());
      close();
      return result;
    }
    result.name = now().text;
    const auto known = std::find_if(functions.begin(), functions.end(),
                                    [&](const auto& f) { return f.first == result.name; });
    ++next_;
    if (known == functions.end()) return result;
    result.kind = Term::Kind::function;
    result.function = known->second;
    open();
    function_arguments(result);
    close();
    return result;
  }

  void function_arguments(Term& call) {
    call.arguments.push_back(terms());
    switch (call.function) {
      case Function::zip:
        expect(",");
        do {
          call.arguments.push_back(terms());
        } while (accept(","));
        return;
      case Function::unzip:
        expect(",");
        call.number = number("a number");
        return;
      case Function::rot:
      case Function::roll:
        expect(",");
        call.negative = accept("-");
        call.number = number("a number");
        return;
      case Function::swap:
        expect(",");
        call.bits.push_back(number("a bit number"));
        expect(",");
        call.bits.push_back(number("a bit number"));
        return;
      case Function::front:
      case Function::back:
        expect(",");
        do {
          if (now().text == "rest") fail("the rest is there by itself; numbers only");
          call.bits.push_back(number("a bit number"));
        } while (accept(","));
        return;
      default:
        return;
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

Tree tree_of(std::string_view text) {
  return Parser(text, tokens_of(text)).tree();
}

bool is_reserved(std::string_view name) {
  return name == "matrix" || std::any_of(functions.begin(), functions.end(),
                                         [&](const auto& f) { return f.first == name; });
}

}  // namespace faro::inline v1::notation
