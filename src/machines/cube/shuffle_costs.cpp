#include "machines/cube/shuffle_costs.hpp"

#include <cmath>

namespace faro::inline v1 {
namespace {

double half(const ShuffleSize& size) {
  return static_cast<double>(size.elements) / 2;
}

double packets(double elements, const ShuffleSize& size) {
  return std::ceil(elements / size.packet);
}

}  // namespace

double mixed_one_port_time(const ShuffleSize& size, const PacketTimes& times) {
  return size.length * (half(size) * times.transfer + packets(half(size), size) * times.startup);
}

double mixed_pipelined_time(const ShuffleSize& size, const PacketTimes& times) {
  const double waits = size.length - 1;
  return (half(size) + waits * size.packet) * times.transfer +
         (packets(half(size), size) + waits) * times.startup;
}

double mixed_concurrent_time(const ShuffleSize& size, const PacketTimes& times) {
  return (size.length + 3) * (size.packet * times.transfer + times.startup);
}

double mixed_concurrent_pipelined_time(const ShuffleSize& size, const PacketTimes& times) {
  return (half(size) + 2 * size.packet) * times.transfer +
         (packets(half(size), size) + 2) * times.startup;
}

double best_packet(double transfers, double waits, const PacketTimes& times) {
  if (waits <= 0 || times.transfer <= 0) return transfers;
  return std::sqrt(transfers * times.startup / (waits * times.transfer));
}

double break_even_one_port(const ShuffleSize& size, const PacketTimes& times) {
  return (size.length - 1) * half(size) * times.transfer;
}

double break_even_all_ports(const ShuffleSize& size, const PacketTimes& times) {
  return (1 - 1.0 / size.length) * half(size) * times.transfer;
}

}  // namespace faro::inline v1
