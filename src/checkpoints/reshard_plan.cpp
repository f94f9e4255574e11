// Plans a resharding: where each block lies on both sides, what files are made, how large jobs
// are.
#include "checkpoints/reshard_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/require.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/maxima.hpp"
#include "disk/box_runs.hpp"
#include "files/words.hpp"

namespace faro::inline v1::checkpoints {
namespace {

// The program, what the page cache holds of files at a time, and small things: as rechunk's.
constexpr std::uint64_t base_bytes = 48ULL << 20U;
// Longer requests are not faster.
constexpr std::uint64_t slab_bytes_max = 64ULL << 20U;

// Of several places that hold the same block the first is read, and the others are compared.
void mark_first(std::vector<Place>& places, const SafeTensor& whole, const char* side) {
  std::set<std::vector<std::uint64_t>> seen;
  std::uint64_t covered = 0;
  for (Place& place : places)
    for (PlacedBlock& block : place.blocks) {
      std::vector<std::uint64_t> key;
      for (const disk::Interval& axis : block.whole) {
        key.push_back(axis.begin);
        key.push_back(axis.end);
      }
      block.is_first = seen.insert(key).second;
      if (block.is_first) covered += disk::elements_of(block.whole);
    }
  std::uint64_t elements = 1;
  for (const std::uint64_t length : whole.shape) elements *= length;
  require(covered == elements, "tensor '{}' {}: the places {} have {} of its {} elements",
          whole.name, shape_text(whole.shape), side, covered, elements);
}

std::uint64_t add_places(ReshardPlan& plan, const std::vector<LocalTensor>& locals,
                         const std::map<std::pair<std::uint64_t, std::string>,
                                        std::pair<std::size_t, std::uint64_t>>& where,
                         std::vector<Place> TensorMove::*side) {
  std::uint64_t blocks = 0;
  for (const LocalTensor& local : locals) {
    const auto found = where.find({local.rank, local.name});
    FARO_CHECK(found != where.end());
    for (const LocalBlock& block : local.blocks) {
      std::vector<Place>& places = plan.tensors[block.tensor].*side;
      if (places.empty() || places.back().file != found->second.first ||
          places.back().start_byte != found->second.second)
        places.push_back({found->second.first, found->second.second, local.shape, {}});
      places.back().blocks.push_back({block.local, block.whole, true});
      ++blocks;
    }
  }
  return blocks;
}

std::uint64_t add_held(ReshardPlan& plan, const FileSet& set) {
  std::map<std::pair<std::uint64_t, std::string>, std::pair<std::size_t, std::uint64_t>> where;
  for (std::size_t rank = 0; rank < set.ranks.size(); ++rank)
    for (std::size_t i = 0; i < set.ranks[rank].size(); ++i) {
      const SafeTensor& tensor = set.ranks[rank][i];
      const std::size_t file = set.file_of[rank][i];
      where[{rank, tensor.name}] = {file, set.files[file].header.data_start + tensor.begin};
    }
  std::vector<SafeTensor> whole;
  for (const TensorMove& move : plan.tensors) whole.push_back(move.whole);
  return add_places(plan, place_tensors(plan.from, whole), where, &TensorMove::from);
}

// The tensors of one rank in files of at most file_bytes, but of one tensor at least.
void make_files(ReshardPlan& plan, const ReshardRequest& request,
                const std::vector<LocalTensor>& locals, const Metadata& metadata) {
  if (!plan.to.is_whole()) check_rank_names(request.to_names);
  std::vector<std::vector<SafeTensor>> parts;
  std::vector<std::uint64_t> rank_of;
  std::uint64_t held = 0;
  for (const LocalTensor& local : locals) {
    const std::uint64_t bytes = tensor_bytes(*local.type, local.shape, local.name);
    plan.written_bytes += bytes;
    const bool is_new = rank_of.empty() || rank_of.back() != local.rank;
    if (is_new || (!parts.back().empty() && held + bytes > request.file_bytes)) {
      parts.emplace_back();
      rank_of.push_back(local.rank);
      held = 0;
    }
    held += bytes;
    parts.back().push_back({local.name, local.type, local.shape});
  }
  std::set<std::string> names;
  std::uint64_t part = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    part = i > 0 && rank_of[i] == rank_of[i - 1] ? part + 1 : 0;
    MadeFile file;
    file.rank = rank_of[i];
    if (!plan.to.is_whole())
      file.name = rank_file_name(request.to_names, rank_of[i], part);
    else if (parts.size() == 1)
      file.name = "model.safetensors";
    else
      file.name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, parts.size());
    require(part == 0 || plan.to.is_whole() || request.to_names.find("{part}") != std::string::npos,
            "names '{}': rank {} needs several files, so {{part}} is wanted", request.to_names,
            rank_of[i]);
    require(names.insert(file.name).second, "names '{}': two files would be {}", request.to_names,
            file.name);
    file.header.metadata = metadata;
    file.header.tensors = std::move(parts[i]);
    lay_out(file.header.tensors, file.name);
    file.header.data_start = safetensors_bytes(file.header).size();
    require(file.header.data_start <= limits::checkpoint_json_bytes_max + 8,
            "{}: its header is beyond {} bytes; smaller files by --file-size", file.name,
            limits::checkpoint_json_bytes_max);
    file.bytes = file.header.data_start + file.header.tensors.back().end;
    if (plan.to.is_whole() && parts.size() > 1)
      for (const SafeTensor& tensor : file.header.tensors) plan.index[tensor.name] = file.name;
    plan.made.push_back(std::move(file));
  }
}

std::uint64_t add_made(ReshardPlan& plan, const ReshardRequest& request, const Metadata& metadata) {
  std::vector<SafeTensor> whole;
  for (const TensorMove& move : plan.tensors) whole.push_back(move.whole);
  const std::vector<LocalTensor> locals = place_tensors(plan.to, whole);
  make_files(plan, request, locals, metadata);
  std::map<std::pair<std::uint64_t, std::string>, std::pair<std::size_t, std::uint64_t>> where;
  for (std::size_t f = 0; f < plan.made.size(); ++f)
    for (const SafeTensor& tensor : plan.made[f].header.tensors)
      where[{plan.made[f].rank, tensor.name}] = {f, plan.made[f].header.data_start + tensor.begin};
  return add_places(plan, locals, where, &TensorMove::to);
}

void add_jobs(ReshardPlan& plan) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const SafeTensor& whole = plan.tensors[i].whole;
    if (whole.begin == whole.end) continue;
    Box all;
    for (const std::uint64_t length : whole.shape) all.push_back({0, length});
    disk::for_each_piece(all, whole.shape, whole.type->bytes, plan.slab_bytes, [&](const Box& box) {
      plan.jobs.push_back({i, box, disk::elements_of(box) * whole.type->bytes});
    });
  }
}

std::uint64_t jobs_of(const ReshardPlan& plan, std::uint64_t slab_bytes) {
  std::uint64_t jobs = 0;
  for (const TensorMove& move : plan.tensors) jobs += move.whole.end / slab_bytes + 1;
  return jobs;
}

[[noreturn]] void refuse_memory(const ReshardRequest& request, std::uint64_t fixed,
                                std::uint64_t least) {
  throw Error(ErrorCode::impossible,
              fmt::format("a memory of {} does not suffice: the program and its tables take {}, "
                          "and each of {} jobs at a time two buffers of {} or more",
                          files::size_text(request.memory_bytes), files::size_text(fixed),
                          request.threads, files::size_text(least)));
}

// Two buffers a thread: the job's part of the whole tensor, and a piece of a file. The shorter they
// are the more jobs there are, which are held too, with their digests and their journal.
void share_memory(ReshardPlan& plan, const ReshardRequest& request, std::uint64_t blocks,
                  std::uint64_t json_bytes) {
  std::uint64_t tables = blocks * 640 + json_memory * json_bytes;
  for (const MadeFile& file : plan.made) tables += json_memory * file.header.data_start;
  const std::uint64_t buffers = 2 * static_cast<std::uint64_t>(plan.threads);
  std::uint64_t longest = slab_bytes_min;
  for (const TensorMove& move : plan.tensors) longest = std::max(longest, move.whole.end);
  std::uint64_t slab = request.slab_bytes;
  if (slab == 0) slab = (std::min(longest, slab_bytes_max) + 4095) / 4096 * 4096;
  const std::uint64_t least = request.slab_bytes != 0 ? slab : slab_bytes_min;
  for (;; slab = slab / 2 / 4096 * 4096) {
    const std::uint64_t fixed = base_bytes + tables + jobs_of(plan, std::max(slab, least)) * 800;
    if (slab < least) refuse_memory(request, fixed, least);
    plan.peak_bytes = fixed + buffers * slab;
    if (plan.peak_bytes <= request.memory_bytes) break;
    if (request.slab_bytes != 0) refuse_memory(request, fixed, least);
  }
  plan.slab_bytes = slab;
  plan.memory_bytes = request.memory_bytes;
  const std::uint64_t jobs = jobs_of(plan, slab);
  if (jobs > limits::checkpoint_jobs_max)
    throw Error(ErrorCode::limit,
                fmt::format("{} jobs, of {} each, are more than the {} that a "
                            "journal takes: more memory makes fewer",
                            jobs, files::size_text(slab), limits::checkpoint_jobs_max));
}

}  // namespace

ReshardPlan make_plan(const ReshardRequest& request) {
  ReshardPlan plan;
  plan.from = Layout::parse(request.from);
  plan.to = Layout::parse(request.to);
  // Refused before they are parsed.
  const std::uint64_t json_bytes_max =
      request.memory_bytes > base_bytes ? (request.memory_bytes - base_bytes) / json_memory : 0;
  FileSet set = plan.from.is_whole() ? open_whole_files(request.in, json_bytes_max)
                                     : open_rank_files(request.in, request.from_names,
                                                       plan.from.ranks(), json_bytes_max);
  plan.from_folder = set.folder;
  plan.dropped_metadata = set.differing;
  plan.from = with_ties(plan.from, set.ranks);
  suppose_config(plan.from, set.folder);
  // What one side says of the model holds for the other.
  for (const char* number : {"heads", "kv_heads", "vocab", "block"}) {
    if (const auto value = plan.from.find(number)) plan.to.suppose(number, *value);
    if (const auto value = plan.to.find(number)) plan.from.suppose(number, *value);
  }
  suppose_config(plan.to, set.folder);
  for (SafeTensor& tensor : whole_tensors(plan.from, set.ranks)) {
    tensor.begin = 0;
    tensor.end = tensor_bytes(*tensor.type, tensor.shape, tensor.name);
    plan.bytes += tensor.end;
    const bool is_scale = plan.from.rule_of(tensor).scale_of.has_value();
    plan.tensors.push_back({std::move(tensor), {}, {}, is_scale});
  }
  require(!plan.tensors.empty(), "{}: there is no tensor", request.in);
  std::uint64_t blocks = add_held(plan, set);
  plan.held = std::move(set.files);
  blocks += add_made(plan, request, set.metadata);
  for (TensorMove& move : plan.tensors) {
    mark_first(move.from, move.whole, "that are there");
    mark_first(move.to, move.whole, "that are made");
  }
  plan.threads = request.threads;
  share_memory(plan, request, blocks, set.json_bytes);
  add_jobs(plan);
  return plan;
}

std::vector<ReshardJob> jobs_of_file(const ReshardPlan& plan, std::size_t file) {
  std::vector<ReshardJob> jobs;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const std::uint64_t element = plan.tensors[i].whole.type->bytes;
    for (const Place& place : plan.tensors[i].to)
      for (const PlacedBlock& block : place.blocks)
        if (place.file == file)
          disk::for_each_piece(
              block.whole, disk::lengths_of(block.whole), element, plan.slab_bytes,
              [&](const Box& box) {
                jobs.push_back({i, box, disk::elements_of(box) * element, file, block.is_first});
              });
  }
  return jobs;
}

}  // namespace faro::inline v1::checkpoints
