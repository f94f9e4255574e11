#include <faro/faro.hpp>  // read, permute one axis, write
int main() {
  faro::Array a = faro::read_npy("x.npy");           // shape (3, 1024, 5), any type and order
  faro::permute(a, "i:10 -> gray(i)", {.axis = 1});  // refuses a length that is not 2^10, naming it
  faro::write_npy("y.npy", a);
}
