// Schedule files as they are documented.
#include <gtest/gtest.h>

#include "faro/schedules/json.hpp"
#include "schedules/written.hpp"

namespace faro {
namespace {

TEST(JsonWriter, a_cube_schedule_reads_as_documented) {
  RecordingSink s;
  s.header.machine = Hypercube{2, Hypercube::Ports::one};
  s.header.goal = MapGoal{BitMap::from_columns(std::vector<Word>{0b01, 0b11}), false, 0};
  s.header.map_text = "a:2 -> ungray(a)";
  s.header.elements = 1;
  s.header.slots = 2;
  s.header.planner = "sam\"ple";
  Cost cost;
  cost.steps = 1;
  cost.remote_moves = 2;
  s.header.cost = cost;
  s.header.bound = Bound{1, "distance", {}};
  s.cube_steps = {CubeStep{{{{{0b10, 1}}, 0, 0, 0}}, {{0, 0, 0, 1}}, {}, {}}, CubeStep{}};
  EXPECT_EQ(testing::written(s), R"json({"format":"faro-schedule/1",
"machine":{"kind":"hypercube","dimensions":2,"ports":"one"},
"map":"a:2 -> ungray(a)",
"elements":1,"slots":2,
"planner":"sam\"ple",
"cost":{"steps":1,"remote_moves":2},
"bound":{"value":1,"reason":"distance"},
"steps":[
{"rules":[{"if":[["0x2",1]],"slot":0,"across":0,"to":0}],"moves":[[0,0,0,1]]},
{"moves":[]}
]}
)json");
}

TEST(JsonWriter, large_numbers_are_decimal_strings_and_a_map_without_words_is_a_matrix) {
  RecordingSink s;
  s.header.machine = Hypercube{60, Hypercube::Ports::all};
  s.header.goal = MovesGoal{{{bit(53) - 1, 0, bit(53), 0}}};
  s.cube_steps = {};
  EXPECT_NE(testing::written(s).find(R"("goal":[[9007199254740991,0,"9007199254740992",0]])"),
            std::string::npos);
  s.header.goal =
      MapGoal{BitMap::from_columns(std::vector<Word>{0b01, 0b11, 0b100}, 0b101), true, 1};
  EXPECT_NE(testing::written(s).find(R"("map":"p:2 | m:1 -> matrix(0x4, 0x3, 0x1)(p m) ^ 0x5")"),
            std::string::npos);
}

TEST(JsonWriter, mesh_and_pops_schedules_read_as_documented) {
  RecordingSink mesh;
  mesh.header.machine = Mesh{{1, 2}, Mesh::Wrap::none, Mesh::Links::one_route};
  mesh.header.goal = MapGoal{BitMap::identity(3), false, 0};
  mesh.header.map_text = "identity:3";
  mesh.header.slots = 3;
  mesh.mesh_program = {MeshRoute{1, -1},
                       MeshCopy{MeshRegister::r, MeshRegister::s, {0b101, 0b001}, {}},
                       MeshSwap{MeshRegister::r, MeshRegister::t, {}, {{0b11, 1}}}};
  EXPECT_EQ(testing::written(mesh), R"json({"format":"faro-schedule/1",
"machine":{"kind":"mesh","shape":[2,4],"wrap":"none"},
"map":"identity:3",
"elements":1,"slots":3,
"program":[
{"op":"route","dim":1,"by":-1},
{"op":"copy","to":"Rr","from":"Rs","mask":"0x1"},
{"op":"swap","a":"Rr","b":"Rt","mask":"xxx","if":[["0x3",1]]}
]}
)json");
  RecordingSink pops;
  pops.header.machine = Pops{2, 2, true};
  pops.header.goal = MatmulGoal{2, 0, 1, 2};
  pops.header.slots = 4;
  pops.header.result = {2};
  PopsSlot slot;
  slot.sends = {{0, 0, {0, 1}}};
  slot.receives = {{1, 0, 3}};
  slot.rules = {{{}, 0, {{0b01, 0}, {0b10, 1}}, 1}};
  slot.operations = {{PopsOperation::Kind::multiply, 0, 2, 0, 1},
                     {PopsOperation::Kind::zero, 1, 2, 0, 0}};
  pops.pops_slots = {slot};
  EXPECT_EQ(testing::written(pops), R"json({"format":"faro-schedule/1",
"machine":{"kind":"pops","d":2,"g":2,"multi_receive":true},
"goal_spec":{"kind":"matmul","N":2,"a":0,"b":1,"c":2},
"elements":1,"slots":4,
"result":2,
"slots_list":[
{"sends":[[0,0,[0,1]]],"receives":[[1,0,3]],)json"
                                    R"json("rules":[{"if":[],"register":0,)json"
                                    R"json("to":[["0x1",0],["0x2",1]],"into":1}],)json"
                                    R"json("ops":[["mul",0,2,0,1],["zero",1,2]]}
]}
)json");
}

}  // namespace
}  // namespace faro
