#include "faro/machines/run/performer.hpp"

#include "faro/base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/run/cube.hpp"
#include "faro/machines/run/mesh.hpp"
#include "faro/machines/run/pops_performer.hpp"

namespace faro {
namespace {

// The one table of simulated machines.
std::unique_ptr<Performer> performer_for(const ScheduleHeader& header,
                                         std::span<const std::byte> data,
                                         std::size_t element_bytes) {
  if (std::holds_alternative<Hypercube>(header.machine)) return cube_performer(data, element_bytes);
  if (std::holds_alternative<Pops>(header.machine)) return make_pops_performer(data, element_bytes);
  if (const auto* mesh = std::get_if<Mesh>(&header.machine))
    return mesh->links == Mesh::Links::one_route ? mesh_performer(data, element_bytes)
                                                 : links_performer(data, element_bytes);
  throw Error(ErrorCode::impossible, "there is no simulated machine of this kind");
}

// Becomes the machine when the header comes.
class ByHeader : public Performer {
 public:
  ByHeader(std::span<const std::byte> data, std::size_t element_bytes)
      : data_(data), element_bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override {
    performer_ = performer_for(header, data_, element_bytes_);
    performer_->begin(header);
  }
  void step(const CubeStep& step) override { performer().step(step); }
  void step(const MeshInstruction& instruction) override { performer().step(instruction); }
  void step(const PopsSlot& slot) override { performer().step(slot); }
  void finish() override { performer().finish(); }
  std::vector<std::byte> take_result() override { return performer().take_result(); }

 private:
  Performer& performer() {
    FARO_CHECK(performer_ != nullptr);
    return *performer_;
  }

  std::span<const std::byte> data_;
  std::size_t element_bytes_;
  std::unique_ptr<Performer> performer_;
};

}  // namespace

std::unique_ptr<Performer> make_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<ByHeader>(data, element_bytes);
}

}  // namespace faro
