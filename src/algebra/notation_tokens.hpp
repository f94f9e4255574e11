// The words of a notation text, and how a fault in one is told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/notation.hpp"

namespace faro::inline v1::notation {

enum class TokenKind { name, number, punctuation, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // punctuation: one of [ ] ( ) , : | ^ ~ - = -> =>
  std::size_t at = 0;
  Word value = 0;  // of a number

  bool is(std::string_view punctuation) const {
    return kind == TokenKind::punctuation && text == punctuation;
  }
};

// All tokens and an `end`. Throws NotationError(limit) for a text that is too long or a number
// above 2^64 - 1, NotationError(lex) for what is no token.
std::vector<Token> tokens_of(std::string_view text);

// "'->'", "the end": a token as a message names it.
std::string shown(const Token& token);

}  // namespace faro::inline v1::notation
