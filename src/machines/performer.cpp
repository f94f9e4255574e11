// Which machine performs is known when the header comes.
#include "machines/performer.hpp"

#include "machines/by_header.hpp"
#include "schedules/machine_kind.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

class PerformerByHeader : public ByHeader<Performer> {
 public:
  using ByHeader::ByHeader;
  std::vector<std::byte> take_result() override { return sink().take_result(); }
};

}  // namespace

std::unique_ptr<Performer> make_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<PerformerByHeader>([=](const ScheduleHeader& header) {
    refuse_turns(header, "what is performed on data");
    return kind_of(header.machine).performer(data, element_bytes);
  });
}

}  // namespace faro::inline v1
