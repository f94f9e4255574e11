#include "disk/stored/zarr_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/check.hpp"
#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr const char* unfinished = ".faro";
// Of shards that are read at about the same time.
constexpr std::uint64_t indices_bytes_max = std::uint64_t{8} << 20U;
constexpr std::uint64_t indices_most = 16;

std::string own_part() {
  return std::string(unfinished) + "/" + files::own_name();
}
std::string unfinished_name(const char* name) {
  return fmt::format("{}/{}", unfinished, name);
}

[[noreturn]] void damaged_file(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::environment, fmt::format("{}: {}", name, what));
}

std::uint64_t product_of(const std::vector<std::uint64_t>& whole,
                         const std::vector<std::uint64_t>& parts) {
  std::uint64_t all = 1;
  for (std::size_t k = 0; k < whole.size(); ++k) all *= whole[k] / parts[k];
  return all;
}

bool is_all(std::span<const std::byte> unit, std::span<const std::byte> fill) {
  return std::equal(fill.begin(), fill.end(), unit.begin()) &&
         std::memcmp(unit.data(), unit.data() + fill.size(), unit.size() - fill.size()) == 0;
}

}  // namespace

// A file that is being written.
class ZarrPart : public StoredFile {
 public:
  ZarrPart(ZarrStore& store, UnitIndex file)
      : store_(store),
        file_(file.begin(), file.end()),
        key_(store.form_.key(file)),
        part_(own_part()),
        sharded_(!store.form_.shards.empty()) {
    if (sharded_)
      index_.resize(product_of(store.form_.file_shape(), store.form_.chunks));
    else
      index_.resize(1);
    seen_.resize(index_.size());
    if (sharded_ && shard().index_first) at_ = index_bytes(shard(), index_.size());
  }
  ~ZarrPart() override {
    if (is_empty() || is_named_) return;
    part_file_.reset();
    try {
      store_.folder_->remove(part_);
    } catch (...) {
      // It goes with the folder that it is in, when the array is complete.
    }
  }

  void append(UnitIndex index, std::span<const std::byte> unit) override {
    const std::uint64_t number = number_of(index);
    FARO_CHECK(!is_sealed_ && !seen_[number] && unit.size() == store_.form_.chunk_bytes());
    seen_[number] = true;
    if (is_all(unit, store_.form_.fill)) return;
    if (store_.is_plain()) return put(number, unit);
    put(number, store_.codec_.encode(unit));
  }

  void seal() override {
    if (is_sealed_) return;
    is_sealed_ = true;
    if (part_file_ && sharded_) {
      const auto content = index_content(index_, shard());
      part_file_->write(shard().index_first ? 0 : at_, content);
    }
    part_file_.reset();
  }

  // Nothing was appended but what is absent.
  bool is_empty() const override { return !is_begun_; }
  void set_named() { is_named_ = true; }
  const std::string& key() const { return key_; }
  const std::string& part() const { return part_; }

 private:
  const ShardForm& shard() const { return store_.form_.shards.front(); }

  std::uint64_t number_of(UnitIndex index) const {
    const ArrayForm& form = store_.form_;
    FARO_CHECK(index.size() == form.shape.size());
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < index.size(); ++k) {
      const std::uint64_t count = form.file_shape()[k] / form.chunks[k];
      FARO_CHECK(index[k] / count == file_[k]);
      number = number * count + index[k] % count;
    }
    return number;
  }

  void put(std::uint64_t number, std::span<const std::byte> encoded) {
    is_begun_ = true;
    if (!part_file_) part_file_ = store_.folder_->open(part_);
    part_file_->write(at_, encoded);
    index_[number] = {at_, encoded.size()};
    at_ += encoded.size();
  }

  ZarrStore& store_;
  std::vector<std::uint64_t> file_;
  std::string key_;
  std::string part_;
  bool sharded_;
  bool is_begun_ = false;
  bool is_sealed_ = false;
  bool is_named_ = false;
  std::unique_ptr<RandomFile> part_file_;
  std::uint64_t at_ = 0;
  ShardIndex index_;
  std::vector<bool> seen_;
};

ZarrStore::ZarrStore(ArrayForm form, std::shared_ptr<files::ChunkFolder> folder)
    : form_(std::move(form)),
      folder_(std::move(folder)),
      codec_(form_),
      grid_(form_.grid()),
      description_(description_of(form_)) {
  grid_.reading_bytes += folder_->held_bytes(codec_.encoded_bytes_max());
  const std::uint64_t index =
      form_.shards.empty() ? 1 : 16 * product_of(form_.file_shape(), form_.chunks);
  indices_max_ = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(indices_bytes_max / index, form_.shards.size() + 1, indices_most));
}

const std::vector<std::uint64_t>& ZarrStore::parts(std::size_t level) const {
  return level + 1 < form_.shards.size() ? form_.shards[level + 1].shape : form_.chunks;
}

std::shared_ptr<const ShardIndex> ZarrStore::index_at(const std::string& key, std::size_t level,
                                                      std::uint64_t offset, std::uint64_t bytes) {
  const std::string kept_as = fmt::format("{}:{}:{}", key, level, offset);
  {
    const std::lock_guard lock(index_mutex_);
    const auto found = std::find_if(indices_.begin(), indices_.end(),
                                    [&](const auto& kept) { return kept.first == kept_as; });
    if (found != indices_.end()) {
      indices_.splice(indices_.begin(), indices_, found);
      return found->second;
    }
  }
  const ShardForm& shard = form_.shards[level];
  const std::string name = fmt::format("{}/{}", folder_->folder(), key);
  const std::uint64_t chunks = product_of(shard.shape, parts(level));
  const std::uint64_t listed = index_bytes(shard, chunks);
  if (bytes < listed) damaged_file(name, "is too short for its index");
  std::vector<std::byte> content(listed);
  if (!folder_->read(key, shard.index_first ? offset : offset + bytes - listed, content))
    damaged_file(name, "is no longer there");
  const bool holds_shards = level + 1 < form_.shards.size();
  auto index = std::make_shared<const ShardIndex>(read_index(
      content, shard, bytes, holds_shards ? UINT64_MAX - 1 : codec_.encoded_bytes_max(), name));
  const std::lock_guard lock(index_mutex_);
  indices_.emplace_front(kept_as, index);
  if (indices_.size() > indices_max_) indices_.pop_back();
  return index;
}

ZarrStore::Place ZarrStore::find(UnitIndex index) {
  FARO_CHECK(index.size() == form_.shape.size());
  std::vector<std::uint64_t> rest(index.begin(), index.end());
  std::vector<std::uint64_t> file(index.size());
  for (std::size_t k = 0; k < rest.size(); ++k) {
    FARO_CHECK(index[k] < parts_of(form_.shape[k], form_.chunks[k]));
    const std::uint64_t count = form_.file_shape()[k] / form_.chunks[k];
    file[k] = rest[k] / count;
    rest[k] %= count;
  }
  Place place{.key = form_.key(file)};
  place.bytes = folder_->size_bytes(place.key);
  for (std::size_t level = 0; place.bytes && level < form_.shards.size(); ++level) {
    const auto entries = index_at(place.key, level, place.offset, *place.bytes);
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < rest.size(); ++k) {
      const std::uint64_t inner = parts(level)[k] / form_.chunks[k];
      number = number * (form_.shards[level].shape[k] / parts(level)[k]) + rest[k] / inner;
      rest[k] %= inner;
    }
    const ShardEntry& entry = (*entries)[number];
    if (entry.is_absent()) {
      place.bytes.reset();
    } else {
      place.offset += entry.offset;
      place.bytes = entry.bytes;
    }
  }
  return place;
}

StoredArray::Found ZarrStore::read_unit(UnitIndex index, std::span<std::byte> unit) {
  FARO_CHECK(unit.size() == form_.chunk_bytes());
  if (is_plain()) return read_piece(index, 0, unit);
  const Place place = find(index);
  if (!place.bytes) return Found::absent;
  const std::string name = fmt::format("{}/{}", folder_->folder(), place.key);
  if (*place.bytes > codec_.encoded_bytes_max())
    damaged_file(name,
                 fmt::format("{} bytes are too many for a chunk of {}", *place.bytes, unit.size()));
  std::vector<std::byte> encoded(*place.bytes);
  if (!folder_->read(place.key, place.offset, encoded)) damaged_file(name, "is no longer there");
  codec_.decode(encoded, unit, name);
  return Found::present;
}

StoredArray::Found ZarrStore::read_piece(UnitIndex index, std::uint64_t first_byte,
                                         std::span<std::byte> into) {
  FARO_CHECK(is_plain());
  const Place place = find(index);
  if (!place.bytes) return Found::absent;
  const std::string name = fmt::format("{}/{}", folder_->folder(), place.key);
  if (*place.bytes != form_.chunk_bytes())
    damaged_file(name, fmt::format("holds {} bytes where a chunk has {}", *place.bytes,
                                   form_.chunk_bytes()));
  if (!folder_->read(place.key, place.offset + first_byte, into))
    damaged_file(name, "is no longer there");
  return Found::present;
}

void ZarrStore::read_run(std::uint64_t /*first_byte*/, std::span<std::byte> /*into*/) {
  FARO_CHECK(grid_.encoding == StoredGrid::Encoding::run);
}
void ZarrStore::write_run(std::uint64_t /*first_byte*/, std::span<const std::byte> /*from*/) {
  FARO_CHECK(grid_.encoding == StoredGrid::Encoding::run);
}

std::unique_ptr<StoredFile> ZarrStore::begin_file(UnitIndex index) {
  FARO_CHECK(index.size() == form_.shape.size() && form_.shards.size() <= 1);
  return std::make_unique<ZarrPart>(*this, index);
}

void ZarrStore::give_name(StoredFile& file) {
  auto& part = dynamic_cast<ZarrPart&>(file);
  part.seal();
  if (part.is_empty()) return folder_->remove(part.key());
  folder_->rename(part.part(), part.key());
  part.set_named();
}

void ZarrStore::finish(std::span<const std::unique_ptr<StoredFile>> files) {
  std::vector<std::string> parts;
  std::vector<std::string> keys;
  for (const auto& file : files) {
    auto& part = dynamic_cast<ZarrPart&>(*file);
    part.seal();
    if (part.is_empty() && !folder_->size_bytes(part.key())) continue;
    if (!part.is_empty()) parts.push_back(part.part());
    keys.push_back(part.key());
  }
  if (keys.empty()) return;
  folder_->sync_files(parts);
  for (const auto& file : files) give_name(*file);
  folder_->sync_names(keys);
}

bool ZarrStore::has_file(UnitIndex index) const {
  return folder_->size_bytes(form_.key(index)).has_value();
}

std::optional<std::uint64_t> ZarrStore::count_files() const {
  return folder_->count_files();
}

void ZarrStore::sync() {
  // What has its name is durable.
}

void ZarrStore::complete() {
  const char* const metadata = metadata_name(form_);
  if (folder_->size_bytes(unfinished_name(metadata))) {
    std::vector<std::string> names{metadata};
    if (form_.format == ArrayForm::Format::zarr2 && !form_.attributes.empty())
      folder_->put(".zattrs", form_.attributes, own_part());
    folder_->rename(unfinished_name(metadata), metadata);
    folder_->sync_names(names);
  }
  folder_->remove(unfinished);
  const std::string gone[] = {unfinished};
  folder_->sync_names(gone);
}

std::string ZarrStore::identity() const {
  // Files spread over the array, as the system knows them, and how they begin.
  constexpr std::uint64_t samples = 64;
  constexpr std::uint64_t samples_far = 8;
  constexpr std::uint64_t sample_bytes = 4096;
  std::uint64_t files = 1;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < form_.shape.size(); ++k) {
    counts.push_back(parts_of(form_.shape[k], form_.file_shape()[k]));
    files *= counts.back();
  }
  std::uint32_t sum = crc32c(description_);
  const std::uint64_t count = std::min(folder_->is_far() ? samples_far : samples, files);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto number = static_cast<std::uint64_t>(Count{files} * i / count);
    std::vector<std::uint64_t> file(counts.size());
    for (std::size_t k = counts.size(); k-- > 0; number /= counts[k]) file[k] = number % counts[k];
    const std::string key = form_.key(file);
    const std::string stamp = folder_->stamp(key);
    sum = crc32c(std::as_bytes(std::span(stamp)), sum);
    // What is far has said with its stamp how it begins.
    const auto size = folder_->is_far() ? std::nullopt : folder_->size_bytes(key);
    if (!size) continue;
    std::vector<std::byte> begin(std::min(*size, sample_bytes));
    folder_->read(key, 0, begin);
    sum = crc32c(begin, sum);
  }
  return fmt::format("zarr {:08x} {}", sum, files);
}

const char* metadata_name(const ArrayForm& form) {
  return form.format == ArrayForm::Format::zarr2 ? ".zarray" : "zarr.json";
}

ArrayForm read_form(const files::ChunkFolder& folder) {
  const std::uint64_t most = limits::zarr_metadata_bytes_max;
  if (const auto text = folder.text("zarr.json", most))
    return form_of_zarr3(*text, folder.folder());
  if (const auto text = folder.text(".zarray", most))
    return form_of_zarr2(*text, folder.text(".zattrs", most).value_or(""), folder.folder());
  throw Error(ErrorCode::usage, fmt::format("{}: has no zarr.json and no .zarray: is no Zarr array",
                                            folder.folder()));
}

std::unique_ptr<ZarrStore> open_zarr(std::shared_ptr<files::ChunkFolder> folder) {
  ArrayForm form = read_form(*folder);
  return std::make_unique<ZarrStore>(std::move(form), std::move(folder));
}

std::unique_ptr<ZarrStore> create_zarr(std::shared_ptr<files::ChunkFolder> folder, ArrayForm form) {
  if (form.shards.size() > 1)
    throw Error(ErrorCode::impossible,
                fmt::format("{}: shards within shards are read, not written", folder->folder()));
  const char* const metadata = metadata_name(form);
  const std::string text =
      form.format == ArrayForm::Format::zarr2 ? zarr2_text(form) : zarr3_text(form);
  const std::uint64_t most = limits::zarr_metadata_bytes_max;
  // Written by whomever, it may say the same in other words.
  const auto differs = [&](const std::string& found) {
    if (found == text) return false;
    const ArrayForm other = form.format == ArrayForm::Format::zarr2
                                ? form_of_zarr2(found, "", folder->folder())
                                : form_of_zarr3(found, folder->folder());
    return (other.format == ArrayForm::Format::zarr2 ? zarr2_text(other) : zarr3_text(other)) !=
           text;
  };
  const auto there = folder->text(metadata, most);
  if (there && differs(*there))
    throw Error(ErrorCode::usage, fmt::format("{}: another array is there already; remove it, or "
                                              "give another name",
                                              folder->folder()));
  const auto begun = folder->text(unfinished_name(metadata), most);
  if (begun && differs(*begun))
    throw Error(
        ErrorCode::environment,
        fmt::format("{}: another array was begun there and is unfinished", folder->folder()));
  if (!there && !begun) folder->put(unfinished_name(metadata), text, own_part());
  return std::make_unique<ZarrStore>(std::move(form), std::move(folder));
}

}  // namespace faro::inline v1::disk
