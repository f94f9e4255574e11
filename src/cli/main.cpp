#include "cli/command.hpp"

int main(int argc, char** argv) {
  return faro::cli::run_program(argc, argv);
}
