// The certificate with which an HTTP server proves its host name to clients: TLS 1.2 or 1.3, with
// any authority that the clients know. If `clients` names authorities, each client needs a
// certificate of one of them: a client without a certificate, or with a revoked certificate, is
// refused.
//
// Thread rule: immutable after loading. A renewal loads a new object; existing connections keep
// their object. Bounds: as in certificate_files.hpp. Errors of load(): one sentence that names the
// file and the necessary change.
#pragma once

#include <openssl/types.h>

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <variant>

namespace fixkeep::net {

// Paths of PEM files. If `certificate` and `key` are empty, HTTP is plain.
struct HttpsFiles {
  std::string certificate;
  std::string key;        // only its owner may read it
  std::string clients;    // authorities of client certificates; may be empty
  std::string revoked{};  // lists of revoked client certificates; may be empty

  friend bool operator==(const HttpsFiles&, const HttpsFiles&) = default;
};

class HttpsCertificate {
 public:
  using Loaded = std::variant<std::shared_ptr<HttpsCertificate>, std::string>;
  [[nodiscard]] static Loaded load(const HttpsFiles& files);

  [[nodiscard]] boost::asio::ssl::context& context() { return context_; }
  [[nodiscard]] std::chrono::sys_seconds expires_at() const { return expires_at_; }
  // Returns true if a connection that began with an older object must end. There are two such
  // cases: the client's certificate is now revoked, or the handshake is not finished and would use
  // the older revocations.
  [[nodiscard]] bool ends(SSL* connection) const;

 private:
  HttpsCertificate();
  [[nodiscard]] std::string take(const HttpsFiles& files);
  [[nodiscard]] std::string demand_certificates_of(const HttpsFiles& files);

  boost::asio::ssl::context context_;
  std::chrono::sys_seconds expires_at_{};
  bool has_revocations_ = false;
};

}  // namespace fixkeep::net
