// A program that finds the installed library by find_package and uses it.
#include <faro/engine/permute_plan.hpp>
#include <faro/words/say.hpp>
#include <iostream>
#include <vector>

int main() {
  const faro::Notation notation = faro::say("i:4 -> rev(i)").as_bits();
  std::vector<int> from(16);
  std::vector<int> to(16);
  from[1] = 1;
  faro::permute<int>(notation.map, from, to);
  if (to[8] != 1) return 1;
  std::cout << faro::to_notation(notation.map) << " sends 1 to " << notation.map(1) << "\n";
}
