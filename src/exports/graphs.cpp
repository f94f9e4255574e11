// The links that a schedule uses as a graph: GraphML and DOT.
#include <fmt/format.h>

#include <map>

#include "exports/formats.hpp"
#include "faro/machines/verifier.hpp"

namespace faro::inline v1::exports {
namespace {

struct Edge {
  std::uint64_t channel = 0;
  std::uint64_t moves = 0;
};

class Graph : public TransferSink {
 public:
  void begin(const ScheduleHeader& header) override {
    machine = header.machine;
    title = header.map_text;
    count = static_cast<std::uint64_t>(processors(machine));
  }
  void step(const TransferStep& step) override {
    for (const Transfer& t : step.transfers) {
      if (t.is_inside()) continue;
      Edge& edge = edges[{t.from, t.to}];
      edge.channel = t.channel;
      ++edge.moves;
    }
  }
  void finish() override {}

  Machine machine;
  std::string title;
  std::uint64_t count = 0;
  std::map<std::pair<Word, Word>, Edge> edges;
};

Graph graph_of(const Push& push) {
  Graph graph;
  push(*transfers_into(graph));
  return graph;
}

std::string quoted(const std::string& text, bool xml) {
  std::string out;
  for (const char c : text) {
    if (xml && c == '&')
      out += "&amp;";
    else if (xml && c == '<')
      out += "&lt;";
    else if (xml && c == '>')
      out += "&gt;";
    else if (!xml && (c == '"' || c == '\\'))
      out += std::string("\\") + c;
    else
      out += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
  }
  return out;
}

}  // namespace

void graphml(const Push& push, ByteSink& to) {
  const Graph graph = graph_of(push);
  to.write(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "<key id=\"moves\" for=\"edge\" attr.name=\"moves\" attr.type=\"long\"/>\n"
      "<key id=\"link\" for=\"edge\" attr.name=\"link\" attr.type=\"string\"/>\n"
      "<key id=\"map\" for=\"graph\" attr.name=\"map\" attr.type=\"string\"/>\n"
      "<key id=\"machine\" for=\"graph\" attr.name=\"machine\" attr.type=\"string\"/>\n"
      "<graph edgedefault=\"directed\">\n");
  to.write(fmt::format("<data key=\"map\">{}</data>\n<data key=\"machine\">{}</data>\n",
                       quoted(graph.title, true), to_string(graph.machine)));
  for (std::uint64_t p = 0; p < graph.count; ++p) to.write(fmt::format("<node id=\"{}\"/>\n", p));
  for (const auto& [ends, edge] : graph.edges)
    to.write(fmt::format(
        "<edge source=\"{}\" target=\"{}\"><data key=\"moves\">{}</data>"
        "<data key=\"link\">{}</data></edge>\n",
        ends.first, ends.second, edge.moves, channel_name(graph.machine, edge.channel)));
  to.write("</graph>\n</graphml>\n");
}

void dot(const Push& push, ByteSink& to) {
  const Graph graph = graph_of(push);
  to.write(fmt::format("digraph faro {{\n  label=\"{} on {}\";\n  node [shape=circle];\n",
                       quoted(graph.title, false), to_string(graph.machine)));
  for (std::uint64_t p = 0; p < graph.count; ++p) to.write(fmt::format("  {};\n", p));
  for (const auto& [ends, edge] : graph.edges)
    to.write(fmt::format("  {} -> {} [label=\"{}\", tooltip=\"{}\"];\n", ends.first, ends.second,
                         edge.moves, channel_name(graph.machine, edge.channel)));
  to.write("}\n");
}

}  // namespace faro::inline v1::exports
