// Links: one ordered TCP connection between two nodes of a cluster.
//
// A LinkHub has all links of one process. It listens for nodes that dial us and dials the given
// nodes. Its users see "up", "message", "down" and send() only. Masters dial the masters with a
// lower number. Workers dial every master.
//
// Handshake (both directions, before any message): with LinkOptions::tls first TLS 1.3 with
// certificates that name both sides. Then protocol version, cluster id, role, node name and
// incarnation. Last an HMAC-SHA256 over both sides' random challenges, roles and names: see
// handshake.hpp. Without TLS its key is the cluster's secret: a holder of it can pose as any node
// and an attacker on the wire can change later messages. That is for one machine.
//
// Guarantees: 1. each connection has on_up, then messages in order, then on_down exactly once.
//             2. a message of an older connection is never delivered after on_up of a newer one.
//             3. a peer that is silent for `heartbeat_timeout` is down. Only time in which this
//                process was awake counts: a late tick too is one `heartbeat_interval` at most. A
//                link that is idle for `heartbeat_interval` sends a heartbeat.
//             4. a node that sent a malformed message is kept out for a while (breaches.hpp).
//             5. all bytes that wait when the socket becomes writable go out in one write.
// Fault model: peers may crash, pause, restart, send any bytes; packets may be lost or delayed.
// Thread rule: one io_context, one thread; callbacks come from it and never from inside send().
// Bounds: `send_queue_bytes` a link, beyond it the link is closed (Errc::send_queue_full);
//         `links` links, `pending_handshakes` unauthenticated connections; frames as in
//         wire/limits.hpp.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time_limits.hpp"
#include "common/net/dial/name_lookups.hpp"
#include "common/net/node.hpp"
#include "common/net/tls/identity.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::net {

struct LinkOptions {
  std::string cluster;  // cluster id; both sides must have the same
  std::string secret;   // shared by all nodes, at least 16 bytes; of no use with TLS
  std::shared_ptr<TlsCredentials> tls;  // null: links are plain TCP
  TlsFiles tls_files;                   // the files of `tls`, for display
  std::string without_tls = "on-loopback";
  Node self;
  std::string admits{};                    // see Peer; at most admits_bytes
  std::string listen_address;              // empty: does not listen
  std::uint16_t listen_port = 0;           // 0: any, see port()
  std::vector<std::string> known_masters;  // a master of another name is refused (unknown_node)
  std::chrono::milliseconds heartbeat_interval{time_limits::heartbeat_interval};
  std::chrono::milliseconds heartbeat_timeout{1500};
  std::chrono::milliseconds handshake_timeout{2000};
  std::chrono::milliseconds reconnect_first{50};  // doubles with jitter up to reconnect_most
  std::chrono::milliseconds reconnect_most{time_limits::reconnect_most};
  std::size_t send_queue_bytes = 64U << 20U;
  std::size_t pending_handshakes = 64;  // half of them for one address; the oldest goes
  std::shared_ptr<NameLookups> lookups = NameLookups::of_the_system();
  // More than the nodes of any cluster that we know; one is set aside for each known master.
  // Beyond: too_many_links.
  std::size_t links = 1024;
};

struct LinkCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t writes = 0;  // frames_sent / writes is the natural batch
  std::uint64_t handshakes_failed = 0;
  std::int64_t certificate_expires_s = 0;  // seconds since 1970; 0: links are plain
};

// A link that did not come about.
struct LinkFailure {
  bool dialled = false;  // true: we dialled; false: the other side did
  std::string name;      // name expected by us, or claimed by the other side; may be empty
  std::string address;   // "host:port"
  boost::system::error_code reason;
  std::uint32_t other_version = 0;  // protocol version, if that is the reason; 0: unknown
};

struct LinkHandlers {
  std::function<void(const Peer&)> on_up;
  // The roles of both ends say which of them hears a message. A message of another direction or
  // without a handler ends its link.
  std::function<void(const Peer&, wire::FromWorker&&)> on_worker_said;
  std::function<void(const Peer&, wire::ToWorker&&)> on_master_said;      // message to a worker
  std::function<void(const Peer&, wire::BetweenMasters&&)> on_peer_said;  // between masters
  std::function<void(const Peer&, boost::system::error_code)> on_down;
  // A handshake that failed, ours or theirs. May be empty.
  std::function<void(const LinkFailure&)> on_refused;
  // No node answered a dial; called at each attempt. May be empty.
  std::function<void(const LinkFailure&)> on_unreachable;
  // After a run of messages: everything that had arrived has been delivered. Work that is put off
  // to this place is done once a batch. May be empty.
  std::function<void()> on_batch_end;
};

// A node that we dial.
struct LinkTarget {
  std::string name;  // a node of another name is refused
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const LinkTarget&, const LinkTarget&) = default;
};

class LinkHub {
 public:
  // Errors: the address cannot be listened on.
  [[nodiscard]] static Result<std::unique_ptr<LinkHub>> start(boost::asio::io_context& context,
                                                              LinkOptions options,
                                                              LinkHandlers handlers);
  ~LinkHub();
  LinkHub(const LinkHub&) = delete;
  LinkHub& operator=(const LinkHub&) = delete;

  // Keeps a link to the node for good.
  void dial(LinkTarget target);
  // Keeps links to exactly these: dials new ones and gives up the others and their links.
  void dial_only(const std::vector<LinkTarget>& targets);
  // These masters may have links from now on; one that is not among them loses its own.
  void know(std::vector<std::string> masters);

  // Queues the message for the node. False: there is no link; on_down was or will be called.
  // For a caller that puts events off (common/node/known_links.hpp): false also if `link` is no
  // longer the node's link.
  bool send(Role role, const std::string& name, LinkNumber link, const wire::Message& message);
  // Sends on the present link of the node for a caller that acts on each event at once.
  bool send(Role role, const std::string& name, const wire::Message& message);

  // Sends queued messages now instead of in the next turn of the loop as far as the sockets take
  // them. It is for a caller with long work to do.
  void flush();

  // Closes the current connection if any. A dialled one is dialled again after the back-off. With a
  // number: only if it is that connection. The other side is told why if that is meant for it
  // (wire::is_told) and the socket takes it at once.
  void close(Role role, const std::string& name, LinkNumber link, boost::system::error_code reason);
  void close(Role role, const std::string& name, boost::system::error_code reason);

  // New links use these; the others stay. Links of nodes with a revoked certificate are closed
  // (Errc::certificate_refused).
  void renew(std::shared_ptr<TlsCredentials> tls);
  // Tells the masters `admits` by new links (Errc::connect_anew) if it has changed.
  void admit(std::string admits);

  // Graceful end: sends what is queued within `limit`, then closes everything (Errc::stopping).
  void stop(std::chrono::milliseconds limit);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const LinkCounters& counters() const;

 private:
  class Impl;
  explicit LinkHub(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
