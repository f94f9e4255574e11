#include "disk/digit_tiles.hpp"

#include <algorithm>

#include "algebra/digits.hpp"
#include "base/check.hpp"

namespace faro::inline v1::disk {

Word seam_of(const Digit& digit) {
  return digit.roll == 0 || digit.reversed ? digit.roll : digit.length - digit.roll;
}

DigitTiles::DigitTiles(const DigitPass& pass, std::uint64_t element_bytes)
    : digits_(pass.map.digits()), element_bytes_(element_bytes), lengths_(pass.blocks.size()) {
  FARO_CHECK(lengths_ <= lengths_max);
  tile_bytes_ = element_bytes;
  for (const Digit& digit : digits_.from) {
    if (digit.which == Digit::is_bit) continue;
    const auto which = static_cast<std::size_t>(digit.which);
    length_[which] = digit.length;
    blocks_[which] = pass.blocks[which];
    tile_bytes_ *= pass.blocks[which];
  }
  for (const Digit& digit : digits_.to) {
    if (digit.which == Digit::is_bit) continue;
    const auto which = static_cast<std::size_t>(digit.which);
    if (blocks_[which] != digit.length) seam_[which] = seam_of(digit);
    tiles_ *= blocks_of(which);
  }
  const BitMatrix& matrix = digits_.bits.matrix();
  const int width = digits_.bits.width();
  std::vector<Word> image = pass.tile;
  for (Word& v : image) v = matrix.apply(v);
  reads_ = side_of(digits_.from, TileSpace(width, pass.tile));
  writes_ = side_of(digits_.to, TileSpace(width, image));
  const int dimension = reads_.space.dimension();
  tiles_ = tiles_ << static_cast<unsigned>(width - dimension);
  tile_bytes_ = tile_bytes_ << static_cast<unsigned>(dimension);
  std::vector<Word> columns;
  for (int k = 0; k < dimension; ++k)
    columns.push_back(writes_.space.position(matrix.apply(reads_.space.vector(k))));
  local_ = BitMatrix::from_columns(dimension, columns);
}

DigitTiles::Side DigitTiles::side_of(const std::vector<Digit>& digits, TileSpace space) const {
  Side side;
  side.space = std::move(space);
  Word stride = 1;
  int bits = 0;
  int in_space = 0;
  bool is_run = true;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const Digit& digit = digits[i];
    if (digit.which != Digit::is_bit) {
      side.digits.push_back({digit.which, digit.length, stride, digit.reversed, digit.roll});
      if (is_run) ++side.run_digits;
      is_run = is_run && blocks_[static_cast<std::size_t>(digit.which)] == digit.length;
    } else {
      side.bit_strides.push_back(stride);
      const int k = bits++;
      const bool leads =
          in_space < side.space.dimension() && highest_bit(side.space.vector(in_space)) == k;
      is_run = is_run && leads && side.space.vector(in_space) == bit(k);
      if (leads) {
        side.digits.push_back({});
        ++in_space;
        if (is_run) ++side.run_digits;
      }
    }
    stride *= digit.length;
  }
  return side;
}

Word DigitTiles::blocks_of(std::size_t which) const {
  const auto blocks = [&](Word length) {
    return length / blocks_[which] + (length % blocks_[which] == 0 ? 0 : 1);
  };
  return blocks(seam_[which]) + blocks(length_[which] - seam_[which]);
}

bool DigitTiles::is_whole(const SideDigit& digit) const {
  return digit.which != Digit::is_bit &&
         blocks_[static_cast<std::size_t>(digit.which)] == digit.length;
}

DigitTiles::Corner DigitTiles::corner(std::uint64_t index) const {
  Corner corner;
  const int above = digits_.bits.width() - reads_.space.dimension();
  corner.coset = index & low_mask(above);
  index = above == word_bits ? 0 : index >> static_cast<unsigned>(above);
  for (std::size_t k = lengths_; k-- > 0;) {
    const Word blocks = blocks_of(k);
    const Word block = index % blocks;
    const Word before = seam_[k] / blocks_[k] + (seam_[k] % blocks_[k] == 0 ? 0 : 1);
    const bool is_before = block < before;
    corner.begin[k] =
        (is_before ? block : block - before) * blocks_[k] + (is_before ? 0 : seam_[k]);
    corner.extent[k] = std::min(blocks_[k], (is_before ? seam_[k] : length_[k]) - corner.begin[k]);
    index /= blocks;
  }
  return corner;
}

Word DigitTiles::extent_of(const SideDigit& digit, const Lengths& extents) {
  return digit.which == Digit::is_bit ? 2 : extents[static_cast<std::size_t>(digit.which)];
}

std::uint64_t DigitTiles::run_elements(const Side& side, const Lengths& extents) {
  std::uint64_t elements = 1;
  for (std::size_t k = 0; k < side.run_digits; ++k) elements *= extent_of(side.digits[k], extents);
  return elements;
}

TilePlace DigitTiles::place(std::uint64_t index) const {
  TilePlace place;
  place.index = index;
  const Corner at = corner(index);
  place.from = reads_.space.coset(at.coset);
  const Word image = digits_.bits(place.from);
  place.delta = writes_.space.position(image);
  place.to = image ^ writes_.space.member(place.delta);
  place.bytes = element_bytes_ << static_cast<unsigned>(reads_.space.dimension());
  for (std::size_t k = 0; k < lengths_; ++k) place.bytes *= at.extent[k];
  return place;
}

PermutePlan DigitTiles::permuting(const TilePlace& tile, std::uint64_t alike,
                                  const PermuteOptions& options) const {
  const Corner at = corner(tile.index);
  const auto local = [&](const Side& side) {
    std::vector<Digit> digits;
    for (std::size_t k = side.digits.size(); k-- > 0;) {
      const SideDigit& digit = side.digits[k];
      digits.push_back({extent_of(digit, at.extent), digit.which, digit.reversed,
                        is_whole(digit) ? digit.roll : 0});
    }
    return digits;
  };
  const Map map =
      Map::from_digits({local(reads_), local(writes_), BitMap::from_matrix(local_, tile.delta)});
  return PermutePlan::out_of_place(radix::on_middle_axis(alike, map, 1),
                                   TensorShape{element_bytes_, {}, {}}, options);
}

Count DigitTiles::requests(const Side& side) const {
  // Whole digits, and of the last of a run what a block has: the last block's runs may be shorter.
  std::uint64_t below = element_bytes_;
  Count runs = Count{1} << static_cast<unsigned>(digits_.bits.width());
  Word top = 1;
  Word block = 1;
  Word seam = 0;
  for (std::size_t k = 0; k < side.digits.size(); ++k) {
    const SideDigit& digit = side.digits[k];
    const bool is_bit = digit.which == Digit::is_bit;
    if (k >= side.run_digits) {
      if (!is_bit) runs *= digit.length;
      continue;
    }
    if (is_bit) runs /= 2;
    if (k + 1 < side.run_digits || is_bit) {
      below *= digit.length;
    } else {
      top = digit.length;
      block = blocks_[static_cast<std::size_t>(digit.which)];
      seam = seam_[static_cast<std::size_t>(digit.which)];
    }
  }
  const auto pieces = [&](Word elements) {
    return ceil_div(Count{elements} * below, request_bytes_max);
  };
  const auto of_range = [&](Word length) {
    return (length / block) * pieces(block) + (length % block == 0 ? 0 : pieces(length % block));
  };
  return runs * (of_range(seam) + of_range(top - seam));
}

Pieces DigitTiles::requests_of(const TilePlace& tile, const Side& side) const {
  const std::uint64_t run = run_elements(side, corner(tile.index).extent) * element_bytes_;
  return {.count = tile.bytes / run * static_cast<std::uint64_t>(ceil_div(run, request_bytes_max)),
          .bytes = std::min(run, request_bytes_max)};
}

Word DigitTiles::run_address(const Corner& corner, const Side& side, Word bits,
                             std::uint64_t run) const {
  Word address = 0;
  Word member = 0;
  int in_space = 0;
  for (std::size_t k = 0; k < side.digits.size(); ++k) {
    const SideDigit& digit = side.digits[k];
    const Word extent = extent_of(digit, corner.extent);
    const Word value = k < side.run_digits ? 0 : run % extent;
    if (k >= side.run_digits) run /= extent;
    if (digit.which == Digit::is_bit) {
      member |= value << static_cast<unsigned>(in_space++);
      continue;
    }
    Word first = corner.begin[static_cast<std::size_t>(digit.which)];
    if (digit.reversed) first = digit.length - first - extent;
    if (digit.roll != 0 && !is_whole(digit)) first = (first + digit.roll) % digit.length;
    address += (first + value) * digit.stride;
  }
  for (Word rest = bits ^ side.space.member(member); rest != 0; rest &= rest - 1)
    address += side.bit_strides[static_cast<std::size_t>(lowest_bit(rest))];
  return address;
}

Request DigitTiles::request(const TilePlace& tile, const Side& side, Word bits,
                            std::uint64_t i) const {
  const Corner at = corner(tile.index);
  const std::uint64_t run_bytes = run_elements(side, at.extent) * element_bytes_;
  const auto pieces = static_cast<std::uint64_t>(ceil_div(run_bytes, request_bytes_max));
  const std::uint64_t within = i % pieces * request_bytes_max;
  return {.file_offset = run_address(at, side, bits, i / pieces) * element_bytes_ + within,
          .buffer_offset = (i / pieces * run_bytes) + within,
          .bytes = std::min(request_bytes_max, run_bytes - within)};
}

Request DigitTiles::read(const TilePlace& tile, std::uint64_t i) const {
  return request(tile, reads_, tile.from, i);
}

Request DigitTiles::write(const TilePlace& tile, std::uint64_t i) const {
  return request(tile, writes_, tile.to, i);
}

DigitTiles::Runs DigitTiles::read_runs(const TilePlace& tile) const {
  const std::uint64_t elements = run_elements(reads_, corner(tile.index).extent);
  return {.count = tile.bytes / element_bytes_ / elements, .elements = elements};
}

Word DigitTiles::read_run(const TilePlace& tile, std::uint64_t i) const {
  return run_address(corner(tile.index), reads_, tile.from, i);
}

}  // namespace faro::inline v1::disk
