// The certificate that proves the host of an HTTP server to its clients: TLS 1.2 or 1.3 with any
// authority that the clients know. Clients need a certificate only if `clients` names their
// authority. Then a client without one or with a revoked one is refused.
//
// Thread rule: immutable once loaded. A renewal loads another object and connections keep their
// first one. Bounds: as in certificate_files.hpp. Errors of load(): one sentence with the file and
// the change to make.
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
  std::string key;        // readable by its owner only
  std::string clients;    // authorities of client certificates, or empty
  std::string revoked{};  // lists of revoked client certificates, or empty

  friend bool operator==(const HttpsFiles&, const HttpsFiles&) = default;
};

class HttpsCertificate {
 public:
  using Loaded = std::variant<std::shared_ptr<HttpsCertificate>, std::string>;
  [[nodiscard]] static Loaded load(const HttpsFiles& files);

  [[nodiscard]] boost::asio::ssl::context& context() { return context_; }
  [[nodiscard]] std::chrono::sys_seconds expires_at() const { return expires_at_; }
  // Whether a connection that began with an older one has to end: its client's certificate is now
  // revoked or is still to come and might pass the older check.
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
