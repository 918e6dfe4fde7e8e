// Troubles are the failures of links, for the log and for /readyz.
//
// A dialled node may be unreachable or refuse us. The log names the node's address and the reason
// at *warning*: immediately, then after 1 s, 2 s, 4 s … up to a minute. A new reason and the node's
// return are logged immediately. The number of lines about strangers and refused nodes is limited
// for each host. The number of lines about unstable links is limited for each node. If the protocol
// versions differ, the line names the other version and the program to replace.
//
// Thread rule: one owner. Reads no clock. Bounds: the dialled or configured nodes; at most
// `strangers_most` hosts of strangers and of refused nodes. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/net/link/hub.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::net {

class LinkTroubles {
 public:
  static constexpr std::chrono::seconds longest_silence{60};
  static constexpr std::size_t strangers_most = 64;

  // `known`: nodes that are not dialled, but whose troubles are also stored for of().
  explicit LinkTroubles(std::vector<std::string> known);

  // Replaces the constructor's `known`.
  void know(std::vector<std::string> known);

  void unreachable(const LinkFailure& failure, TimePoint now) {
    failed("unreachable", failure, now);
  }
  void refused(const LinkFailure& failure, TimePoint now) { failed("link refused", failure, now); }
  void up(const Peer& peer, TimePoint now);
  // Reports the end of a link that was up.
  void down(const Peer& peer, boost::system::error_code reason, TimePoint now);

  // A node that was refused in the last minute (`longest_silence`). The node has another protocol
  // version, or the node is a copy: the link of its name belongs to another process.
  struct Refused {
    std::string name;  // claimed name
    std::string host;
    std::uint64_t times = 0;  // refusals in a row
    TimePoint last;
    std::uint32_t version = 0;  // protocol version; 0: a copy
  };
  [[nodiscard]] std::vector<Refused> refused(TimePoint now) const;

  // Returns the reason for a missing link to the node, for example "unreachable at 10.0.0.2:7100:
  // connection refused". Empty: there is a link, or the reason is unknown.
  [[nodiscard]] std::string of(const std::string& name) const;

 private:
  struct Trouble {
    std::string text;
    std::string reason;
    TimePoint since;
    std::uint64_t failures = 0;
  };

  void failed(const char* what, const LinkFailure& failure, TimePoint now);
  void failed_to_dial(const char* what, const LinkFailure& failure, TimePoint now);
  void note_refused(Refused&& refused);

  std::vector<std::string> known_;
  std::map<std::string, Trouble> troubles_;
  std::vector<Refused> refused_;  // the latest is last
  obs::LogLimit dialled_;
  obs::LogLimit strangers_;
  obs::LogLimit comings_and_goings_;
};

}  // namespace fixkeep::net
