// A link is one ordered TCP connection between two nodes of a cluster.
//
// A LinkHub has all links of one process: it listens for nodes that dial us, and dials the given
// nodes. Its users see only "up", "message", "down" and send(). Masters dial the masters with a
// lower number. Workers dial every master.
//
// A handshake in both directions comes before any message. With LinkOptions::tls the handshake
// begins with TLS 1.3, and certificates name both sides. Next, each side sends its protocol
// version, cluster id, role, node name and incarnation. Finally, each side proves itself by an
// HMAC-SHA256 over both sides' random challenges, roles and names: see handshake.hpp. Without TLS,
// the HMAC's key is the cluster's secret: each owner of the secret can claim to be any node, and an
// attacker on the wire can change later messages. Use links without TLS on one machine only.
//
// Guarantees: 1. each connection has on_up, then messages in order, then on_down exactly once.
//             2. a message of an older connection is never delivered after on_up of a newer
//               connection.
//             3. a peer that is silent for `heartbeat_timeout` is down. Only time in which this
//                process was awake counts: a late tick counts as at most one `heartbeat_interval`.
//                A link that is idle for `heartbeat_interval` sends a heartbeat.
//             4. a node that sent a malformed message is kept out for a while (breaches.hpp).
//             5. all bytes that wait when a write has ended are sent in the next write.
// Fault model: peers may crash, pause, restart, send any bytes; packets may be lost or delayed.
// Thread rule: one io_context, one thread; the io_context calls the callbacks, never within send().
// Bounds: a link with more than `send_queue_bytes` unsent bytes is closed (Errc::send_queue_full).
// A hub has at most `links` links and `pending_handshakes` unauthenticated connections. Frames: as
// in wire/limits.hpp.
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
  std::string cluster;                  // cluster id; equal on both sides
  std::string secret;                   // shared by all nodes, at least 16 bytes; not used with TLS
  std::shared_ptr<TlsCredentials> tls;  // null: links are plain TCP
  TlsFiles tls_files;                   // the files of `tls`, for display
  std::string without_tls = "on-loopback";
  Node self;
  std::string admits{};                    // see Peer; at most admits_bytes
  std::string listen_address;              // empty: the hub does not listen
  std::uint16_t listen_port = 0;           // 0: any; see port()
  std::vector<std::string> known_masters;  // a master of another name is refused (unknown_node)
  std::chrono::milliseconds heartbeat_interval{time_limits::heartbeat_interval};
  std::chrono::milliseconds heartbeat_timeout{1500};
  std::chrono::milliseconds handshake_timeout{2000};
  std::chrono::milliseconds reconnect_first{50};  // doubles with jitter up to reconnect_most
  std::chrono::milliseconds reconnect_most{time_limits::reconnect_most};
  std::size_t send_queue_bytes = 64U << 20U;
  std::size_t pending_handshakes = 64;  // at most half from one address: pending_handshakes.hpp
  std::shared_ptr<NameLookups> lookups = NameLookups::of_the_system();
  // The largest number of links; further links are refused (too_many_links). One link is reserved
  // for each known master. The default is more than any cluster that we know needs.
  std::size_t links = 1024;
};

struct LinkCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t writes = 0;  // frames_sent / writes is the mean size of a batch
  std::uint64_t handshakes_failed = 0;
  std::int64_t certificate_expires_s = 0;  // seconds since 1970; 0: links are plain
};

// A link that was not established.
struct LinkFailure {
  bool dialled = false;  // true: we dialled; false: the other side did
  std::string name;      // expected by us, or claimed by the other side; may be empty
  std::string address;   // "host:port"
  boost::system::error_code reason;
  std::uint32_t other_version = 0;  // protocol version, if this is the reason; 0: unknown
};

struct LinkHandlers {
  std::function<void(const Peer&)> on_up;
  // The roles of both ends decide which handler gets a message. A message ends its link if these
  // roles do not exchange such messages, or if its handler is missing.
  std::function<void(const Peer&, wire::FromWorker&&)> on_worker_said;
  std::function<void(const Peer&, wire::ToWorker&&)> on_master_said;      // message to a worker
  std::function<void(const Peer&, wire::BetweenMasters&&)> on_peer_said;  // between masters
  std::function<void(const Peer&, boost::system::error_code)> on_down;
  // Called when a handshake has failed. Either side may have dialled. May be empty.
  std::function<void(const LinkFailure&)> on_refused;
  // Called after each dial that did not reach its node. May be empty.
  std::function<void(const LinkFailure&)> on_unreachable;
  // Called after a batch of messages, when all arrived messages are delivered. Here the owner can
  // do work one time for the whole batch. May be empty.
  std::function<void()> on_batch_end;
};

// A node that we dial.
struct LinkTarget {
  std::string name;  // nodes with another name are refused
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const LinkTarget&, const LinkTarget&) = default;
};

class LinkHub {
 public:
  // Errors: the hub cannot listen on the address.
  [[nodiscard]] static Result<std::unique_ptr<LinkHub>> start(boost::asio::io_context& context,
                                                              LinkOptions options,
                                                              LinkHandlers handlers);
  ~LinkHub();
  LinkHub(const LinkHub&) = delete;
  LinkHub& operator=(const LinkHub&) = delete;

  // Dials the node now, and again after each failed dial and each loss of its link.
  void dial(LinkTarget target);
  // From now on dials exactly these targets. Closes the links to all earlier targets that are not
  // in the list.
  void dial_only(const std::vector<LinkTarget>& targets);
  // From now on only these masters may have links. Links of other masters are closed.
  void know(std::vector<std::string> masters);

  // Queues the message for the node. Returns false if there is no link; then on_down was already
  // called or will be called. A caller that handles events later (common/node/known_links.hpp)
  // gives the `link` that it knows. If the node has another link now, the message is not sent and
  // false is returned.
  bool send(Role role, const std::string& name, LinkNumber link, const wire::Message& message);
  // Sends on the node's current link, for a caller that handles each event immediately.
  bool send(Role role, const std::string& name, const wire::Message& message);

  // Sends queued messages now, as far as the sockets accept them, instead of in the next turn of
  // the loop. Call this before long work.
  void flush();

  // Closes the node's current connection, if any. A dialled connection is dialled again after the
  // back-off. If `link` is given, closes only this connection. The other side gets the reason if
  // wire::is_told(reason) and the socket accepts the bytes immediately.
  void close(Role role, const std::string& name, LinkNumber link, boost::system::error_code reason);
  void close(Role role, const std::string& name, boost::system::error_code reason);

  // Uses these credentials for new links. Existing links stay, but a link to a node with a revoked
  // certificate is closed (Errc::certificate_refused).
  void renew(std::shared_ptr<TlsCredentials> tls);
  // If `admits` has changed, closes the links to masters (Errc::connect_anew), because only new
  // links report `admits`.
  void admit(std::string admits);

  // Graceful end: sends the queued messages, for the time `limit` at most, then closes everything
  // (Errc::stopping).
  void stop(std::chrono::milliseconds limit);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const LinkCounters& counters() const;

 private:
  class Impl;
  explicit LinkHub(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
