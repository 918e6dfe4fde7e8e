// GET /readyz says whether this master should get players, and lists its troubles.
//
// A master is not ready before it has joined, after it was told to stop, or while it accepts other
// players than its peers. A master that is open to all callers is thus not ready while a peer is
// not open: otherwise this single master would admit everybody. Masters that accept the same
// players are one side. A master is also not ready if another side has more masters than its own
// side. Between two equally large sides, the side with the lowest master remains ready. The body
// also lists other troubles. For troubles in http.ready_requires the answer is 503. A load balancer
// with several masters should avoid a master that is cut off from the others. A balancer that has
// only one master should not avoid it.
//
//   {"status":"ready","reasons":[
//     {"reason":"master-away","master":"m2","detail":"unreachable at …"}]}
//
// Thread rule: free functions. The facts are copies. Bounds: one reason for each master and a few
// more. Errors: HTTP 503 not-ready.
#pragma once

#include <string>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::master {

// The facts that must be true for this master to be ready.
struct ReadyRequires {
  bool mesh = false;     // a link to another master, if there are others
  bool workers = false;  // a link to a worker

  friend bool operator==(const ReadyRequires&, const ReadyRequires&) = default;
};

struct ReadinessFacts {
  struct Other {
    std::string name;
    bool up = false;
    std::string trouble;   // why there is no link; empty: unknown
    std::string admits{};  // its last net::Peer::admits; empty: unknown
  };

  ReadyRequires required;
  std::string self{};  // name of this master, "m1"
  bool joined = false;
  bool ending = false;        // is stopping: serves requests for http.stop_delay_ms more
  std::vector<Other> others;  // other configured masters
  std::size_t workers = 0;    // number of workers with a link
  bool locks_reachable = true;
  bool awaits_lock_server = false;  // not joined, because the lock server was not reached yet
  std::string lock_trouble;         // why the lock servers are unreachable, if known
  std::string admits{};             // net::Peer::admits of this master
};

[[nodiscard]] net::HttpAnswer readiness(const ReadinessFacts& facts);

}  // namespace fixkeep::master
