// GET /readyz tells whether this master should get players. It also tells its troubles.
//
// It is not ready before it has joined, once it was asked to end or while it takes other players
// than its peers. It takes other players if it is open and a peer is not: the weakest master
// decides about callers. It also does if more peers agree on another rule than on its own. If two
// sides are equally strong the side with the lowest master stays ready. The body tells other
// troubles. The answer is 503 where the configuration asks for that (http.ready_requires). A load
// balancer with other masters should pass by one that is cut off from them. A balancer without
// others should not.
//
//   {"status":"ready","reasons":[
//     {"reason":"master-away","master":"m2","detail":"unreachable at …"}]}
//
// Thread rule: free functions. The facts are copied. Bounds: one reason a master and a few more.
// Errors: HTTP 503 not-ready.
#pragma once

#include <string>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::master {

// The things without which the master says that it is not ready.
struct ReadyRequires {
  bool mesh = false;     // a link to at least one other master, if there are others
  bool workers = false;  // a link to at least one worker

  friend bool operator==(const ReadyRequires&, const ReadyRequires&) = default;
};

struct ReadinessFacts {
  struct Other {
    std::string name;
    bool up = false;
    std::string trouble;   // why there is no link; empty: not known
    std::string admits{};  // net::Peer::admits, as it said last; empty: not known
  };

  ReadyRequires required;
  std::string self{};  // this master, "m1"
  bool joined = false;
  bool ending = false;        // it serves only as long as http.stop_delay_ms says
  std::vector<Other> others;  // the other masters that are configured
  std::size_t workers = 0;    // workers with a link
  bool locks_reachable = true;
  bool awaits_lock_server = false;  // they were not reached yet, so it has not joined
  std::string lock_trouble;         // why the servers of the lock cannot be reached, if it is known
  std::string admits{};             // this master's admission
};

[[nodiscard]] net::HttpAnswer readiness(const ReadinessFacts& facts);

}  // namespace fixkeep::master
