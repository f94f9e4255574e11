// A planner of one's own: it is asked for by its name, and judged as the library's own are.
#include <bit>
#include <faro/faro.hpp>
#include <iostream>

// Moves what is to go from p to p ^ c: over the dimensions in c, one after the other.
class Flips : public faro::Planner {
 public:
  const faro::About& about() const override {
    static const faro::About about{.name = "flips",
                                   .machine = "cube",
                                   .title = "element by element over each flipped dimension",
                                   .needs = "a map that flips bits and moves none",
                                   .cost = "K times the flipped bits",
                                   .citation = "this example"};
    return about;
  }

  std::optional<std::string> refusal(const faro::Request& request) const override {
    const faro::BitMap& map = request.map().map;
    if (request.is_map() && map.matrix() == faro::BitMatrix::identity(map.width())) return {};
    return "it flips bits and does nothing else";
  }

  faro::Offer offer(const faro::Request& request) const override {
    const faro::Word flipped = request.map().map.complement();
    const auto bits = static_cast<unsigned>(std::popcount(flipped));
    return {.estimate = {.cost = {request.elements() * bits, "K w"}},
            .push = [request, flipped](faro::ScheduleSink& sink) {
              sink.begin(faro::header_of(request, "flips", request.elements()));
              for (faro::Slot slot = 0; slot < request.elements(); ++slot)
                for (int d = 0; d < request.map().map.width(); ++d)
                  if (faro::has_bit(flipped, d)) {
                    faro::CubeStep step;  // every processor: slot across d into the same slot
                    step.rules.push_back({.from = slot, .across = d, .to = slot});
                    sink.step(step);
                  }
              sink.finish();
            }};
  }
};

int main() {
  const Flips flips;
  const faro::MachinePlan own = faro::plan(
      "i:4 -> i ^ 5", "cube:4", {.elements = 3, .algorithm = "flips", .planners = {&flips}});
  std::cout << own.planner() << ' ' << own.cost().steps << ' ' << own.ok() << '\n';
  const faro::MachinePlan best =
      faro::plan("i:4 -> i ^ 5", "cube:4", {.elements = 3, .planners = {&flips}});
  std::cout << best.planner() << ' ' << best.cost().steps << ' ' << best.ok() << '\n';
}
