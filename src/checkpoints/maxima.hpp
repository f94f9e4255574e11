// Maxima of checkpoints, their files and layouts: more is refused with Error(limit).
#pragma once

#include <cstddef>
#include <cstdint>

#include "faro/base/limits.hpp"

namespace faro::inline v1::limits {

// JSON that is read whole: headers of files, as the reference implementation reads, and indices.
inline constexpr std::uint64_t checkpoint_json_bytes_max = 100'000'000;
// Axes as .npy's; bytes of a tensor and of a file, so that sums of two are words; tensors of one
// rank, each some hundred bytes in tables; names, which every pattern of a layout is tried on.
inline constexpr std::size_t checkpoint_axes_max = 64;
inline constexpr std::uint64_t checkpoint_bytes_max = std::uint64_t{1} << 62U;
inline constexpr std::uint64_t checkpoint_tensors_max = std::uint64_t{1} << 20U;
inline constexpr std::size_t checkpoint_name_bytes_max = 4096;
// A layout file is read whole; more blocks of an axis, more layers and more ranks are mistakes in a
// number.
inline constexpr std::uint64_t checkpoint_layout_bytes_max = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t checkpoint_blocks_max = 1024;
inline constexpr std::uint64_t checkpoint_layers_max = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t checkpoint_ranks_max = std::uint64_t{1} << 16U;
// A journal with a line for each is below rechunk_journal_bytes_max.
inline constexpr std::uint64_t checkpoint_jobs_max = 300'000;

}  // namespace faro::inline v1::limits
