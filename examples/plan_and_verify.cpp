// A proved schedule for 64 processors, written to a file and judged again from there.
#include <faro/faro.hpp>
#include <iostream>
int main() {
  const faro::MachinePlan plan = faro::plan("a:6 -> ungray(a)", "cube:6", {.elements = 100});
  std::cout << plan.cost().steps << ' ' << plan.bound().value << ' ' << plan.planner() << ' '
            << plan.ok() << '\n';
  plan.write("s.json");  // streamed, safely replaced
  const faro::Verdict verdict = faro::verify_file("s.json");
  std::cout << verdict.ok() << ' ' << plan.fingerprint() << '\n';
}
