/* Prints where the elements 0 to 3 go under bit reversal of two bits: "0 2 1 3". */
#include <faro/c/faro.h>
#include <stdio.h>

int main(void) {
  const int places[2] = {1, 0};
  faro_map* map = NULL;
  if (faro_map_from_places(2, places, 0, &map) != FARO_OK) {
    puts(faro_last_error());
    return 1;
  }
  for (int i = 0; i < 4; ++i)
    printf("%d%c", (int)faro_map_apply(map, (uint64_t)i), i == 3 ? '\n' : ' ');
  faro_map_free(map);
  return 0;
}
