// The certificate with which an HTTP server proves to its clients that it is the host that they
// meant: TLS 1.2 or 1.3, with a certificate of any authority that the clients know. Clients need
// none, unless `clients` names the authority of theirs: a client without one is not heard then, nor
// one whose certificate is revoked.
//
// Thread rule: immutable once it is loaded; a renewal loads another one, and connections keep that
// with which they began. Bounds: those of certificate_files.hpp. Errors: of load(), one sentence
// that names the file and says what to change.
#pragma once

#include <openssl/types.h>

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <variant>

namespace fixkeep::net {

// Paths of PEM files; both empty: HTTP is plain.
struct HttpsFiles {
  std::string certificate;
  std::string key;        // nobody but its owner may read it
  std::string clients;    // the authorities of the clients' certificates; empty: they need none
  std::string revoked{};  // their lists of certificates that count no more; empty: none

  friend bool operator==(const HttpsFiles&, const HttpsFiles&) = default;
};

class HttpsCertificate {
 public:
  using Loaded = std::variant<std::shared_ptr<HttpsCertificate>, std::string>;
  [[nodiscard]] static Loaded load(const HttpsFiles& files);

  [[nodiscard]] boost::asio::ssl::context& context() { return context_; }
  [[nodiscard]] std::chrono::sys_seconds expires_at() const { return expires_at_; }
  // Whether a connection that began with an older one has to end: its client has shown a
  // certificate that is revoked by now, or has yet to show one, which the older one might believe.
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
