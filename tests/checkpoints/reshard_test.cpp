// Resharding on a disk that fails and forgets, at every operation, and what a run leaves behind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>

#include "base/random.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/reshard_run.hpp"
#include "disk/simulated_storage.hpp"
#include "faro/base/error.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/scratch.hpp"
#include "full.hpp"

namespace faro::checkpoints {
namespace {

using testing::PowerCut;
using testing::Scratch;
using testing::SimulatedDisk;
using testing::SimulatedFile;

struct Element {
  const char* name;
  std::vector<std::uint64_t> shape;
};
const std::vector<Element> small_llama = {
    {"model.embed_tokens.weight", {10, 8}},
    {"model.norm.weight", {8}},
    {"lm_head.weight", {10, 8}},
    {"model.layers.0.self_attn.q_proj.weight", {8, 8}},
    {"model.layers.0.self_attn.k_proj.weight", {4, 8}},
    {"model.layers.0.self_attn.v_proj.weight", {4, 8}},
    {"model.layers.0.self_attn.o_proj.weight", {8, 8}},
    {"model.layers.0.mlp.gate_proj.weight", {12, 8}},
    {"model.layers.0.mlp.up_proj.weight", {12, 8}},
    {"model.layers.0.mlp.down_proj.weight", {8, 12}},
    {"model.layers.0.mlp.down_proj.bias", {0}},
};

// A whole checkpoint of 2 bytes an element, each another number.
void write_whole(const std::string& path, const std::vector<Element>& elements) {
  SafeHeader header;
  for (const Element& one : elements)
    header.tensors.push_back({one.name, find_type("BF16"), one.shape});
  lay_out(header.tensors, path);
  std::ofstream file(path, std::ios::binary);
  file << safetensors_bytes(header);
  const std::uint64_t count = header.tensors.empty() ? 0 : header.tensors.back().end / 2;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint16_t>(i + 1);
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SimulatedFiles : public ReshardFiles {
 public:
  SimulatedFiles(SimulatedDisk& disk, std::string held) : disk_(disk), held_(std::move(held)) {}
  std::unique_ptr<RandomFile> open_held(const std::string& name) override {
    return open_random_file(held_ + "/" + name, {.io = FileIo::buffered});
  }
  std::unique_ptr<RandomFile> open_made(const std::string& name) override {
    if (!disk_.find("made/" + name)) disk_.operate();
    return std::make_unique<SimulatedFile>(disk_, "made/" + name);
  }
  void sync_names() override {
    disk_.operate();
    disk_.sync_names();
  }

 private:
  SimulatedDisk& disk_;
  std::string held_;
};

struct Case {
  Scratch scratch;
  ReshardPlan plan;

  Case() {
    write_whole(scratch.path("model.safetensors"), small_llama);
    plan = make_plan({.in = scratch.path(),
                      .from = "whole",
                      .to = "llama:tp=4,heads=4,kv_heads=2,pad=4,fused",
                      .from_names = std::string(rank_file_names),
                      .to_names = std::string(rank_file_names),
                      .memory_bytes = 1ULL << 30U,
                      .file_bytes = 200,
                      .threads = 1,
                      .slab_bytes = 64});
    plan.noted_bytes = 300;
  }

  // Begins, or goes on with what is on the disk. How many jobs were done before.
  std::uint64_t run(SimulatedDisk& disk, bool verify) {
    SimulatedFile file(disk, "journal");
    disk::BoxJournal journal(file);
    if (journal.is_blank()) {
      SimulatedFiles(disk, scratch.path()).sync_names();
      journal.begin("{}");
    }
    SimulatedFiles files(disk, scratch.path());
    ReshardRun whole(plan, files);
    whole.run(journal, {});
    if (verify) whole.verify({});
    return whole.resumed_jobs();
  }

  std::map<std::string, std::vector<std::byte>> made(SimulatedDisk& disk) const {
    std::map<std::string, std::vector<std::byte>> all;
    for (const MadeFile& file : plan.made) all[file.name] = disk.find("made/" + file.name)->durable;
    return all;
  }
};

TEST(Reshard, power_cut_at_every_operation_loses_nothing) {
  Case one;
  ASSERT_GT(one.plan.jobs.size(), 15U);
  SimulatedDisk whole;
  one.run(whole, true);
  const auto wanted = one.made(whole);
  const std::uint64_t operations = whole.operations();
  ASSERT_GT(operations, 60U);
  Random random(23);
  std::uint64_t went_on = 0;
  const std::uint64_t step = testing::sanitized() ? 7 : 1;
  for (std::uint64_t at = 1; at <= operations; at += step) {
    SimulatedDisk disk;
    disk.arm(SimulatedDisk::Fault::power, at);
    EXPECT_THROW(one.run(disk, false), PowerCut) << at;
    disk.restart(random);
    if (at % 3 == 0) {  // and once more on the way
      disk.arm(SimulatedDisk::Fault::power, 1 + random.below(20));
      try {
        one.run(disk, false);
      } catch (const PowerCut&) {
      }
      disk.restart(random);
    }
    if (one.run(disk, true) != 0) ++went_on;
    EXPECT_EQ(one.made(disk), wanted) << "seed 23, operation " << at;
  }
  EXPECT_GT(went_on, operations / (3 * step));
}

TEST(Reshard, an_error_at_every_operation_reaches_the_caller) {
  Case one;
  SimulatedDisk whole;
  one.run(whole, false);
  for (std::uint64_t at = 1; at <= whole.operations(); at += 5) {
    SimulatedDisk disk;
    disk.arm(SimulatedDisk::Fault::error, at);
    EXPECT_THROW(one.run(disk, false), Error) << at;
    disk.disarm();
    one.run(disk, true);
    EXPECT_EQ(one.made(disk), one.made(whole));
  }
}

TEST(Reshard, files_that_were_damaged_are_found_by_verifying) {
  Case one;
  SimulatedDisk disk;
  one.run(disk, true);
  std::uint64_t found = 0;
  for (const MadeFile& made : one.plan.made) {
    SimulatedFile file(disk, "made/" + made.name);
    std::byte last;
    file.read(made.bytes - 1, {&last, 1});
    const std::byte wrong = last ^ std::byte{1};
    file.write(made.bytes - 1, {&wrong, 1});
    try {
      one.run(disk, true);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::refused);
      ++found;
    }
    file.write(made.bytes - 1, {&last, 1});
  }
  // The last byte of a file may be padding, which no tensor has.
  EXPECT_GE(found + 2, one.plan.made.size());
  one.run(disk, true);
}

TEST(Reshard, more_files_than_may_be_open_at_once) {
  const Scratch scratch;
  write_whole(scratch.path("model.safetensors"),
              {{"a", {600, 3}}, {"b", {600}}, {"c", {7}}, {"d", {2, 600}}});
  std::ofstream(scratch.path("many.layout")) << "a shard 0\nb shard 0\nc copy\nd shard 1\n";
  const ReshardPlan plan = make_plan({.in = scratch.path(),
                                      .from = "whole",
                                      .to = scratch.path("many.layout") + ":tp=300",
                                      .from_names = std::string(rank_file_names),
                                      .to_names = std::string(rank_file_names),
                                      .memory_bytes = 1ULL << 30U,
                                      .file_bytes = 1ULL << 30U,
                                      .threads = 1,
                                      .slab_bytes = 0});
  SimulatedDisk disk;
  SimulatedFile file(disk, "journal");
  disk::BoxJournal journal(file);
  journal.begin("{}");
  SimulatedFiles files(disk, scratch.path());
  ReshardRun run(plan, files);
  run.run(journal, {});
  run.verify({});
  ASSERT_EQ(plan.made.size(), 300U);
  // Element i of the input, in the order of its file, is i + 1: a, b, c, d.
  for (std::size_t rank = 0; rank < 300; ++rank) {
    const auto& bytes = disk.find("made/" + plan.made[rank].name)->durable;
    const auto value = [&](std::size_t i) {
      std::uint16_t element = 0;
      std::memcpy(&element, bytes.data() + plan.made[rank].header.data_start + 2 * i, 2);
      return element;
    };
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(value(i), 6 * rank + i + 1);             // a
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(value(6 + i), 1800 + 2 * rank + i + 1);  // b
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(value(8 + i), 2400 + i + 1);             // c
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(value(15 + i), 2407 + 600 * (i / 2) + 2 * rank + (i % 2) + 1);  // d
  }
}

ReshardOptions options_of(const std::string& from, const std::string& to) {
  ReshardOptions options;
  options.from = from;
  options.to = to;
  options.memory_bytes = 64ULL << 20U;
  options.threads = 2;
  return options;
}

TEST(Reshard, there_and_back_is_the_same_file_and_known_by_its_digests) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("in"));
  write_whole(scratch.path("in/model.safetensors"), small_llama);
  std::ofstream(scratch.path("in/config.json"))
      << R"({"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 10})";
  const auto there = reshard(scratch.path("in"), scratch.path("tp"),
                             options_of("whole", "llama:tp=4,pad=4,fused"));
  EXPECT_FALSE(there.known);
  EXPECT_EQ(there.tensors.size(), small_llama.size());
  EXPECT_TRUE(std::filesystem::exists(scratch.path("tp/config.json")));
  const auto back = reshard(scratch.path("tp"), scratch.path("back"),
                            options_of("llama:tp=4,pad=4,fused", "whole"));
  EXPECT_TRUE(back.known);
  EXPECT_EQ(bytes_of(scratch.path("back/model.safetensors")),
            bytes_of(scratch.path("in/model.safetensors")));
  EXPECT_EQ(bytes_of(scratch.path("back/faro-digests.json")),
            bytes_of(scratch.path("tp/faro-digests.json")));
  EXPECT_EQ(scratch.count(), 3U);  // nothing else lies there
}

TEST(Reshard, stopped_between_the_name_and_the_cleaning_it_cleans_when_it_goes_on) {
  const Scratch scratch;
  write_whole(scratch.path("in"), small_llama);
  ReshardOptions options = options_of("whole", "llama:tp=2,heads=4,kv_heads=2");
  options.progress = [](std::uint64_t done, std::uint64_t) {
    return done > 0 ? Continue::no : Continue::yes;
  };
  EXPECT_THROW(reshard(scratch.path("in"), scratch.path("out"), options), Error);
  options.progress = {};
  options.unfinished = ReshardOptions::Unfinished::resume;
  const std::filesystem::path rest = scratch.path(".out.faro");
  const std::filesystem::path kept = scratch.path("kept");
  std::filesystem::copy(rest / "journal", kept);
  const auto first = reshard(scratch.path("in"), scratch.path("out"), options);
  ASSERT_FALSE(std::filesystem::exists(rest));
  std::filesystem::create_directory(rest);
  std::filesystem::copy(kept, rest / "journal");

  // A journal that is not complete does not say whose the output is.
  EXPECT_THROW(reshard(scratch.path("in"), scratch.path("out"), options), Error);
  {
    const auto file = open_random_file((rest / "journal").string(),
                                       {.access = FileAccess::write, .io = FileIo::buffered});
    disk::BoxJournal(*file).note_complete();
  }
  // Nor does another request's.
  ReshardOptions other = options;
  other.to = "llama:tp=4,heads=4,kv_heads=2";
  EXPECT_THROW(reshard(scratch.path("in"), scratch.path("out"), other), Error);
  ASSERT_TRUE(std::filesystem::exists(rest / "journal"));

  const auto again = reshard(scratch.path("in"), scratch.path("out"), options);
  EXPECT_FALSE(std::filesystem::exists(rest));
  EXPECT_EQ(again.resumed_jobs, again.plan.jobs);
  ASSERT_EQ(again.tensors.size(), first.tensors.size());
  for (std::size_t i = 0; i < first.tensors.size(); ++i)
    EXPECT_EQ(again.tensors[i].digest, first.tensors[i].digest);

  // Where the output was taken away, nothing says that it is there.
  std::filesystem::create_directory(rest);
  std::filesystem::copy(kept, rest / "journal");
  {
    const auto file = open_random_file((rest / "journal").string(),
                                       {.access = FileAccess::write, .io = FileIo::buffered});
    disk::BoxJournal(*file).note_complete();
  }
  std::filesystem::remove_all(scratch.path("out"));
  EXPECT_THROW(reshard(scratch.path("in"), scratch.path("out"), options), Error);
}

TEST(Reshard, an_input_that_was_changed_is_not_taken_for_what_its_digests_say) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("in"));
  write_whole(scratch.path("in/model.safetensors"), {{"model.norm.weight", {8}}});
  reshard(scratch.path("in"), scratch.path("a"), options_of("whole", "llama:tp=2"));
  std::fstream file(scratch.path("a/model-rank-0-part-0.safetensors"),
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x55');
  file.close();
  try {
    reshard(scratch.path("a"), scratch.path("b"), options_of("llama:tp=2", "whole"));
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_NE(std::string(error.what()).find("'model.norm.weight'"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.path("b")));
}

TEST(Reshard, ranks_that_should_hold_the_same_and_do_not_are_found_by_verifying) {
  const Scratch scratch;
  for (const char* rank : {"0", "1"})
    write_whole(scratch.path(fmt::format("model-rank-{}-part-0.safetensors", rank)),
                {{"model.norm.weight", {8}}});
  std::fstream file(scratch.path("model-rank-1-part-0.safetensors"),
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x55');
  file.close();
  ReshardOptions options = options_of("llama:tp=2", "whole");
  options.verify = true;
  EXPECT_THROW(reshard(scratch.path(), scratch.path("out"), options), Error);
}

TEST(Reshard, too_little_memory_is_refused_before_anything_is_made) {
  const Scratch scratch;
  write_whole(scratch.path("model.safetensors"), small_llama);
  ReshardOptions options = options_of("whole", "llama:tp=2");
  options.memory_bytes = 48ULL << 20U;
  EXPECT_THROW(reshard(scratch.path(), scratch.path("out"), options), Error);
  EXPECT_EQ(scratch.count(), 1U);
}

// Llama 3 70B on 8 ranks, 141 GB in files that have holes for tensors: only headers are read.
TEST(Reshard, a_model_of_full_size_is_planned_within_little_memory) {
  const Scratch scratch;
  const std::uint64_t hidden = 8192;
  const std::uint64_t wide = 28672;
  std::vector<Element> held = {{"model.embed_tokens.weight", {128256 / 8, hidden}},
                               {"lm_head.weight", {128256 / 8, hidden}},
                               {"model.norm.weight", {hidden}}};
  std::vector<std::string> names;
  for (int layer = 0; layer < 80; ++layer) {
    const auto add = [&](const char* name, std::vector<std::uint64_t> shape) {
      names.push_back(fmt::format("model.layers.{}.{}.weight", layer, name));
      held.push_back({nullptr, std::move(shape)});
    };
    add("self_attn.q_proj", {hidden / 8, hidden});
    add("self_attn.k_proj", {128, hidden});
    add("self_attn.v_proj", {128, hidden});
    add("self_attn.o_proj", {hidden, hidden / 8});
    add("mlp.gate_proj", {wide / 8, hidden});
    add("mlp.up_proj", {wide / 8, hidden});
    add("mlp.down_proj", {hidden, wide / 8});
    add("input_layernorm", {hidden});
    add("post_attention_layernorm", {hidden});
  }
  for (std::size_t i = 0; i < names.size(); ++i) held[i + 3].name = names[i].c_str();
  SafeHeader header;
  for (const Element& one : held)
    header.tensors.push_back({one.name, find_type("BF16"), one.shape});
  lay_out(header.tensors, "a rank");
  const std::string start = safetensors_bytes(header);
  for (int rank = 0; rank < 8; ++rank) {
    const std::string path = scratch.path(fmt::format("model-rank-{}-part-0.safetensors", rank));
    std::ofstream(path, std::ios::binary) << start;
    std::filesystem::resize_file(path, start.size() + header.tensors.back().end);
  }
  ReshardOptions options = options_of("llama:tp=8,heads=64,kv_heads=8", "llama:tp=4,pp=4");
  options.memory_bytes = 256ULL << 20U;
  const ReshardFacts facts = plan_reshard(scratch.path(), options);
  EXPECT_EQ(facts.data_bytes, 141'107'412'992U);
  EXPECT_EQ(facts.tensors, 723U);
  EXPECT_GE(facts.files_made, 16U);
  EXPECT_LE(facts.peak_bytes, options.memory_bytes);
  options.memory_bytes = 52ULL << 20U;
  EXPECT_THROW(plan_reshard(scratch.path(), options), Error);
}

struct BadIndex {
  const char* what;
  const char* text;
  const char* said;
};

TEST(Reshard, bad_indices_are_refused_by_name) {
  const Scratch scratch;
  write_whole(scratch.path("a.safetensors"), {{"a", {2}}});
  write_whole(scratch.path("b.safetensors"), {{"b", {2}}});
  const std::string index = scratch.path("m.safetensors.index.json");
  const std::vector<BadIndex> all = {
      {"no JSON", "{", "no JSON"},
      {"a list", "[]", "no object 'weight_map'"},
      {"no map", "{}", "no object 'weight_map'"},
      {"a map of numbers", R"({"weight_map": {"a": 1}})", "in no file of this folder"},
      {"a file elsewhere", R"({"weight_map": {"a": "../a.safetensors"}})", "in no file of this"},
      {"an absolute file", R"({"weight_map": {"a": "/a.safetensors"}})", "in no file of this"},
      {"a tensor twice", R"({"weight_map": {"a": "a.safetensors", "a": "b.safetensors"}})",
       "'a' stands twice"},
      {"the wrong file", R"({"weight_map": {"a": "b.safetensors", "b": "a.safetensors"}})",
       "it is in"},
      {"a tensor that is not there",
       R"({"weight_map": {"a": "a.safetensors", "c": "a.safetensors"}})", "'c' is not in"},
      {"a tensor too many", R"({"weight_map": {"a": "b.safetensors"}})", "is not in the index"},
      {"a missing file", R"({"weight_map": {"a": "c.safetensors"}})", "c.safetensors"},
  };
  for (const BadIndex& bad : all) {
    std::ofstream(index, std::ios::trunc) << bad.text;
    try {
      checkpoint_tensors(scratch.path());
      ADD_FAILURE() << bad.what << " was read";
    } catch (const InternalError& error) {
      ADD_FAILURE() << bad.what << ": " << error.what();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(bad.said), std::string::npos)
          << bad.what << ": " << error.what();
    }
  }
  std::ofstream(index, std::ios::trunc)
      << R"({"weight_map": {"a": "a.safetensors", "b": "b.safetensors"}})";
  EXPECT_EQ(checkpoint_tensors(index).size(), 2U);
  // Without an index all files are the checkpoint, and share no tensor.
  std::filesystem::remove(index);
  EXPECT_EQ(checkpoint_tensors(scratch.path()).size(), 2U);
  write_whole(scratch.path("c.safetensors"), {{"b", {2}}});
  EXPECT_THROW(checkpoint_tensors(scratch.path()), Error);
}

TEST(Reshard, files_of_ranks_are_counted_without_a_gap) {
  const Scratch scratch;
  const auto write = [&](const char* name, const char* tensor) {
    write_whole(scratch.path(name), {{tensor, {2}}});
  };
  const auto said = [&]() -> std::string {
    try {
      open_rank_files(scratch.path(), std::string(rank_file_names), 2);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  write("model-rank-0-part-0.safetensors", "a");
  EXPECT_NE(said().find("model-rank-1-part-0.safetensors is missing"), std::string::npos);
  write("model-rank-1-part-0.safetensors", "a");
  EXPECT_EQ(said(), "");
  write("model-rank-1-part-2.safetensors", "b");
  EXPECT_NE(said().find("model-rank-1-part-1.safetensors is missing"), std::string::npos);
  write("model-rank-1-part-1.safetensors", "a");
  EXPECT_NE(said().find("tensor 'a' is in"), std::string::npos);
  write("model-rank-1-part-1.safetensors", "c");
  EXPECT_EQ(said(), "");
  write("model-rank-2-part-0.safetensors", "a");
  EXPECT_NE(said().find("is of rank 2"), std::string::npos);
}

}  // namespace
}  // namespace faro::checkpoints
