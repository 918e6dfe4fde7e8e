#include "worker/runner/room_ports.hpp"

#include <algorithm>

#include "worker/probe/socket_owner.hpp"

namespace fixkeep::worker {

bool nobody_has(std::uint16_t port) {
  for (const auto protocol : {probe::Protocol::tcp, probe::Protocol::udp}) {
    const auto taken = probe::port_is_taken(protocol, port);
    if (taken && *taken) return false;
  }
  return true;
}

void RoomPorts::count_for(const std::vector<WantedPorts>& games) {
  most_ = 1;
  block_ = 0;
  for (const WantedPorts& wanted : games) {
    most_ = std::max(most_, wanted.count());
    if (wanted.neighbours > 0) block_ = std::max(block_, wanted.count());
  }
}

std::uint32_t RoomPorts::places() const {
  const std::size_t rooms = range_.free() / most_;
  return static_cast<std::uint32_t>(block_ > 0 ? std::min(rooms, range_.blocks(block_)) : rooms);
}

const wire::RoomPlace* RoomPorts::take(RoomNumber room, const WantedPorts& wanted, TimePoint now) {
  tick(now);
  const std::size_t count = wanted.count();
  auto numbers = wanted.neighbours > 0 ? range_.take_block(count, now) : range_.take(count, now);
  if (numbers.empty()) return nullptr;
  const auto second = numbers.begin() + 1;
  std::rotate(second, second + wanted.neighbours, numbers.end());
  wire::RoomPlace& place = rooms_[room];
  place.ports.push_back({std::string{wire::main_port_name}, numbers.front()});
  for (std::size_t i = 1; i < count; ++i) place.ports.push_back({wanted.names[i - 1], numbers[i]});
  return &place;
}

const wire::RoomPlace& RoomPorts::claim(RoomNumber room, const WantedPorts& wanted,
                                        wire::RoomPlace place) {
  for (std::size_t i = 0; i < place.ports.size(); ++i) {
    wire::NamedPort& port = place.ports[i];
    if (i > 0 && i < wanted.count() && port.name == wire::unnamed_port(i)) {
      port.name = wanted.names[i - 1];
    }
    range_.claim(port.number);
  }
  return rooms_[room] = std::move(place);
}

bool RoomPorts::give_back(RoomNumber room) {
  const auto place = rooms_.extract(room);
  if (place.empty()) return false;
  for (const wire::NamedPort& port : place.mapped().ports) range_.give_back(port.number);
  return true;
}

}  // namespace fixkeep::worker
