// A schedule read from a file, step by step, into a sink of one's own: own_sink FILE.json
#include <faro/faro.hpp>
#include <iostream>
#include <set>

// Says which dimensions of the cube each step uses.
class Dimensions : public faro::ScheduleSink {
 public:
  void begin(const faro::ScheduleHeader& header) override {
    std::cout << faro::to_string(header.machine) << ", " << header.elements
              << " elements in each processor, by " << header.planner << '\n';
  }
  void step(const faro::CubeStep& step) override {
    std::set<int> used;
    for (const faro::Rule& rule : step.rules)
      if (rule.across != faro::inside) used.insert(rule.across);
    std::cout << "step " << ++steps_ << ':';
    for (const int dimension : used) std::cout << ' ' << dimension;
    std::cout << (used.empty() ? " inside the processors\n" : "\n");
    remote_ += used.empty() ? 0 : 1;
  }
  void finish() override { std::cout << remote_ << " of " << steps_ << " steps over links\n"; }

 private:
  int steps_ = 0;
  int remote_ = 0;
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Dimensions sink;
  try {
    faro::read_schedule(argv[1], sink);
  } catch (const faro::Error& error) {
    std::cerr << error.what() << '\n';
    return faro::exit_code(error.code());
  }
}
