// Chakra execution traces (MLCommons), which ASTRA-sim runs: faro.RANK.et for each processor, all
// in one tar archive. A file is a row of protobuf messages, each after its length: GlobalMetadata,
// then a Node for each message that the rank sends or receives, its element's size in comm_size,
// the step as its tag.
#include <fmt/format.h>

#include <limits>

#include "exports/messages.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::exports {
namespace {

// ---- protobuf's wire format: a field is number * 8 + kind, then its value

enum Kind : unsigned { number = 0, bytes = 2 };

void add_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7U) out += static_cast<char>(value | 128U);
  out += static_cast<char>(value);
}
void add_number(std::string& out, unsigned field, std::uint64_t value) {
  add_varint(out, field * 8 + Kind::number);
  add_varint(out, value);
}
void add_bytes(std::string& out, unsigned field, std::string_view value) {
  add_varint(out, field * 8 + Kind::bytes);
  add_varint(out, value.size());
  out += value;
}

// Fields of GlobalMetadata, Node and AttributeProto.
namespace field {
constexpr unsigned version = 1;
constexpr unsigned id = 1;
constexpr unsigned name = 2;
constexpr unsigned type = 3;
constexpr unsigned data_deps = 5;
constexpr unsigned attr = 10;
constexpr unsigned attr_name = 1;
constexpr unsigned int32_val = 7;
constexpr unsigned int64_val = 9;
constexpr unsigned bool_val = 27;
}  // namespace field
constexpr unsigned comm_send_node = 5;
constexpr unsigned comm_recv_node = 6;

void add_attribute(std::string& node, std::string_view name, unsigned kind, std::uint64_t value) {
  std::string attribute;
  add_bytes(attribute, field::attr_name, name);
  add_number(attribute, kind, value);
  add_bytes(node, field::attr, attribute);
}

// ---- tar (POSIX ustar): a header of 512 bytes before each file, both in blocks of 512

constexpr std::size_t tar_block = 512;

std::string tar_header(const std::string& name, std::size_t size) {
  std::string header(tar_block, '\0');
  const auto put = [&header](std::size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(148, std::string(8, ' '));
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header;
}

class ChakraWriter : public MessageWriter {
 public:
  explicit ChakraWriter(ByteSink& to) : to_(to) {
    std::string metadata;
    add_bytes(metadata, field::version, "0.0.4");
    add_varint(start_, metadata.size());
    start_ += metadata;
  }

  void begin(std::uint64_t) override {}

  void add(std::string& text, const Message& m) override {
    if (m.step > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      throw Error(ErrorCode::limit, "Chakra's tags have 31 bits, and this schedule more steps");
    node_.clear();
    add_number(node_, field::id, m.label);
    add_bytes(node_, field::name,
              fmt::format("{} {}", m.sends ? "send to" : "receive from", m.peer));
    add_number(node_, field::type, m.sends ? comm_send_node : comm_recv_node);
    if (!m.after.empty()) {
      std::string after;
      for (const std::uint64_t before : m.after) add_varint(after, before);
      add_bytes(node_, field::data_deps, after);
    }
    add_attribute(node_, "is_cpu_op", field::bool_val, 0);
    add_attribute(node_, "comm_src", field::int32_val, m.sends ? m.rank : m.peer);
    add_attribute(node_, "comm_dst", field::int32_val, m.sends ? m.peer : m.rank);
    add_attribute(node_, "comm_tag", field::int32_val, m.step);
    add_attribute(node_, "comm_size", field::int64_val, element_bytes);
    add_varint(text, node_.size());
    text += node_;
  }

  void end_rank(Word rank, const std::string& text) override {
    const std::size_t size = start_.size() + text.size();
    to_.write(tar_header(fmt::format("faro.{}.et", rank), size));
    to_.write(start_);
    to_.write(text);
    to_.write(std::string((tar_block - size % tar_block) % tar_block, '\0'));
  }

  void end() { to_.write(std::string(2 * tar_block, '\0')); }

 private:
  ByteSink& to_;
  std::string start_;
  std::string node_;
};

}  // namespace

void chakra(const Push& push, ByteSink& to) {
  ChakraWriter writer(to);
  write_messages(push, writer);
  writer.end();
}

}  // namespace faro::inline v1::exports
