// The program; all that it does is in run_program.
#include "cli/command.hpp"

int main(int argc, char** argv) {
  return faro::cli::run_program(argc, argv);
}
