// Machines as words: printed as they are read, and refused with what may have been meant.
#include <gtest/gtest.h>

#include <sstream>

#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"

namespace faro {
namespace {

TEST(MachineText, every_machine_is_printed_as_it_is_written) {
  for (const char* text :
       {"cube:0", "cube:4", "cube:63", "cube:4,one-port", "mesh:8x8", "mesh:1", "mesh:1x1x2",
        "mesh:8x8,propagating", "mesh:8x8,all-links", "torus:8x8", "torus:8x8,all-links",
        "pops:8,4", "pops:3,7", "pops:8,4,multi-receive", "mesh:2^30x2^30", "pops:2^30,2^30"})
    EXPECT_EQ(to_string(machine_from(text)), text);
  EXPECT_EQ(to_string(machine_from("mesh:2^3x2^0")), "mesh:8x1");
}

TEST(MachineText, a_torus_is_a_mesh_that_wraps) {
  const Machine machine = machine_from("torus:4x16,all-links");
  EXPECT_EQ(machine, Machine(Mesh{{2, 4}, Mesh::Wrap::orthogonal, Mesh::Links::all}));
  EXPECT_EQ(address_bits(machine), 6);
  EXPECT_EQ(processors(machine), 64U);
  EXPECT_EQ(processors(machine_from("pops:3,7")), 21U);
  EXPECT_FALSE(address_bits(machine_from("pops:3,7")).has_value());
}

ErrorCode code_of(const char* text) {
  try {
    machine_from(text);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << text << " was taken";
  return ErrorCode::internal;
}

TEST(MachineText, what_may_have_been_meant_is_said) {
  for (const auto& [text, words] : std::vector<std::pair<const char*, const char*>>{
           {"cubes:4", "; did you mean 'cube:'? Machines"},
           {"hypercube:4", "; did you mean 'cube:'? Machines"},
           {"mesh:4x4,allinks", "; did you mean ',all-links'? Machines"},
           {"cube:4,oneport", "; did you mean ',one-port'? Machines"},
           {"quux:4", "wanted. Machines are written cube:4,"}})
    try {
      machine_from(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(MachineText, blanks_around_and_large_letters_are_read) {
  EXPECT_EQ(machine_from(" CUBE:4 "), machine_from("cube:4"));
  EXPECT_EQ(machine_from("Mesh:8x8"), machine_from("mesh:8x8"));
}

TEST(MachineText, what_is_no_machine_is_refused) {
  std::istringstream texts(
      "cube cube: cube:x cube:-1 cube:4, cube:4,two-port cube:04 mesh: mesh:3x4 mesh:8x "
      "mesh:8x8,wrapped mesh:0x4 mesh:3^2 torus:8x8,propagating pops:8 pops:0,4 "
      "pops:8,4, ring:8 cube:99999999999999999999");
  EXPECT_EQ(code_of(""), ErrorCode::usage);
  for (std::string text; texts >> text;) EXPECT_EQ(code_of(text.c_str()), ErrorCode::usage) << text;
  for (const char* text : {"cube:64", "mesh:2^64x2", "mesh:2^32x2^32", "pops:2^40,2^40"})
    EXPECT_EQ(code_of(text), ErrorCode::limit) << text;
}

}  // namespace
}  // namespace faro
