// The index vectors that kernels load, from the algebra of a LaneNetwork.
#include <bit>

#include "kernels.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr std::size_t table_alignment = 64;

class Writer {
 public:
  Writer(LaneTables& tables, std::size_t bytes) : tables_(tables) {
    tables.bytes.assign(bytes + table_alignment, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(tables.bytes.data());
    tables.base = (table_alignment - address % table_alignment) % table_alignment;
    at_ = tables.bytes.data() + tables.base;
  }
  std::size_t offset() const {
    return static_cast<std::size_t>(at_ - tables_.bytes.data()) - tables_.base;
  }
  void put(std::uint8_t value) { *at_++ = value; }
  // A lane number as an index of 2^unit_log2 bytes, little-endian; lane numbers are below 128.
  void put_lane(Word lane, int unit_log2) {
    *at_ = static_cast<std::uint8_t>(lane);
    at_ += bit(unit_log2);
  }

 private:
  LaneTables& tables_;
  std::uint8_t* at_;
};

using LaneList = std::array<std::uint8_t, std::size_t{1} << lane_bits_max>;

LaneList table_of(const std::array<Word, lane_bits_max>& columns, int lane_bits) {
  LaneList list{};
  for (int i = 0; i < lane_bits; ++i) {
    const auto half = static_cast<std::size_t>(bit(i));
    const auto column = static_cast<std::uint8_t>(columns[static_cast<std::size_t>(i)]);
    for (std::size_t p = 0; p < half; ++p) list[half + p] = list[p] ^ column;
  }
  return list;
}

LaneList inverse_of(const LaneList& list, int lane_bits) {
  LaneList inverse{};
  for (std::size_t p = 0; p < bit(lane_bits); ++p) inverse[list[p]] = static_cast<std::uint8_t>(p);
  return inverse;
}

// `p` with bit i replaced by `value`.
Word with_bit(Word p, int i, Word value) {
  return (p & ~bit(i)) | (value << i);
}

}  // namespace

LaneTables two_table_lanes(const LaneNetwork& net, int unit_log2) {
  const int m = net.register_bits;
  const int k = net.common_bits;
  const int v = net.lane_bits;
  const Word lanes = bit(v);
  const auto vector_bytes = static_cast<std::size_t>(bit(v + unit_log2));
  const std::size_t count = (m >= 2 ? bit(m) : 0) + 2 * bit(v);
  LaneTables tables;
  Writer writer(tables, count * vector_bytes);
  const LaneList pre = table_of(net.pre, v);
  const LaneList from_post = inverse_of(table_of(net.post, v), v);

  tables.first = writer.offset();
  if (m >= 2) {
    for (Word r = 0; r < bit(m); ++r) {
      const Word u = r & 1U;
      for (Word p = 0; p < lanes; ++p) {
        const Word rho = (p >> k) & 1U;
        const Word shift = combine(net.lambda, (r & ~Word{1}) | rho) << k;
        writer.put_lane((rho * lanes) + pre[with_bit(p, k, u) ^ shift], unit_log2);
      }
    }
  }
  tables.last = writer.offset();
  for (Word u = 0; u < (m == 0 ? 1U : 2U); ++u) {
    for (Word x = 0; x < lanes; ++x) {
      for (Word q = 0; q < lanes; ++q) {
        const Word p = from_post[q ^ x];
        if (m == 0) {
          writer.put_lane(pre[p], unit_log2);
          continue;
        }
        const Word rho = (p >> (k + m - 1)) & 1U;
        const Word place = with_bit(p, k + m - 1, u);
        const Word lane = m == 1 ? pre[place ^ (combine(net.lambda, rho) << k)] : place;
        writer.put_lane((rho * lanes) + lane, unit_log2);
      }
    }
  }
  return tables;
}

namespace {

// One shuffle of a register: lane q takes lane of(q). For 16-byte vectors byte indices; for 32-byte
// vectors indices of 4-byte lanes, or where lanes are smaller two vectors of byte indices into the
// low and the high half, 0x80 where the other half has it.
template <class Of>
void put_shuffle(Writer& writer, int lane_bits, int unit_log2, Of&& of) {
  const Word unit = bit(unit_log2);
  const Word bytes = bit(lane_bits + unit_log2);
  const auto byte_from = [&](Word at) {
    return (of(at >> unit_log2) << unit_log2) | (at & (unit - 1));
  };
  if (bytes == 32 && unit_log2 >= 2) {
    for (Word at = 0; at < bytes; at += 4) writer.put_lane(byte_from(at) / 4, 2);
    return;
  }
  constexpr Word half = 16;
  for (Word h = 0; h < bytes / half; ++h) {
    for (Word at = 0; at < bytes; ++at) {
      const Word from = byte_from(at);
      writer.put(static_cast<std::uint8_t>(from / half == h ? from % half : 0x80U));
    }
  }
}

}  // namespace

LaneTables exchange_lanes(const LaneNetwork& net, int unit_log2, Shifts shifts) {
  const int v = net.lane_bits;
  const auto vector_bytes = static_cast<std::size_t>(bit(v + unit_log2));
  LaneTables tables;
  tables.has_pre = !net.pre_is_identity();
  tables.has_post = shifts == Shifts::some || !net.post_is_identity();
  Writer writer(tables, 2 * vector_bytes * (bit(net.register_bits) + bit(v)));
  const LaneList pre = table_of(net.pre, v);
  const LaneList from_post = inverse_of(table_of(net.post, v), v);
  tables.first = writer.offset();
  if (tables.has_pre) {
    for (Word r = 0; r < bit(net.register_bits); ++r) {
      const Word shift = combine(net.lambda, r) << net.common_bits;
      put_shuffle(writer, v, unit_log2, [&](Word p) { return Word{pre[p ^ shift]}; });
    }
  }
  tables.last = writer.offset();
  if (tables.has_post) {
    for (Word x = 0; x < bit(v); ++x) {
      put_shuffle(writer, v, unit_log2, [&](Word q) { return Word{from_post[q ^ x]}; });
    }
  }
  return tables;
}

}  // namespace faro::inline v1::engine
