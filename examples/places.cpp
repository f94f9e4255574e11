// What a transpose of 721 x 1440 floats takes in memory, and in files within two amounts of memory.
#include <faro/faro.hpp>
#include <iostream>
int main() {
  const faro::MoveRequest transpose{
      .words = "r c -> c r", .shape = {{721, 1440}}, .element_bytes = 4};
  for (const char* place : {"memory", "disk:memory=80MiB"}) {
    const faro::PlacedPlan planned = faro::plan(transpose, place);
    std::cout << place << ": " << to_string(planned.cost()) << ' ' << planned.unit()
              << ", at least " << to_string(planned.bound()) << '\n';
  }
}
