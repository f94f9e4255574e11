// What is no affine map is refused by name, in these words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faro/words/say.hpp"
#include "layouts/foreign.hpp"

namespace faro {
namespace {

ForeignLayout layout_of(const char* words) {
  ForeignLayout layout;
  layout.notation = say(words).as_bits();
  if (layout.notation.map.width() == 4) layout.shape = {4, 4};
  return layout;
}

struct Refusal {
  const char* words;
  const char* shape;
  LayoutFault fault;
  const char* message;  // a part of it
};

TEST(Foreign, refusals_name_their_reason) {
  const std::vector<Refusal> table = {
      {"dtensor:(4,) [Shard(0)]", "10x2", LayoutFault::uneven,
       "dtensor: axis 0 of 10 over 4 ranks: they hold 3, 3, 3, 1 (uneven); 8, 12* or 16 would be "
       "even (* 12 is no power of two)"},
      {"dtensor:(2,) [Partial()]", "8", LayoutFault::partial, "must be added"},
      {"dtensor:(3,) [Shard(0)]", "9", LayoutFault::size, "3, no power of two"},
      {"xla:{manual}", "8", LayoutFault::manual,
       "xla: {manual}: each device holds what its program says; there is no array to place"},
      {"xla:{devices=[2,2]<=[4] last_tile_dims={manual}}", "8", LayoutFault::manual, "manual"},
      {"xla:{devices=[4]<=[4]}", "10", LayoutFault::uneven, "3, 3, 3, 1"},
      {"xla:{devices=[3]0,1,2}", "12", LayoutFault::size, "3, no power of two"},
      {"xla:{maximal device=2}", "4x4", LayoutFault::uneven,
       "device 2 holds all elements and every other device none"},
      {"xla:{maximal device=0}", "8", LayoutFault::uneven, "device 0 holds all"},
      {"xla:{unknown}", "8", LayoutFault::unknown, "does not say"},
      {"xla:{unreduced}", "8", LayoutFault::partial, "added"},
      {"sdy:<[\"x\"=2]> [{}], unreduced={\"x\"}", "8", LayoutFault::partial,
       "unreduced={\"x\"}: the values along x must be added; faro moves data"},
      {"einops:h w c -> w h c", "2x3x4", LayoutFault::size,
       "einops: 'h w c -> w h c': w has 3 elements; a bit map moves 2^p. It could stay as the "
       "first "
       "or the last axis"},
      {"cute:(4,8):(9,1)", "", LayoutFault::holes,
       "cute: (4,8):(9,1): offset 32 >= 32 elements: padded pitch (holes)"},
      {"cute:(4,8):(0,1)", "", LayoutFault::overlap, "stride 0"},
      {"cute:(4,4):(1,2)", "", LayoutFault::overlap, "carry"},
      {"cute:(3,4)", "", LayoutFault::size, "3, no power of two"},
      {"triton:{register = [[1]], lane = [[1]]}", "2", LayoutFault::size, ""},
      {"triton:{register = [[1]], lane = [[2]]}", "8", LayoutFault::holes, "3 index bits"},
      {"strides:(4,4):(1,1)", "", LayoutFault::overlap, "stored twice"},
      {"strides:(4,4):(8,1)", "", LayoutFault::holes, "holes"},
      {"strides:(4,4):(0,1)", "", LayoutFault::overlap, "stride 0"},
      {"numpy:np.roll(a, 1)", "8", LayoutFault::adds, "adds with carries"},
      {"numpy:a[::2]", "8", LayoutFault::holes, "leaves elements out"},
      {"numpy:a.T", "4x6", LayoutFault::size, "6, no power of two"},
      {"scalapack:M=16 N=8 MB=1 NB=1 RSRC=1 grid=8x1", "", LayoutFault::adds, "carries"},
      {"hpf:DISTRIBUTE A(BLOCK) ONTO P(4)", "10", LayoutFault::uneven, "uneven"},
      {"zarr:(4,)", "10", LayoutFault::uneven, "ragged"},
      {"morton:interleave(x, y)", "4x8", LayoutFault::uneven, "differ"},
      {"fft:halfcomplex", "8", LayoutFault::adds, "adds"},
      {"qiskit:h(0)", "", LayoutFault::unknown, "no permutation"},
      {"custatevec:swaps (0,1), mask 2", "8", LayoutFault::holes, "mask"},
      {"jax:mesh x=2, P(P.UNCONSTRAINED)", "8", LayoutFault::unknown, "decides"},
  };
  for (const Refusal& refusal : table) {
    SCOPED_TRACE(refusal.words);
    ForeignSizes sizes;
    if (refusal.shape[0] != '\0') sizes.shape = shape_from(refusal.shape);
    // Two registers that hold the same element are a copy, no refusal.
    if (refusal.message[0] == '\0') {
      EXPECT_EQ(read_foreign(refusal.words, sizes).replica_bits, 1);
      continue;
    }
    try {
      read_foreign(refusal.words, sizes);
      ADD_FAILURE() << "was read";
    } catch (const NotExpressible& error) {
      EXPECT_STREQ(name_of(error.fault()), name_of(refusal.fault)) << error.what();
      EXPECT_NE(std::string(error.what()).find(refusal.message), std::string::npos) << error.what();
    }
  }
}

// One device says nothing of how its memory is ordered, so XLA's words say C order alone.
TEST(Foreign, xla_says_of_one_device_only_an_array_in_c_order) {
  EXPECT_EQ(write_foreign("xla", layout_of("r:2 c:2 -> | r c")), "{replicated}");
  try {
    write_foreign("xla", layout_of("r:2 c:2 -> | c r"));
    ADD_FAILURE() << "was written";
  } catch (const NotExpressible& error) {
    EXPECT_NE(std::string(error.what()).find("C order"), std::string::npos) << error.what();
  }
}

// An index of 64 bits is a map, but no system here counts so many elements.
TEST(Foreign, arrays_of_2_to_the_64_elements_are_written_by_no_system_that_needs_a_shape) {
  for (const char* system : {"numpy", "einops", "cute", "triton", "c"}) {
    SCOPED_TRACE(system);
    try {
      write_foreign(system, layout_of("r:0 c:64 -> c"));
      ADD_FAILURE() << "was written";
    } catch (const NotExpressible& error) {
      EXPECT_EQ(error.fault(), LayoutFault::size) << error.what();
    }
  }
}

TEST(Foreign, lists_and_gates_that_are_not_affine_name_the_index_that_denies_it) {
  try {
    read_foreign("xla:{devices=[8]0,1,2,3,4,5,7,6}", {{8}, {}, {}});
    ADD_FAILURE() << "was read";
  } catch (const NotAffine& error) {
    EXPECT_EQ(error.index(), 6U);
    EXPECT_EQ(error.got(), 7U);
    EXPECT_EQ(error.expected(), 6U);
    EXPECT_STREQ(
        error.what(),
        "xla: devices 0,1,2,3,4,5,7,6 are no bit map: tile 6 is on 7; tiles 0, 2, 4 say 6. "
        "As destinations: faro plan --destinations");
  }
  try {
    read_foreign("qiskit:x(0); x(1); ccx(0, 1, 2)");
    ADD_FAILURE() << "was read";
  } catch (const NotAffine& error) {
    EXPECT_STREQ(error.what(),
                 "qiskit: ccx at gate 3: a permutation, but not affine: amplitude 3 goes to 7; the "
                 "images of 0, 1 and 2 say 3");
  }
}

TEST(Foreign, faults_of_writing_have_a_column) {
  struct Fault {
    const char* words;
    const char* shape;
    std::size_t at;
  };
  const std::vector<Fault> table = {
      {"xla:{devices=[4,2]<=[8]T(1)}", "8x8", 24},
      {"xla:{devices=[2]<=[4]}", "8", 13},
      {"xla:{devices=[2]0,1,2}", "8", 20},
      {"jax:mesh x=2, P('y')", "8", 16},
      {"xla:nothing", "8", 4},
      {"einops:a b -> a c", "2x2", 0},
      {"qiskit:cx(0, 0)", "", 7},
      {"cute:Swizzle<3,3,2>", "", 12},
      {"dtensor:(2,) [Shard(3)]", "8", 20},
      {"nosuch:{}", "8", 0},
      {"sdy:<[\"x\"=2]> [{\"x\":(4)2}]", "8", 16},
  };
  for (const Fault& fault : table) {
    SCOPED_TRACE(fault.words);
    ForeignSizes sizes;
    if (fault.shape[0] != '\0') sizes.shape = shape_from(fault.shape);
    try {
      read_foreign(fault.words, sizes);
      ADD_FAILURE() << "was read";
    } catch (const NotationError& error) {
      EXPECT_EQ(error.at(), fault.at) << error.what();
    }
  }
}

}  // namespace
}  // namespace faro
