// How tensors lie on ranks: cuts of axes in literal cases, names, and what does not fit.
#include "checkpoints/layout.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "faro/base/error.hpp"
#include "files/scratch.hpp"

namespace faro::checkpoints {
namespace {

std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InternalError& error) {
    return std::string("internal: ") + error.what();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

SafeTensor tensor(const std::string& name, std::vector<std::uint64_t> shape) {
  return {name, find_type("BF16"), std::move(shape)};
}

std::vector<std::string> cuts(const std::string& words, const Split& split, std::uint64_t length) {
  const Layout layout = Layout::parse(words);
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < layout.devices("tp"); ++i) {
    const AxisParts parts = cut_axis(layout, split, length, i);
    std::string text;
    for (const AxisPart& part : parts.parts)
      text += fmt::format("{}+{}@{} ", part.whole, part.length, part.local);
    all.push_back(text + fmt::format("of {}", parts.local));
    EXPECT_EQ(joined_axis(layout, split, parts.local), length);
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(CheckpointLayout, an_axis_is_cut_as_its_rule_says) {
  EXPECT_EQ(cuts("llama:tp=2", {}, 6), (Texts{"0+3@0 of 3", "3+3@0 of 3"}));
  EXPECT_EQ(cuts("llama:tp=2", {.cut = Cut::blocks, .blocks = 2}, 8),
            (Texts{"0+2@0 4+2@2 of 4", "2+2@0 6+2@2 of 4"}));
  // Four ranks, two heads of keys: two ranks have the same.
  EXPECT_EQ(cuts("llama:tp=4,heads=8,kv_heads=2", {.cut = Cut::kv}, 6),
            (Texts{"0+3@0 of 3", "0+3@0 of 3", "3+3@0 of 3", "3+3@0 of 3"}));
  // q of 4 heads, k and v of 2, each head one row.
  EXPECT_EQ(cuts("llama:tp=2,heads=4,kv_heads=2", {.cut = Cut::qkv}, 8),
            (Texts{"0+2@0 4+1@2 6+1@3 of 4", "2+2@0 5+1@2 7+1@3 of 4"}));
  EXPECT_EQ(cuts("llama:tp=4,heads=4,kv_heads=2", {.cut = Cut::qkv}, 8),
            (Texts{"0+1@0 4+1@1 6+1@2 of 3", "1+1@0 4+1@1 6+1@2 of 3", "2+1@0 5+1@1 7+1@2 of 3",
                   "3+1@0 5+1@1 7+1@2 of 3"}));
  EXPECT_EQ(cuts("llama:tp=3,pad=4,vocab=10", {.cut = Cut::vocab}, 10),
            (Texts{"0+4@0 of 4", "4+4@0 of 4", "8+2@0 of 4"}));
  EXPECT_EQ(cuts("llama:tp=4,pad=8,vocab=3", {.cut = Cut::vocab}, 3),
            (Texts{"0+2@0 of 2", "2+1@0 of 2", "3+0@0 of 2", "3+0@0 of 2"}));
}

TEST(CheckpointLayout, patterns_stand_for_numbers_and_texts) {
  const NamePattern pattern("a.{layer}.*.w*");
  const auto parts = pattern.match("a.12.mlp.weight");
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->number("layer"), 12U);
  EXPECT_EQ(parts->stars, (Texts{"mlp", "eight"}));
  EXPECT_EQ(pattern.with(*parts), "a.12.mlp.weight");
  EXPECT_FALSE(pattern.match("a.1.b.c.weight"));  // a star has no dot
  EXPECT_FALSE(pattern.match("a.012.mlp.w"));     // two names would be one
  EXPECT_FALSE(pattern.match("a..mlp.w"));
  EXPECT_TRUE(NamePattern("**").match("a.b.c"));
  EXPECT_FALSE(NamePattern("a").match("ab"));
  // Many stars take no longer than their number times the name's length.
  std::string stars;
  for (int i = 0; i < 40; ++i) stars += "*a";
  EXPECT_FALSE(NamePattern(stars + "b").match(std::string(400, 'a')));
}

TEST(CheckpointLayout, ranks_are_numbered_tp_first_and_stages_last) {
  const Layout layout = Layout::parse("mixtral:tp=2,ep=2,pp=2");

  std::vector<SafeTensor> whole;
  for (const char* layer : {"0", "1"})
    for (const char* expert : {"0", "1"})
      whole.push_back(tensor(
          fmt::format("model.layers.{}.block_sparse_moe.experts.{}.w1.weight", layer, expert),
          {4, 3}));
  const auto held = place_tensors(layout, whole);
  ASSERT_EQ(held.size(), 8U);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(held[rank].rank, rank);
    EXPECT_EQ(held[rank].name, whole[rank / 2].name);
    EXPECT_EQ(held[rank].shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(held[rank].blocks[0].whole[0].begin, 2 * (rank % 2));
  }
}

TEST(CheckpointLayout, a_layout_file_says_its_own_rules) {
  const testing::Scratch scratch;
  std::ofstream(scratch.path("mine.layout")) << "# of two\n"
                                                "set tp 2\n"
                                                "w13  shard 0 over ep  blocks 1 2\n"
                                                "both = one +\n"
                                                "  two along 1\n"
                                                "one  shard 0\n"
                                                "two  shard 0\n"
                                                "**   copy\n";
  const Layout layout = Layout::parse(scratch.path("mine.layout") + ":ep=2");
  EXPECT_EQ(layout.ranks(), 4U);
  const std::vector<SafeTensor> whole = {tensor("one", {4, 1}), tensor("two", {4, 2}),
                                         tensor("w13", {2, 8, 5}), tensor("x", {})};
  const auto held = place_tensors(layout, whole);
  ASSERT_EQ(held.size(), 12U);
  EXPECT_EQ(held[0].name, "both");
  EXPECT_EQ(held[0].shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(held[1].shape, (std::vector<std::uint64_t>{1, 4, 5}));
  EXPECT_EQ(held[1].blocks.size(), 2U);
  EXPECT_EQ(held[2].blocks.size(), 1U);
}

struct Misfit {
  const char* layout;
  SafeTensor whole;
  const char* said;
};

TEST(CheckpointLayout, what_does_not_fit_is_refused_with_name_shape_and_rule) {
  const std::string layer = "model.layers.0.";
  const std::vector<Misfit> all = {
      {"llama:tp=3", tensor(layer + "mlp.up_proj.weight", {8, 6}),
       "up_proj.weight' [8, 6]: axis 0: 8 of its 8 elements do not divide into 3 (rule 'shard 0')"},
      {"llama:tp=4", tensor(layer + "mlp.down_proj.weight", {8}), "there is no axis 1"},
      {"llama:tp=4,heads=6", tensor(layer + "self_attn.q_proj.weight", {24, 6}),
       "6 heads do not divide over tp=4"},
      {"llama:tp=3,kv_heads=2", tensor(layer + "self_attn.k_proj.weight", {24, 6}),
       "2 heads do not divide over tp=3"},
      {"llama:tp=2,heads=5", tensor(layer + "self_attn.q_proj.weight", {24, 6}), "5 heads"},
      {"llama:tp=2", tensor(layer + "self_attn.qkv_proj.weight", {24, 6}), "needs heads: say it"},
      {"llama:tp=2,heads=4,kv_heads=1", tensor(layer + "self_attn.qkv_proj.weight", {25, 6}),
       "is not 6 equal parts"},
      {"llama:tp=4", tensor("model.embed_tokens.weight", {30, 6}), "pad=64 fills it up"},
      {"llama:tp=2", tensor("model.layers.0.odd.weight", {2}), "has no rule for this name"},
      {"llama:pp=2", tensor(layer + "input_layernorm.weight", {2}), "1 layers do not divide"},
      {"llama:pp=2,split=1/1", tensor(layer + "input_layernorm.weight", {2}), "split has 2 layers"},
      {"mixtral:ep=2", tensor(layer + "block_sparse_moe.experts.0.w1.weight", {2, 2}),
       "1 experts do not divide"},
      {"llama:tp=2,fused,heads=2,kv_heads=2", tensor(layer + "self_attn.q_proj.weight", {8, 6}),
       "k_proj.weight' is not there"},
  };
  for (const Misfit& one : all) {
    const std::string said =
        refusal_of([&] { place_tensors(Layout::parse(one.layout), {one.whole}); });
    EXPECT_NE(said.find(one.said), std::string::npos) << one.layout << ": " << said;
  }
}

// Rows and columns of the whole scale that a rank has, where it is one block.
std::string scale_part(const std::string& words, const std::vector<SafeTensor>& whole,
                       std::uint64_t rank) {
  for (const LocalTensor& local : place_tensors(Layout::parse(words), whole)) {
    if (local.rank != rank || local.name != whole[1].name) continue;
    std::string text;
    for (const LocalBlock& block : local.blocks)
      for (const disk::Interval& axis : block.whole)
        text += fmt::format("{}:{} ", axis.begin, axis.end);
    return text + shape_text(local.shape);
  }
  return "nothing";
}

TEST(CheckpointLayout, scales_lie_as_the_blocks_of_their_weights_do) {
  const std::string up = "model.layers.1.mlp.up_proj.weight";
  const std::string down = "model.layers.1.mlp.down_proj.weight";
  const auto pair = [](const std::string& weight, std::vector<std::uint64_t> shape,
                       const std::string& end, std::vector<std::uint64_t> scales) {
    return std::vector{tensor(weight, std::move(shape)), tensor(weight + end, std::move(scales))};
  };
  // Blocks of 128 x 128; the last may be shorter.
  const auto blocks = pair(up, {512, 300}, "_scale_inv", {4, 3});
  EXPECT_EQ(scale_part("llama:tp=2", blocks, 1), "2:4 0:3 [2, 3]");
  EXPECT_EQ(scale_part("llama:tp=4", blocks, 3), "3:4 0:3 [1, 3]");
  EXPECT_EQ(scale_part("llama:tp=2,pp=2", blocks, 0), "nothing");
  EXPECT_EQ(scale_part("llama:tp=2", pair(down, {300, 512}, "_scale_inv", {3, 4}), 1),
            "0:3 2:4 [3, 2]");
  EXPECT_EQ(scale_part("llama:tp=2,block=64", pair(up, {512, 300}, "_scale_inv", {8, 5}), 1),
            "4:8 0:5 [4, 5]");
  // A scale for each row, with an axis of length 1 or without it.
  EXPECT_EQ(scale_part("llama:tp=2", pair(up, {6, 8}, "_scale", {6, 1}), 1), "3:6 0:1 [3, 1]");
  EXPECT_EQ(scale_part("llama:tp=2", pair(up, {6, 8}, "_scale", {6}), 1), "3:6 [3]");
  EXPECT_EQ(scale_part("llama:tp=2", pair(down, {6, 8}, "_scale", {6, 1}), 1), "0:6 0:1 [6, 1]");
  // Groups of columns; one for all.
  EXPECT_EQ(scale_part("llama:tp=2", pair(down, {6, 64}, "_scale", {6, 4}), 1), "0:6 2:4 [6, 2]");
  EXPECT_EQ(scale_part("llama:tp=2", pair(up, {6, 8}, "_scale", {1}), 1), "0:1 [1]");
  EXPECT_EQ(scale_part("llama:tp=2", pair(up, {6, 8}, "_scale", {}), 1), "[]");

  const auto refused = [&](const std::string& words, const std::vector<SafeTensor>& whole) {
    return refusal_of([&] { place_tensors(Layout::parse(words), whole); });
  };
  const std::string cut = refused("llama:tp=8", blocks);
  EXPECT_NE(cut.find("up_proj.weight_scale_inv' [4, 3]: elements 0 to 64 of the weight's "
                     "512 do not begin and end where blocks of 128 do"),
            std::string::npos)
      << cut;
  EXPECT_NE(cut.find("(rule 'scale **.weight by 128', weight 'shard 0')"), std::string::npos)
      << cut;
  EXPECT_NE(refused("llama:tp=2", {blocks[1]}).find("there is no weight"), std::string::npos);
  EXPECT_NE(refused("llama:tp=2", pair(up, {512, 300}, "_scale_inv", {5, 3}))
                .find("5 scales are not those of 512 elements"),
            std::string::npos);
  EXPECT_NE(refused("llama:tp=2", pair(up, {512, 300}, "_scale_inv", {0, 3})), "");
  EXPECT_NE(refused("llama:tp=2", pair(up, {512}, "_scale_inv", {4, 3})).find("a scale of 2 axes"),
            std::string::npos);
  // A fused weight whose first part ends inside a block.
  std::vector<SafeTensor> odd = blocks;
  for (SafeTensor one : blocks) {
    one.name.replace(one.name.find("up_proj"), 7, "gate_proj");
    odd.push_back(one);
  }
  EXPECT_EQ(refused("llama:tp=2,fused", odd), "");
  for (SafeTensor& one : odd) one.shape[0] = one.shape[0] == 512 ? 500 : 4;
  EXPECT_NE(refused("llama:fused", odd).find("no whole blocks"), std::string::npos);
}

TEST(CheckpointLayout, words_that_are_no_layout_are_refused) {
  const testing::Scratch scratch;
  const auto file = [&](const char* text) {
    std::ofstream(scratch.path("a.layout"), std::ios::trunc) << text;
    return scratch.path("a.layout");
  };
  EXPECT_NE(refusal_of([] { Layout::parse("lama:tp=2"); }).find("no layout is called 'lama'"),
            std::string::npos);
  for (const char* words : {"llama:tp=0", "llama:tp=x", "llama:tp", "llama:px=2", "llama:tp=2,tp=2",
                            "llama:fused=2", "whole:tp=2", "llama:split=1/1", "llama:tp=-1",
                            "llama:tp=65537", "llama:tp=65536,pp=2", "no/such.layout"})
    EXPECT_NE(refusal_of([&] { Layout::parse(words); }), "") << words;
  for (const char* text : {"a",
                           "a shard",
                           "a shard x",
                           "a shard 0 over",
                           "a shard 0 over pp",
                           "a blocks 0",
                           "a blocks 0 0",
                           "a turn 1",
                           "a over tp",
                           "a scale",
                           "a scale b by",
                           "a scale b by 0",
                           "a scale b of 1",
                           "a scale b first",
                           "a shard 0 scale b",
                           "a scale {",
                           "a shard 0 heads 0",
                           "{ copy",
                           "{} copy",
                           "set tp",
                           "set x 1",
                           "a =",
                           "a = b +",
                           "a = b + b",
                           "a = b by 1",
                           "a = b along",
                           "if",
                           "if x",
                           "if not tp"})
    EXPECT_NE(refusal_of([&] { Layout::parse(file(text)); }).find("line 1"), std::string::npos)
        << text << ": " << refusal_of([&] { Layout::parse(file(text)); });
}

TEST(CheckpointLayout, what_ranks_hold_says_the_whole_or_is_refused) {
  const Layout layout = Layout::parse("llama:tp=2");
  const SafeTensor up = tensor("model.layers.0.mlp.up_proj.weight", {4, 6});
  const SafeTensor norm = tensor("model.norm.weight", {6});
  const auto whole = whole_tensors(layout, {{up, norm}, {norm, up}});
  ASSERT_EQ(whole.size(), 2U);
  EXPECT_EQ(whole[0].shape, (std::vector<std::uint64_t>{8, 6}));
  EXPECT_EQ(whole[1].shape, (std::vector<std::uint64_t>{6}));
  const auto said = [&](const std::vector<std::vector<SafeTensor>>& held) {
    return refusal_of([&] { whole_tensors(layout, held); });
  };
  SafeTensor other = up;
  other.shape = {5, 6};
  EXPECT_NE(said({{up}, {}}).find("rank 1 does not have"), std::string::npos);
  EXPECT_NE(said({{up}, {other}}).find("rank 1 has tensor"), std::string::npos);
  other = up;
  other.type = find_type("F16");
  EXPECT_NE(said({{up}, {other}}).find("F16, others have BF16"), std::string::npos);
  EXPECT_NE(said({{up}}).find("has 2 ranks, the files are of 1"), std::string::npos);
}

}  // namespace
}  // namespace faro::checkpoints
