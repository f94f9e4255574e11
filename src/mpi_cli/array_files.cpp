#include "mpi_cli/array_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/memory.hpp"
#include "faro/base/error.hpp"

namespace faro::mpi_cli {

bool names_ranks(const std::string& path) {
  return path.find("%d") != std::string::npos;
}

std::string of_rank(const std::string& path, int rank) {
  std::string name = path;
  const auto at = name.find("%d");
  if (at != std::string::npos) name.replace(at, 2, std::to_string(rank));
  return name;
}

ArrayHeader read_header(const std::string& path, const std::optional<std::uint64_t>& element_bytes,
                        AnyOrder any_order) {
  ArrayHeader header;
  const auto file = open_random_file(path, {.access = FileAccess::read, .io = FileIo::buffered});
  const std::uint64_t size = file->size_bytes();
  if (element_bytes) {
    if (*element_bytes == 0 || size % *element_bytes != 0) {
      throw Error(ErrorCode::usage, fmt::format("{}: {} bytes are no whole elements of {}", path,
                                                size, *element_bytes));
    }
    header.npy.element_bytes = *element_bytes;
    header.npy.shape = {size / *element_bytes};
    return header;
  }
  std::vector<std::byte> start(std::min<std::uint64_t>(size, npy_preamble_bytes));
  file->read(0, start);
  header.start = npy_data_offset(start, path);
  if (header.start > size) {
    throw Error(ErrorCode::usage, fmt::format("{}: ends within its header", path));
  }
  start.resize(header.start);
  file->read(0, start);
  header.npy = parse_npy_header(start, path);
  if (size - header.start != header.npy.data_bytes()) {
    throw Error(ErrorCode::usage, fmt::format("{}: {} bytes of data; the header says {}", path,
                                              size - header.start, header.npy.data_bytes()));
  }
  if (any_order == AnyOrder::no && header.npy.order == NpyHeader::Order::fortran &&
      header.npy.shape.size() > 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: is in Fortran order; save it in C order (numpy.ascontiguousarray)", path));
  }
  return header;
}

namespace {

std::string mark_of(const std::string& path) {
  const std::filesystem::path first = of_rank(path, 0);
  return (first.parent_path() / ("." + first.filename().string() + ".faro-mixed")).string();
}

}  // namespace

void refuse_mixed_parts(const std::string& path) {
  std::error_code none;
  const std::string mark = mark_of(path);
  if (!names_ranks(path) || !std::filesystem::exists(mark, none)) return;
  throw Error(ErrorCode::environment,
              fmt::format("{}: a run was stopped while its parts got their names, so some may be "
                          "old ones; write them again, or remove '{}' if you know better",
                          path, mark));
}

void commit_parts(const mpi::Communicator& ranks, const std::string& path,
                  std::optional<Replacement>& file) {
  const std::string mark = ranks.rank() == 0 ? mark_of(path) : "";
  ranks.agree({}, "file", [&] {
    if (file) file->sync();
  });
  ranks.agree({}, "file", [&] {
    if (mark.empty()) return;
    Replacement made(mark);
    made.write(fmt::format("faro-mpi: parts {} are getting their names\n", path));
    made.commit();
  });
  ranks.agree({}, "file", [&] {
    if (file) file->commit();
  });
  // Lost in a power failure, this removal only warns of what is whole.
  ranks.agree({}, "file", [&] {
    if (!mark.empty() && ::unlink(mark.c_str()) != 0 && errno != ENOENT)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: cannot remove it: {}; all parts have their names", mark,
                              std::strerror(errno)));
  });
}

std::uint64_t fair_memory_bytes(const mpi::Communicator& ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(ranks.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
             "MPI_Comm_split_type");
  int size = 1;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return available_memory_bytes() / 2 / static_cast<std::uint64_t>(size);
}

SharedReplacement::SharedReplacement(const mpi::Communicator& ranks, const std::string& path,
                                     std::uint64_t bytes)
    : ranks_(ranks), path_(path) {
  const bool each = names_ranks(path);
  ranks.agree({}, "file", [&] {
    if (!each && ranks.rank() != 0) return;
    file_.emplace(of_rank(path, ranks.rank()));
    file_->reserve(bytes);
    name_ = file_->name_for_others();
  });
  if (each) return;
  int length = static_cast<int>(name_.size());
  mpi::check(MPI_Bcast(&length, 1, MPI_INT, 0, ranks.handle()), "MPI_Bcast");
  name_.resize(static_cast<std::size_t>(length));
  mpi::check(MPI_Bcast(name_.data(), length, MPI_CHAR, 0, ranks.handle()), "MPI_Bcast");
}

void SharedReplacement::write_front(const std::string& front) const {
  if (!file_ || front.empty()) return;
  open_random_file(name_, {.access = FileAccess::write, .io = FileIo::buffered})
      ->write(0, std::as_bytes(std::span(front)));
}

void SharedReplacement::commit() {
  if (names_ranks(path_)) return commit_parts(ranks_, path_, file_);
  ranks_.agree({}, "file", [&] {
    if (file_) file_->commit();
  });
}

ArrayTarget::ArrayTarget(const mpi::Communicator& ranks, const std::string& path,
                         const NpyHeader& header, files::FilePart::Hold hold)
    : ranks_(ranks),
      front_(header.type.empty() ? std::string() : npy_header_bytes(header)),
      file_(ranks, path, front_.size() + header.data_bytes()) {
  const bool each = names_ranks(path);
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const std::uint64_t bytes = each ? header.data_bytes() : header.data_bytes() / size;
  const std::uint64_t before = each ? 0 : bytes * static_cast<std::uint64_t>(ranks.rank());
  ranks.agree({}, "file", [&] {
    file_.write_front(front_);
    part_.emplace(file_.name(), front_.size() + before, bytes, files::FilePart::Access::write,
                  hold);
  });
}

void ArrayTarget::commit() {
  ranks_.agree({}, "file", [&] { part_->store(); });
  part_.reset();
  file_.commit();
}

}  // namespace faro::mpi_cli
