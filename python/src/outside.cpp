// Arrays in stores that Python knows. The engine decodes, moves and encodes; an object of Python,
// made by faro._outside.opened(name), is asked for the bytes of a key and given those of a file:
//
//   size(key)                   bytes, or None
//   read(key, offset, bytes)    a buffer of so many, or None
//   stamp(key)                  another text when it was changed
//   put(key, path)              the file at `path` is the content
//   delete(key)
//   count_units()               of chunks, or shards, that are there; None where it lists nothing
//   copies                      of what is read: so many may be held on the way
//   parts                       a local folder where files grow; "" where nothing is written
#include "buffer.hpp"
#include "disk/stored_array.hpp"
#include "faro/base/error.hpp"
#include "files/chunk_folder.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

// Its type and what it says, without the lines that it came from.
std::string words_of(const nb::python_error& error) {
  const std::string type = nb::cast<std::string>(error.type().attr("__name__"));
  return type + ": " + nb::cast<std::string>(nb::str(error.value()));
}

// A failure of the store is an Error; what stops the interpreter goes on through the engine.
[[noreturn]] void throw_again(nb::python_error& error, ErrorCode code, const std::string& name) {
  if (!error.matches(PyExc_Exception)) throw Stopped(error);
  throw Error(code, name + ": " + words_of(error));
}

// With the lock; what Python throws is an Error, as the engine's threads know it.
template <class Work>
auto asked(const std::string& name, Work&& work) {
  const nb::gil_scoped_acquire lock;
  try {
    return work();
  } catch (nb::python_error& error) {
    throw_again(error, ErrorCode::environment, name);
  } catch (const nb::cast_error&) {
    throw Error(ErrorCode::environment, name + ": its store gives what is none of its answers");
  }
}

class PythonFolder : public files::ChunkFolder {
 public:
  // With the lock.
  PythonFolder(std::string name, nb::object store)
      : name_(std::move(name)),
        store_(std::move(store)),
        copies_(nb::cast<std::uint64_t>(store_.attr("copies"))),
        parts_(nb::cast<std::string>(store_.attr("parts"))) {}
  ~PythonFolder() override {
    const nb::gil_scoped_acquire lock;
    store_.reset();
  }

  const std::string& folder() const override { return name_; }
  std::optional<std::uint64_t> size_bytes(const std::string& name) const override {
    if (is_part(name)) return parts_.size_bytes(name);
    return asked(at(name),
                 [&] { return nb::cast<std::optional<std::uint64_t>>(store_.attr("size")(name)); });
  }
  bool read(const std::string& name, std::uint64_t offset,
            std::span<std::byte> into) const override {
    if (is_part(name)) return parts_.read(name, offset, into);
    return asked(at(name), [&] {
      const nb::object got = store_.attr("read")(name, offset, into.size());
      if (got.is_none()) return false;
      Buffer buffer;
      const auto bytes = buffer.bytes_of(got, Buffer::Use::read);
      if (bytes.size() != into.size())
        throw Error(ErrorCode::environment, at(name) + ": is cut short");
      const nb::gil_scoped_release unlocked;
      std::copy(bytes.begin(), bytes.end(), into.begin());
      return true;
    });
  }
  std::string stamp(const std::string& name) const override {
    return asked(at(name), [&] { return nb::cast<std::string>(store_.attr("stamp")(name)); });
  }
  std::unique_ptr<RandomFile> open(const std::string& name) override { return parts_.open(name); }
  void rename(const std::string& from, const std::string& to) override {
    if (is_part(to)) return parts_.rename(from, to);
    asked(at(to), [&] { store_.attr("put")(to, parts_.folder() + "/" + from); });
    parts_.remove(from);
  }
  void remove(const std::string& name) override {
    if (is_part(name)) return parts_.remove(name);
    asked(at(name), [&] { store_.attr("delete")(name); });
  }
  // A store has what it was given, and parts are given at once.
  void sync_files(std::span<const std::string>) override {}
  void sync_names(std::span<const std::string>) override {}
  std::uint64_t held_bytes(std::uint64_t read) const override { return copies_ * read; }
  bool is_far() const override { return true; }
  std::optional<std::uint64_t> count_files() const override {
    return asked(name_, [&] {
      return nb::cast<std::optional<std::uint64_t>>(store_.attr("count_units")());
    });
  }

 private:
  // What is unfinished is never in the store.
  static bool is_part(const std::string& name) { return name.starts_with(".faro"); }
  std::string at(const std::string& name) const { return name_ + "/" + name; }

  std::string name_;
  nb::object store_;
  std::uint64_t copies_;
  mutable files::PosixFolder parts_;
};

}  // namespace

void bind_outside(nb::module_&) {
  disk::open_outside_by([](const std::string& name) -> std::shared_ptr<files::ChunkFolder> {
    const nb::gil_scoped_acquire lock;
    try {
      return std::make_shared<PythonFolder>(
          name, nb::module_::import_("faro._outside").attr("opened")(name));
    } catch (nb::python_error& error) {
      throw_again(error, ErrorCode::usage, name);
    }
  });
}

}  // namespace faro::python
