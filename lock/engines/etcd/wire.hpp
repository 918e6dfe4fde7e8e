// Writes the etcd engine's requests to etcd's JSON gateway and reads the answers.
//
// Source: etcd's API reference, version 3 (rpc.proto), in the JSON mapping of grpc-gateway. 64-bit
// numbers are strings. Keys and values are base64. Members whose value is zero are omitted.
//
//   fixkeep/CLUSTER/lock/GROUP/ENTRY   an entry of the queue; deleted at the end of its session's
//                                      lease
//   fixkeep/CLUSTER/last/GROUP         written with every new entry: the order of entering
//   fixkeep/CLUSTER/value/GROUP        the record of the last release
//   fixkeep/CLUSTER/gone/ENTRY         an entry that must never be made again, see void_body()
//
// If `last` is empty, its revision is the ticket of the last entry. Otherwise the value of `last`
// is the ticket of an earlier entry: all later entries have left without ever holding the key.
// `last` and `value` belong to the lease of records, so that idle groups do not fill the server. A
// holder that finds no record fences.
//
// Thread rule: free functions without state. Errors: an unexpected answer gives no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lock/core/server/queue_lock.hpp"

namespace fixkeep::engine {

struct EtcdNames {
  std::string prefix;  // "fixkeep/CLUSTER/"

  [[nodiscard]] std::string lock_prefix() const { return prefix + "lock/"; }
  [[nodiscard]] std::string queue(const GroupKey& group) const;
  [[nodiscard]] std::string last(const GroupKey& group) const;
  [[nodiscard]] std::string value(const GroupKey& group) const;
  [[nodiscard]] std::string gone(std::string_view entry) const;
};

// One of our entries. No other entry ever has the same `name`: it contains the lease and the number
// of the entry in its session.
struct EtcdEntry {
  std::string name;
  std::int64_t lease = 0;
  std::int64_t record_lease = 0;
};

// --- bodies of /v3/kv/txn
[[nodiscard]] std::string enter_body(const EtcdNames& names, const GroupKey& group,
                                     const EtcdEntry& entry);
[[nodiscard]] std::string look_body(const EtcdNames& names, const GroupKey& group,
                                    const EtcdEntry& entry, std::uint64_t ticket);
// Deletes the entry. Also writes the ticket of the entry before it (`before`) into the key `last`,
// if that ticket is known and no later entry was made.
[[nodiscard]] std::string leave_body(const EtcdNames& names, const GroupKey& group,
                                     const EtcdEntry& entry, std::uint64_t ticket,
                                     std::uint64_t before);
[[nodiscard]] std::string release_body(const EtcdNames& names, const GroupKey& group,
                                       const EtcdEntry& entry, const lock::LockRecord& record);
// After this request, nothing can make the entry. Use this request if an unanswered enter request
// may be on its way.
[[nodiscard]] std::string void_body(const EtcdNames& names, const EtcdEntry& entry);

// --- answers
struct EtcdStanding {
  lock::QueueStanding standing;
  std::string ahead;  // the key directly before our entry, if our entry is not the oldest
  std::uint64_t revision = 0;
  bool look_first = false;  // the entry existed already: request its place
};
[[nodiscard]] std::optional<EtcdStanding> read_entered(std::string_view answer);
[[nodiscard]] std::optional<EtcdStanding> read_looked(std::string_view answer,
                                                      std::uint64_t ticket);

struct EtcdLease {
  std::int64_t id = 0;
  std::int64_t ttl_s = 0;  // 0: the lease does not exist
};
[[nodiscard]] std::string grant_lease_body(std::int64_t ttl_s);
[[nodiscard]] std::string lease_body(std::int64_t id);  // body of keepalive and revoke
[[nodiscard]] std::optional<EtcdLease> read_lease(std::string_view answer);

inline constexpr std::string_view authenticate_path = "/v3/auth/authenticate";
[[nodiscard]] std::string authenticate_body(std::string_view username, std::string_view password);
[[nodiscard]] std::optional<std::string> read_auth_token(std::string_view answer);

[[nodiscard]] std::string watch_body(const EtcdNames& names);
struct EtcdWatchNews {
  bool opened = false;
  bool cancelled = false;
  std::vector<std::string> deleted;
  std::uint64_t revision = 0;  // the report is complete up to this revision
};
[[nodiscard]] std::optional<EtcdWatchNews> read_watch(std::string_view line);

// Returns true if an answer says that our token is void: it has expired, or users or rights have
// changed. If the token is a JWT, etcd answers with status 400.
[[nodiscard]] bool wants_another_token(unsigned status, std::string_view answer);
// Returns true if an error answer says that the server does not know the lease.
[[nodiscard]] bool says_lease_unknown(std::string_view answer);

}  // namespace fixkeep::engine
