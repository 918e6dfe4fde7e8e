// What stands in for Agones before an API server, and for one where there is none.
//
// It keeps a fleet of game servers, which are objects of the API server; it answers the requests
// for one of them as Agones does, by changing its object; everything else that it is asked it hands
// on. A server that is taken runs the script that its annotations have, `fixkeep/env.SCRIPT`, as a
// pod would run a game. Of a request it loses, delays and refuses what a test says.
// Thread rule: it has a thread of its own; each function may be called from any. Bounds: `replicas`
// servers that are free. Errors: of its start, thrown.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/net/kubernetes/access.hpp"

namespace fixkeep::test {

// In percent of the requests for a server.
struct AllocationFaults {
  unsigned dropped = 0;  // nothing is done, and nothing answered
  unsigned late = 0;     // nothing is answered, and it is done up to `latest` later
  unsigned cut = 0;      // it is done, and the answer ends at some byte
  unsigned refused = 0;  // 429, 503, 404 in plain text, or another server's fault
  unsigned watch = 0;    // of what a watch tells: it is cut there
  std::chrono::milliseconds latest{600};  // Agones took 46 s; tests say what they scale
};

struct StandInOptions {
  // Nothing: that of the kubeconfig $FIXKEEP_FLEET_API, or one of its own, in memory.
  std::optional<kubernetes::Access> api;
  std::string space = "games";
  std::string fleet = "duel";
  std::size_t replicas = 10;
  std::chrono::milliseconds grace{1000};  // from a deletion to the end of what runs
  std::uint64_t seed = 1;
};

class AgonesStandIn {
 public:
  struct Counts {
    std::uint64_t asked = 0;
    std::uint64_t taken = 0;    // servers
    std::uint64_t pending = 0;  // requests that will be carried out yet
  };

  explicit AgonesStandIn(StandInOptions options);  // returns when all of the fleet is ready
  ~AgonesStandIn();
  AgonesStandIn(const AgonesStandIn&) = delete;
  AgonesStandIn& operator=(const AgonesStandIn&) = delete;

  void set(const AllocationFaults& faults);
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] kubernetes::Access access() const;  // to the API, by way of it
  [[nodiscard]] std::string kubeconfig() const;     // the same as a text

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::test
