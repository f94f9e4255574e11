// A program that finds the installed component for MPI and plans an exchange.
#include <cstdio>
#include <faro/mpi/mpi_plan.hpp>
#include <faro/words/say.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    faro::MpiPlan plan(MPI_COMM_WORLD, faro::say("i:4 -> rev(i)").map.as_bits(), 1);
    if (rank == 0) {
      std::printf("moved %d of 16\n", static_cast<int>(plan.plan().cost().ranks.moved_bytes));
    }
  }
  MPI_Finalize();
}
