// A lock that lives in a server for all keys of one master. It does the requests of Remote.
//
// An engine never blocks: it waits on the sockets of its client library with the master's
// io_context. It dials absent servers again as long as it lives, with growing pauses. Requests wait
// meanwhile. LockTable bounds their wait.
//
// The contract of perform(), with r the round of the AskEngine:
//   acquire r    ends in Granted or Lost on_reply, unless abandoned; Granted at most once
//   abandon r    nothing is said of r any more; a grant in the meantime is released without a new
//                value
//   release r    writes the value, then frees the lock, in the background; the next acquire of the
//                key, here or elsewhere, comes after it
// Requests for one key are carried out in their order. While r is held the engine renews its lease.
// An engine that is no longer sure of it says Lost{engine_failure} at once and frees what it can.
//
// Tokens grow per key over all masters and their restarts. Each engine's header says how a server's
// loss of memory affects them. `needs_fence` is said unless the last holder of the key released it:
// a vanished holder's order may still be on its way (docs/locks.md, "The fence").
//
// Thread rule: the thread of the io_context. Handlers are called from it, never from within
// perform(). Bounds: EngineOptions::keys; beyond it an acquire is Lost at once. Errors:
// Lost{engine_failure}. Each change of the reason is logged once.
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
  std::string strategy;  // redis, redlock, etcd or zookeeper
  MasterId self;
  std::string cluster;                            // clusters share a server without sharing locks
  std::vector<ServerAddress> servers;             // lock.servers
  std::string username;                           // empty: none
  std::string password;                           // empty: none
  Duration ttl{std::chrono::seconds{5}};          // a master silent for so long has lost its locks
  Duration retry{std::chrono::milliseconds{10}};  // redis, redlock: mean pause between two tries
  Duration reply{std::chrono::seconds{1}};        // a server that does not answer in time is away
  net::TlsFiles tls_files;                        // lock.tls
  std::shared_ptr<net::ServerTrust> tls;          // trust made of tls_files; null: plain
  std::size_t keys = 100'000;                     // keys wanted or held at a time
  std::uint64_t seed = 0;                         // seed of owner values and pauses
};

// The reason why a request or a connection came to nothing.
enum class Failure : std::uint8_t {
  unreachable,  // no address, no connection, or a connection that broke
  timeout,      // no answer in time
  refused,      // an answer, but an error: wrong password, read-only, not now
};

// Counts since the start. Bytes are the protocol's without TCP's. 0 if the library hides them.
struct EngineStatistics {
  std::uint64_t requests_sent = 0;
  std::uint64_t replies_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t connections_lost = 0;
  std::uint64_t locks_lost = 0;  // locks lost while they were held
  std::uint64_t reconnects = 0;  // a server that had been reached and was lost is reached again
  std::uint64_t failures_unreachable = 0;
  std::uint64_t failures_timeout = 0;
  std::uint64_t failures_refused = 0;
  std::string last_failure;  // "127.0.0.1:6379: it does not answer"; empty: none yet

  static constexpr std::size_t last_failure_bytes = 300;
  void failed(Failure kind, std::string_view server, std::string_view why);
};

struct EngineHandlers {
  std::function<void(const GroupKey&, const lock::EngineReply&)> on_reply;
  // Says whether enough servers can be reached to grant a lock.
  std::function<void(bool ready)> on_ready;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;  // says nothing any more; what was held lapses

  virtual void perform(const GroupKey& key, lock::AskEngine&& ask) = 0;
  // Releases everything and says goodbye to the servers within `limit`. Then nothing is left in the
  // io_context. No handler is called any more.
  virtual void stop(Duration limit) = 0;
  [[nodiscard]] virtual bool ready() const = 0;
  [[nodiscard]] virtual const EngineStatistics& statistics() const = 0;
};

// REQUIRES: `strategy` is one of an engine. Errors: the addresses are of no use, or the client
// library refuses to start. Absent servers are no error.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(boost::asio::io_context& context,
                                                          const EngineOptions& options,
                                                          EngineHandlers handlers);

}  // namespace fixkeep::engine
