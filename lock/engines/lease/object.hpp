// The object of a key in Kubernetes: a Lease (coordination.k8s.io/v1).
//
// `spec.leaseTransitions` counts the grants. Annotations contain the number of the grant, which may
// be larger than this count, and the record of the last release. An object without a holder is
// free. Thread rule: values and free functions. Bounds: those of a LockRecord. Errors: read_lease()
// returns nothing if the object is not ours.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/ids.hpp"
#include "common/net/kubernetes/core/json.hpp"
#include "lock/core/server/lock_record.hpp"

namespace fixkeep::engine {

struct LeaseObject {
  std::string name;
  std::string version;  // resourceVersion; empty: the object does not exist
  std::string uid;      // distinguishes an object from a later object with the same name
  std::string holder;   // empty: free
  std::chrono::seconds duration{0};
  std::uint64_t epoch = 0;  // number of the last grant
  std::string renewed;      // lease_time() of the last write
  std::optional<lock::LockRecord> record;
};

[[nodiscard]] std::optional<LeaseObject> read_lease(const kubernetes::Json& object);
// A time as Kubernetes writes it. Later times are greater texts.
[[nodiscard]] std::string lease_time(std::chrono::system_clock::time_point time);
// `now` becomes the renewTime. Each version of the object thus differs from the version before.
[[nodiscard]] std::string write_lease(const LeaseObject& lease, const std::string& cluster_label,
                                      std::chrono::system_clock::time_point now);

// Returns "fixkeep-" and a hash: the name of a group may be longer than the name of a Lease is
// allowed to be.
[[nodiscard]] std::string lease_name(const std::string& cluster, const GroupKey& group);
// Returns the value of the label fixkeep-cluster. The watch selects the Leases of a cluster by this
// label.
[[nodiscard]] std::string lease_label(const std::string& cluster);

}  // namespace fixkeep::engine
