// A lock service in one or more servers, for all keys of one master. It executes the requests of
// Remote.
//
// An engine never blocks: it waits on the sockets of its client library with the master's
// io_context. It dials absent servers again until stop(), with growing pauses. In the meantime
// requests wait, and LockTable bounds their wait.
//
// The contract of perform(); r is the round of the AskEngine:
//   acquire r    on_reply reports Granted or Lost, unless r is abandoned; Granted at most once
//   abandon r    on_reply is not called for r any more; if r was granted in the meantime, the lock
//                is released without a new value
//   release r    writes the value, then frees the lock, in the background; the key's next acquire,
//                by any master, comes after both steps
// Requests for one key are executed in their order. While r is held, the engine renews the lease.
// If an engine can no longer be sure of the lease, it immediately reports Lost{engine_failure} and
// frees the locks that it can free.
//
// Tokens grow per key over all masters and their restarts. Each engine's header says how tokens go
// on after a server has lost its memory. A grant has `needs_fence`, unless the key's last holder
// released the lock: the order of a vanished holder may be on its way (docs/locks.md, "The fence").
//
// Thread rule: the thread of the io_context. Handlers are called from the io_context, never from
// within perform(). Bounds: EngineOptions::keys; an acquire beyond this bound immediately ends in
// Lost.
// Errors: Lost{engine_failure}. Each change of the reason is logged once.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/net/tls/server_trust.hpp"
#include "lock/core/lock_machine.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::engine {

struct ServerAddress {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};
[[nodiscard]] std::string to_string(const ServerAddress& address);  // "host:port"

struct EngineOptions {
  std::string strategy;  // redis, redlock, etcd, zookeeper, postgres, kubernetes-lease
  MasterId self;
  std::string cluster;                            // clusters on one server do not share locks
  std::vector<ServerAddress> servers;             // lock.servers
  std::string username;                           // empty: none
  std::string password;                           // empty: none
  Duration ttl{std::chrono::seconds{5}};          // a master silent for this time loses its locks
  Duration retry{std::chrono::milliseconds{10}};  // redis, redlock: mean pause between two tries
  Duration reply{std::chrono::seconds{1}};        // a server without an answer in this time is away
  net::TlsFiles tls_files;                        // lock.tls
  std::shared_ptr<net::ServerTrust> tls;          // trust made from tls_files; null: plain
  std::size_t keys = 100'000;                     // limit of keys wanted or held at the same time
  std::uint64_t seed = 0;                         // seed of owner values and pauses
};

// The reason why a request or a connection failed.
enum class Failure : std::uint8_t {
  unreachable,  // no address, no connection, or a connection that broke
  timeout,      // no answer in time
  refused,      // the server answered with an error: wrong password, read-only, busy
};

// The counters of an engine since its start. Byte counters leave out TCP's headers; they are 0 if
// the client library hides the bytes.
struct EngineStatistics {
  std::uint64_t requests_sent = 0;
  std::uint64_t replies_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t connections_lost = 0;
  std::uint64_t locks_lost = 0;  // locks lost while they were held
  std::uint64_t reconnects = 0;  // new connections to a server that had been lost
  std::uint64_t failures_unreachable = 0;
  std::uint64_t failures_timeout = 0;
  std::uint64_t failures_refused = 0;
  std::string last_failure;  // "127.0.0.1:6379: it does not answer"; empty: none yet

  static constexpr std::size_t last_failure_bytes = 300;
  void failed(Failure kind, std::string_view server, std::string_view why);
};

struct EngineHandlers {
  std::function<void(const GroupKey&, const lock::EngineReply&)> on_reply;
  // Reports whether enough servers are reachable to grant a lock.
  std::function<void(bool ready)> on_ready;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;  // calls no more handlers; held locks expire

  virtual void perform(const GroupKey& key, lock::AskEngine&& ask) = 0;
  // Releases everything and closes the sessions within `limit`. After that the engine has no work
  // left in the io_context and calls no more handlers.
  virtual void stop(Duration limit) = 0;
  [[nodiscard]] virtual bool ready() const = 0;
  [[nodiscard]] virtual const EngineStatistics& statistics() const = 0;
};

// REQUIRES: `strategy` belongs to an engine. Errors: the addresses are not usable, or the client
// library refuses to start. Absent servers are not an error.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(boost::asio::io_context& context,
                                                          const EngineOptions& options,
                                                          EngineHandlers handlers);

}  // namespace fixkeep::engine
