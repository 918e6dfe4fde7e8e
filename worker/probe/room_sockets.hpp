// RoomSockets checks the sockets of a room's processes for the probes. It says whether an answer
// counts, or why there was no answer.
//
// Fault model: if the kernel gives no information (sock_diag.hpp, socket_owner.hpp), every answer
// counts. This is logged once for each room. Thread rule: one owner. Bounds: see socket_owner.hpp.
// Errors: none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/probe/core/reasons.hpp"
#include "worker/probe/socket_owner.hpp"

namespace fixkeep::probe {

class RoomSockets {
 public:
  // `processes`: see ProberOptions. `room` is for the log.
  RoomSockets(std::string room, boost::asio::ip::address address, Ports ports,
              std::function<Processes()> processes)
      : room_(std::move(room)),
        address_(std::move(address)),
        ports_(std::move(ports)),
        processes_(std::move(processes)) {}

  // Returns whether the room's processes can be determined.
  [[nodiscard]] bool can_see() const { return static_cast<bool>(processes_); }
  [[nodiscard]] Endpoint endpoint_of(const std::string& port) const;

  // Returns why an answer from this port does not count. Nullopt: the answer counts.
  [[nodiscard]] std::optional<Failure> wrong_answerer(const AskedPort& port);

  enum class Accepted { yes, not_yet };
  struct Acceptance {
    Accepted accepted = Accepted::not_yet;
    std::optional<Failure> failure;  // set if another process has accepted the connection
  };
  // Returns whether any process has accepted the connection. `socket` is the worker's side.
  [[nodiscard]] Acceptance acceptance_of(int socket);

  // Returns the number of TCP connections to the room's ports. Leaves out the worker's own.
  [[nodiscard]] Result<std::uint32_t> connections() const;

  // Explains why a try got no answer that counts. Returns `found` if it knows no better reason.
  [[nodiscard]] Failure explain(const AskedPort& port, const Failure& found);

 private:
  // Returns the ports at which the room listens in addition to its given ports.
  [[nodiscard]] std::vector<std::uint16_t> unexpected_ports(Protocol protocol,
                                                            const Processes& processes) const;
  std::int32_t process_of(SocketNumber socket);
  void cannot_see(const boost::system::error_code& error);

  std::string room_;
  boost::asio::ip::address address_;
  Ports ports_;
  std::function<Processes()> processes_;
  // The socket whose process was searched last, and the result. The result is stored, because a
  // search reads all processes.
  SocketNumber stranger_ = 0;
  std::int32_t stranger_process_ = 0;
  bool complained_ = false;
};

}  // namespace fixkeep::probe
