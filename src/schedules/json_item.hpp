// One small JSON value of a schedule file in memory: a rule, a move, the machine. The reader builds
// one at a time in storage that it keeps, so that a file of any length needs no more.
//
//   [3, "0x1f"]     nodes: array (ends at 3), integer 3, text "0x1f"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1::json {

enum class Kind : std::uint8_t { null, boolean, integer, real, text, array, object };

// A breach of the file's form: what the verdict will say.
struct Breach {
  const char* rule;
  std::string message;
};

// A piece of the item's text storage.
struct Span {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
};

struct Node {
  Kind kind = Kind::null;
  bool negative = false;
  std::uint32_t end = 0;  // the node after this value
  Span key;               // in an object
  Span text;
  std::uint64_t magnitude = 0;  // of an integer or a boolean
};

class Item;

// A value inside an item, valid as long as the item is unchanged.
class Value {
 public:
  Value(const Item& item, std::uint32_t node) : item_(&item), node_(node) {}

  Kind kind() const;
  std::string_view key() const;
  std::string_view text() const;  // of a text, else empty
  bool is_true() const;

  // Children in order, of an array or object.
  class Iterator {
   public:
    Iterator(const Item& item, std::uint32_t node) : item_(&item), node_(node) {}
    Value operator*() const { return {*item_, node_}; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return node_ == other.node_; }

   private:
    const Item* item_;
    std::uint32_t node_;
  };
  Iterator begin() const;
  Iterator end() const;
  std::size_t size() const;
  // The first of this name.
  std::optional<Value> member(std::string_view name) const;

  // The readings below throw Breach("shape", ...) with `what` in the message if the value is of
  // another kind, and Breach(range, ...) if the number does not fit.
  std::uint64_t number(const char* what, const char* range = "range") const;
  std::int64_t integer(const char* what) const;
  Count count(const char* what) const;
  // A hexadecimal string, or a number below 2^53.
  Word mask(const char* what) const;
  // Throws unless an array; of exactly `size` parts if one is given.
  // By value, so that a loop over the parts of a passing value keeps it.
  Value array(const char* what) const;
  Value array(const char* what, std::size_t size) const;

 private:
  const Node& node() const;
  const Item* item_;
  std::uint32_t node_;
};

class Item {
 public:
  void clear();
  // Building, in document order. Throw Error(limit) beyond limits::json_item_*.
  void key(std::string_view name) { pending_key_ = store(name); }
  void null() { add({}); }
  void boolean(bool value);
  void integer(std::uint64_t magnitude, bool negative);
  void real();
  void text(std::string_view value);
  void open(Kind kind);
  void close();
  bool complete() const { return !nodes_.empty() && open_.empty(); }
  Value root() const { return {*this, 0}; }

 private:
  friend class Value;
  Span store(std::string_view text);
  void add(Node node);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_;
  std::string texts_;
  Span pending_key_;
};

}  // namespace faro::inline v1::json
