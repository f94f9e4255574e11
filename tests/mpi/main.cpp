// All ranks run the same tests; rank 0 speaks, the others where they find something wrong.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    testing::GTEST_FLAG(brief) = true;
    testing::GTEST_FLAG(output) = "";
  }
  int failed = RUN_ALL_TESTS();
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const auto* unit = testing::UnitTest::GetInstance();
  if (rank == 0) {
    std::printf("%d passed, %d failed\n", unit->successful_test_count(),
                any == 0 ? 0 : std::max(1, unit->failed_test_count()));
  }
  MPI_Finalize();
  return any;
}
