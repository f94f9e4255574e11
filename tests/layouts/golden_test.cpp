// Other systems' words beside the map that they mean.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faro/words/say.hpp"
#include "layouts/foreign.hpp"
#include "layouts/rearrangement.hpp"

namespace faro {
namespace {

struct Golden {
  const char* words;
  const char* shape;  // "" where the words say it
  const char* map;    // in the notation
};

ForeignSizes sizes_of(const Golden& golden) {
  ForeignSizes sizes;
  if (golden.shape[0] != '\0') sizes.shape = shape_from(golden.shape);
  return sizes;
}

const std::vector<Golden> golden_table = {
    {"numpy:np.transpose(a, (2, 0, 1))", "2x4x8", "a:1 b:2 c:3 -> c a b"},
    {"numpy:transpose(2, 0, 1)", "2x4x8", "a:1 b:2 c:3 -> c a b"},
    {"numpy:np.rot90(a)", "4x4", "r:2 c:2 -> ~c r"},
    {"numpy:np.fft.fftshift(a)", "4x8", "r:2 c:3 -> ~r[1] r[0] ~c[2] c[1:0]"},
    {"numpy:np.reshape(a, (8, 4), order='F')", "4x8", "r:2 c:3 -> c[0] r c[2:1]"},
    {"numpy:np.roll(a, 1)", "4", "i:2 -> i[1]^i[0] ~i[0]"},
    {"numpy:np.roll(a, 12)", "16", "i:4 -> i[3]^~i[2] ~i[2] i[1:0]"},
    {"numpy:np.flip(a, 1).T", "2x4", "r:1 c:2 -> ~c r"},
    {"numpy:a[::-1, :].T.ravel()", "2x4", "r:1 c:2 -> c ~r"},
    {"numpy:np.einsum('abc->cab', a)", "2x4x8", "a:1 b:2 c:3 -> c a b"},
    {"numpy:a.ravel('F')", "4x8", "r:2 c:3 -> c r"},
    {"numpy:np.moveaxis(a, 0, -1)", "2x4x8", "a:1 b:2 c:3 -> b c a"},
    {"strides:(4,8):(1,4)", "", "r:2 c:3 -> c r"},
    {"strides:(8,):(-1,)", "", "i:3 -> ~i"},
    {"strides:(4,8):(-64,8) itemsize 8", "", "r:2 c:3 -> ~r c"},
    {"einops:(a b) c -> c (b a), a=2", "8x4", "a:1 b:2 c:2 -> c b a"},
    {"einops:b c (h h1) (w w1) -> b (c h1 w1) h w, h1=2, w1=2", "2x2x4x4",
     "b:1 c:1 h:1 h1:1 w:1 w1:1 -> b c h1 w1 h w"},
    {"einops:... a b -> ... b a", "2x4x8", "x:1 a:2 b:3 -> x b a"},
    {"cute:Swizzle<3,3,3>", "", "i:9 -> i[8:6] i[8:6]^i[5:3] i[2:0]"},
    {"cute:Swizzle<3,4,3>", "", "i:10 -> i[9:7] i[9:7]^i[6:4] i[3:0]"},
    {"cute:Swizzle<2,1,-3>", "", "i:6 -> i[5:4]^i[2:1] i[3] i[2:0]"},
    {"cute:(4,(2,8)):(2,(1,8))", "", "i:6 -> i[5:3] i[1:0] i[2]"},
    {"cute:Sw<1,0,2> o 0 o (4,2):(2,1)", "", "i:3 -> i[1] i[0] i[2]^i[1]"},
    {"morton:pymorton.interleave(x, y)", "8x8", "y:3 x:3 -> zip(y, x)"},
    {"morton:interleave(y, x)", "8x8", "y:3 x:3 -> zip(x, y)"},
    {"morton:zip(y, x)", "8x8", "y:3 x:3 -> zip(y, x)"},
    {"morton:(x, y)", "8x8", "y:3 x:3 -> zip(x, y)"},
    {"morton:interleave(r, c)", "8x8", "r:3 c:3 -> zip(c, r)"},
    {"morton:interleave(x, y, z)", "4x4x4", "z:2 y:2 x:2 -> zip(z, y, x)"},
    {"morton:interleave(z, y, x)", "4x4x4", "z:2 y:2 x:2 -> zip(x, y, z)"},
    {"hpf:DISTRIBUTE A(CYCLIC(2)) ONTO P(4)", "32", "j:5 -> j[2:1] | j[4:3] j[0]"},
    {"hpf:DISTRIBUTE A(BLOCK, CYCLIC) ONTO P(2,4)", "8x16",
     "r:3 c:4 -> r[2] c[1:0] | r[1:0] c[3:2]"},
    {"scalapack:M=8 N=8 MB=2 NB=1 grid=2x4", "", "r:3 c:3 -> r[1] c[1:0] | c[2] r[2] r[0]"},
    {"scalapack:M=8 N=8 MB=2 NB=1 RSRC=1 CSRC=1 grid=2x4", "",
     "r:3 c:3 -> ~r[1] c[1]^c[0] ~c[0] | c[2] r[2] r[0]"},
    {"fft:(4,4,4)", "", "a:2 b:2 c:2 -> c b a"},
    {"fft:(8,4)", "", "b:2 a:3 -> a b"},
    {"fft:radix-4", "64", "a:2 b:2 c:2 -> c b a"},
    {"walsh:natural->sequency", "8", "i:3 -> ungray(rev(i))"},
    {"walsh:dyadic->sequency", "16", "i:4 -> ungray(i)"},
    {"zarr:chunks (4,2)", "8x8", "r:3 c:3 -> r[2] c[2:1] | r[1:0] c[0]"},
    {"sdy:<[\"x\"=4]> [{\"x\":(1)2}, {\"x\":(2)2}]", "2x4", "r:1 c:2 -> r c[1] | c[0]"},
    {"sdy:<[\"x\"=2, \"y\"=4, \"z\"=2]> [{\"x\"}, {\"z\", \"y\"}]", "4x8",
     "r:2 c:3 -> r[1] c[1:0] c[2] | r[0]"},
    {"sdy:sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]> #sdy.sharding<@mesh, [{\"y\", ?}p1, {\"x\"}]>",
     "8x8", "r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0]"},
    {"jax:mesh x=4 y=2, P('y', 'x')", "8x8", "r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0]"},
    {"jax:NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), "
     "spec=PartitionSpec('y', 'x'), memory_kind=device)",
     "8x8", "r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0]"},
    {"xla:{devices=[2,1,4]<=[4,2]T(1,0)}", "4x2x8", "a:2 b:1 c:3 -> c[2:1] a[1] | a[0] b c[0]"},
    {"xla:{devices=[1,8,1]<=[8]}", "2x8x2", "a:1 b:3 c:1 -> b | a c"},
    {"xla:{devices=[4]0,1,3,2}", "16", "i:4 -> gray(i[3:2]) | i[1:0]"},
    {"xla:{mesh['a'=2,'b'=4], [{'b'}, {'a'}]}", "4x4", "r:2 c:2 -> c[1] r | c[0]"},
    {"dtensor:(2,2) [_StridedShard(0, sf=2), Shard(0)]", "8x2", "r:3 c:1 -> r[1] r[2] | r[0] c"},
    {"dtensor:(2,4) [Shard(1), Shard(0)]", "8x4", "r:3 c:2 -> c[1] r[2:1] | r[0] c[0]"},
    {"dtensor:DeviceMesh([[0, 1], [2, 3]]) [Shard(dim=0), Shard(dim=-1)]", "4x4",
     "r:2 c:2 -> r[1] c[1] | r[0] c[0]"},
    {"qiskit:qubits 3; cx(0, 1)", "", "q2:1 q1:1 q0:1 -> q2 q1^q0 q0"},
    {"qiskit:qubits 4; [['cx', 3, 2], ['cx', 2, 1], ['cx', 1, 0]]", "", "i:4 -> ungray(i)"},
    {"qiskit:PermutationGate([1, 2, 0])", "", "q2:1 q1:1 q0:1 -> q0 q2 q1"},
    {"cirq:QubitPermutationGate([1, 2, 0])", "", "q0:1 q1:1 q2:1 -> q2 q0 q1"},
    {"cirq:qubits 3; CNOT(q0, q1)", "", "q0:1 q1:1 q2:1 -> q0 q1^q0 q2"},
    {"qasm:OPENQASM 2.0; include \"qelib1.inc\"; qreg q[3]; cx q[0],q[1]; x q[2];", "",
     "q2:1 q1:1 q0:1 -> ~q2 q1^q0 q0"},
    {"qasm:// by hand\nOPENQASM 2.0; /* two\nlines */ qreg q[3]; // q\ncx q[0],q[1]; x q[2];//", "",
     "q2:1 q1:1 q0:1 -> ~q2 q1^q0 q0"},
    {"qiskit:# first\nqubits 3; cx(0, 1); x(2) # last", "", "q2:1 q1:1 q0:1 -> ~q2 q1^q0 q0"},
    {"qasm3:OPENQASM 3.0; include \"stdgates.inc\"; qubit[3] q; cx q[0], q[1]; x q[2];", "",
     "q2:1 q1:1 q0:1 -> ~q2 q1^q0 q0"},
    {"quirk:{\"cols\":[[\"•\",\"X\"],[1,1,\"X\"]]}", "", "q2:1 q1:1 q0:1 -> ~q2 q1^q0 q0"},
    {"quirk:{\"cols\":[[\"◦\",\"X\"],[\"Swap\",1,\"Swap\"]]}", "",
     "q2:1 q1:1 q0:1 -> q0 q1^~q0 q2"},
    {"quirk:https://algassert.com/"
     "quirk#circuit=%7B%22cols%22:%5B%5B%22%E2%80%A2%22,1,%22X%22%5D%5D%7D",
     "", "q2:1 q1:1 q0:1 -> q2^q0 q1 q0"},
    {"custatevec:swaps (0,2)", "8", "i:3 -> rev(i)"},
    {"custatevec:scatter [1, 2, 0]", "", "i:3 -> i[1:0] i[2]"},
    {"custatevec:gather [1, 2, 0]", "", "i:3 -> i[0] i[2:1]"},
    {"triton:{register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [], block = []}", "2x4",
     "r:1 c:2 -> r c[1] | c[0]"},
};

const std::vector<Golden>& goldens() {
  return golden_table;
}

TEST(Foreign, golden_examples_mean_their_maps) {
  for (const Golden& golden : goldens()) {
    SCOPED_TRACE(golden.words);
    try {
      const ForeignLayout layout = read_foreign(golden.words, sizes_of(golden));
      const Notation wanted = say(golden.map).as_bits();
      EXPECT_EQ(to_notation(layout.notation.map), to_notation(wanted.map));
      EXPECT_EQ(layout.notation.cut, wanted.cut);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// What a system writes it reads, and means the same; what it refuses it refuses by name.
TEST(Foreign, writers_round_trip) {
  int written = 0;
  int refused = 0;
  for (const Golden& golden : goldens()) {
    const ForeignSizes sizes = sizes_of(golden);
    const ForeignLayout layout = read_foreign(golden.words, sizes);
    for (const ForeignSystem& system : foreign_systems()) {
      if (!system.writes || system.name == std::string("c")) continue;
      SCOPED_TRACE(std::string(golden.words) + " as " + system.name);
      std::string words;
      try {
        words = write_foreign(system.name, layout);
      } catch (const NotExpressible& error) {
        EXPECT_EQ(error.system(), system.name) << error.what();
        ++refused;
        continue;
      }
      ForeignSizes back = sizes;
      if (back.shape.empty()) back.shape = layout.shape;
      if (back.shape.empty()) back.width = layout.notation.map.width();
      try {
        const ForeignLayout again = read_foreign(std::string(system.name) + ": " + words, back);
        EXPECT_EQ(to_notation(again.notation.map), to_notation(layout.notation.map)) << words;
        ++written;
      } catch (const Error& error) {
        ADD_FAILURE() << words << "\n" << error.what();
      }
    }
  }
  EXPECT_GT(written, 250);
  EXPECT_GT(refused, 50);
}

TEST(Rearrangement, splits_transposes_and_joins_axes_of_any_length) {
  const Rearrangement r = einops_rearrangement("(a b) c -> c (b a), a=2", {6, 4});
  EXPECT_EQ(r.split, (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(r.order, (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(r.joined, (std::vector<std::uint64_t>{4, 6}));
  const Rearrangement dots = einops_rearrangement("... h w -> h ... 1 w", {5, 7, 3, 9});
  EXPECT_EQ(dots.order, (std::vector<std::size_t>{2, 0, 1, 3}));
  EXPECT_EQ(dots.joined, (std::vector<std::uint64_t>{3, 5, 7, 1, 9}));
  EXPECT_THROW(einops_rearrangement("a b -> b", {2, 3}), NotationError);
  EXPECT_THROW(einops_rearrangement("(a b) -> b a", {6}), NotationError);
  EXPECT_THROW(einops_rearrangement("(a b) -> b a, a=4", {6}), NotationError);
  EXPECT_THROW(einops_rearrangement("a b -> b a", {6}), NotationError);
}

TEST(Foreign, examples_of_the_table_are_read) {
  int read = 0;
  for (const ForeignSystem& system : foreign_systems()) {
    if (system.example[0] == '\0') continue;
    ForeignSizes sizes;
    if (system.example_shape[0] != '\0') sizes.shape = shape_from(system.example_shape);
    EXPECT_NO_THROW(read_foreign(std::string(system.name) + ": " + system.example, sizes))
        << system.name;
    ++read;
  }
  EXPECT_EQ(read, 21);
}

}  // namespace
}  // namespace faro
