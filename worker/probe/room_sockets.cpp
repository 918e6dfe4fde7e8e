#include "worker/probe/room_sockets.hpp"

#include <algorithm>
#include <utility>

#include "common/obs/log.hpp"

namespace fixkeep::probe {

Endpoint RoomSockets::endpoint_of(const std::string& port) const {
  return {address_, ports_.at(port)};
}

std::optional<Failure> RoomSockets::wrong_answerer(const AskedPort& port) {
  if (!processes_) return std::nullopt;
  const auto found = owner_of_port(port.protocol, endpoint_of(port.name), processes_());
  if (!found) {
    cannot_see(found.error());
    return std::nullopt;
  }
  switch (found->owner) {
    case Owner::ours: return std::nullopt;
    case Owner::nobody: return Failure{.kind = Failure::Kind::nobody};  // the socket has closed
    case Owner::other: break;
  }
  return Failure{.kind = Failure::Kind::other_process, .pid = process_of(found->socket)};
}

RoomSockets::Acceptance RoomSockets::acceptance_of(int socket) {
  if (!processes_) return {Accepted::yes, std::nullopt};
  const auto found = owner_of_peer(socket, processes_());
  if (!found) {
    cannot_see(found.error());
    return {Accepted::yes, std::nullopt};
  }
  switch (found->owner) {
    case Owner::ours: return {Accepted::yes, std::nullopt};
    case Owner::nobody: return {};
    case Owner::other: break;
  }
  return {Accepted::yes,
          Failure{.kind = Failure::Kind::other_process, .pid = process_of(found->socket)}};
}

Result<std::uint32_t> RoomSockets::connections() const {
  std::vector<std::uint16_t> ports;
  for (const auto& [name, number] : ports_) ports.push_back(number);
  return connections_of_others(ports);
}

Failure RoomSockets::explain(const AskedPort& port, const Failure& found) {
  using Kind = Failure::Kind;
  if (!processes_) return found;
  if (found.kind != Kind::no_answer && found.kind != Kind::nobody &&
      found.kind != Kind::not_accepted && found.kind != Kind::other_process) {
    return found;
  }
  const auto processes = processes_();
  const auto owner = owner_of_port(port.protocol, endpoint_of(port.name), processes);
  if (!owner) return found;
  if (owner->owner == Owner::ours) {
    return found.kind == Kind::nobody ? Failure{.kind = Kind::no_answer} : found;
  }
  const auto stranger = owner->owner == Owner::other ? process_of(owner->socket) : 0;
  if (auto ports = unexpected_ports(port.protocol, processes); !ports.empty()) {
    return {.kind = Kind::elsewhere, .pid = stranger, .ports = std::move(ports)};
  }
  if (found.kind == Kind::other_process) return found;
  return {.kind = owner->owner == Owner::other ? Kind::taken : Kind::nobody, .pid = stranger};
}

std::vector<std::uint16_t> RoomSockets::unexpected_ports(Protocol protocol,
                                                         const Processes& processes) const {
  const auto listening = listening_ports(protocol, processes);
  if (!listening) return {};
  auto ports = *listening;
  std::erase_if(ports, [&](std::uint16_t number) {
    return std::any_of(ports_.begin(), ports_.end(),
                       [&](const auto& named) { return named.second == number; });
  });
  return ports;
}

std::int32_t RoomSockets::process_of(SocketNumber socket) {
  if (std::exchange(stranger_, socket) != socket) stranger_process_ = find_process_of(socket);
  return stranger_process_;
}

void RoomSockets::cannot_see(const boost::system::error_code& error) {
  if (std::exchange(complained_, true)) return;
  obs::log_warning("cannot see which process answers: every answer counts",
                   {{"room", room_}, {"error", error.message()}});
}

}  // namespace fixkeep::probe
