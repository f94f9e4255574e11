/* The header is C, and a C program links with the shared library alone. */
#include <stdio.h>
#include <string.h>

#include "faro/c/faro.h"
#include "faro/c/files.h"

int main(void) {
  const int places[2] = {1, 0};
  const char from[4] = {'a', 'b', 'c', 'd'};
  char to[4];
  char* json = NULL;
  faro_map* map = NULL;
  faro_plan* plan = NULL;
  if (faro_map_from_places(2, places, 0, &map) != FARO_OK ||
      faro_plan_create(map, NULL, &plan) != FARO_OK ||
      faro_plan_execute(plan, from, to, sizeof to) != FARO_OK) {
    puts(faro_last_error());
    return 1;
  }
  faro_plan_free(plan);
  faro_file_options options = FARO_FILE_OPTIONS;
  faro_file_plan* file_plan = NULL;
  faro_file_facts facts = FARO_FILE_FACTS;
  options.element_bytes = 8;
  if (faro_file_plan_create(map, &options, &file_plan) != FARO_OK ||
      faro_file_plan_get_facts(file_plan, &facts) != FARO_OK || facts.data_bytes != 32) {
    puts(faro_last_error());
    return 1;
  }
  faro_file_plan_free(file_plan);
  faro_map_free(map);
  if (faro_plan_machine("i:4 -> rev(i)", "cube:4", 1, "", &json) != FARO_OK ||
      strstr(json, "faro-plan/1") == NULL) {
    puts(faro_last_error());
    return 1;
  }
  faro_text_free(json);
  return memcmp(to, "acbd", 4) == 0 ? 0 : 1;
}
