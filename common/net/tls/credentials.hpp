// Credentials prove the name of this node by a certificate, and check those of others: TLS 1.3 with
// certificates of both sides, which the cluster's own authority has signed.
//
// A certificate says in one URI whose it is: fixkeep://CLUSTER/ROLE/NAME, in the manner of SPIFFE.
// Nothing else in it counts: no host name, no address, no common name. So a node may move, and a
// stolen key makes a false node of that one name and role.
//
// Thread rule: immutable once it is loaded; a renewal loads another one, and connections keep that
// with which they began. Bounds: files of `certificate_file_bytes`. Errors: of load(), one sentence
// that names the file and says what to change; of handshakes, Errc::certificate_….
#pragma once

#include <openssl/types.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.hpp"
#include "common/net/tls/identity.hpp"

namespace fixkeep::net {

inline constexpr std::string_view link_protocol = "fixkeep-link/1";  // in ALPN

class TlsCredentials {
 public:
  using Loaded = std::variant<std::shared_ptr<TlsCredentials>, std::string>;
  // `self`: whose the certificate has to be.
  [[nodiscard]] static Loaded load(const TlsFiles& files, const CertifiedNode& self);

  [[nodiscard]] boost::asio::ssl::context& context() { return context_; }
  // The certificate or its authority expires then, whichever comes first.
  [[nodiscard]] std::chrono::sys_seconds expires_at() const { return expires_at_; }
  // Whether the certificate that the other side of a connection has shown is revoked by now.
  [[nodiscard]] bool revokes_peer_of(SSL* connection) const;

 private:
  TlsCredentials();
  [[nodiscard]] std::string take(const TlsFiles& files, const CertifiedNode& self);

  boost::asio::ssl::context context_;
  std::chrono::sys_seconds expires_at_{};
  bool has_revocations_ = false;
};

// Returns the node on the other side of a finished handshake.
[[nodiscard]] Result<CertifiedNode> peer_of(SSL* connection);
// Why a handshake failed, or the first read after it: in TLS 1.3 the side that dialled hears only
// then that its own certificate was refused. Any other error stays as it is.
[[nodiscard]] boost::system::error_code reason_of(SSL* connection, boost::system::error_code error);
// Bytes that both ends of this connection know, and nobody else: RFC 5705.
[[nodiscard]] std::string channel_key(SSL* connection);

}  // namespace fixkeep::net
