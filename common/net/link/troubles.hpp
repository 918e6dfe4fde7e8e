// Troubles are what goes wrong with links, for the log and for /readyz.
//
// A node that we dial and that cannot be reached, or that refuses us, is told at *warning* with its
// address and the reason: at once, then after 1 s, 2 s, 4 s … up to a minute, again at once when
// the reason changes; and its return is told. Strangers, and nodes that are refused here, are
// limited by the host they come from; links that come and go, by the name of the node. Of a node
// that speaks another version of the protocol it is told which, and whose program is to be
// replaced.
//
// Thread rule: one owner. Reads no clock. Bounds: the nodes that are dialled or configured;
// `strangers_most` hosts, and as many that were refused. Errors: none.
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

  // `known`: the nodes whose trouble is kept for of(), beside those that are dialled.
  explicit LinkTroubles(std::vector<std::string> known);

  // These are the nodes from now on, as in the constructor.
  void know(std::vector<std::string> known);

  void unreachable(const LinkFailure& failure, TimePoint now) {
    failed("unreachable", failure, now);
  }
  void refused(const LinkFailure& failure, TimePoint now) { failed("link refused", failure, now); }
  void up(const Peer& peer, TimePoint now);
  // A link that was up has ended.
  void down(const Peer& peer, boost::system::error_code reason, TimePoint now);

  // A node that was refused within `longest_silence`: it speaks another version of the protocol, or
  // is a copy, since another process has the link of its name.
  struct Refused {
    std::string name;  // as it says
    std::string host;
    std::uint64_t times = 0;  // in a row
    TimePoint last;
    std::uint32_t version = 0;  // of the protocol; 0: it is a copy
  };
  [[nodiscard]] std::vector<Refused> refused(TimePoint now) const;

  // Why there is no link to the node, as far as is known; empty: there is one, or nothing is known.
  // "unreachable at 10.0.0.2:7100: connection refused"
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
  std::vector<Refused> refused_;  // the one that came last is the last
  obs::LogLimit dialled_;
  obs::LogLimit strangers_;
  obs::LogLimit comings_and_goings_;
};

}  // namespace fixkeep::net
