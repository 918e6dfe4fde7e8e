#include "common/net/tls/https_certificate.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string_view>

#include "common/net/tls/certificate_files.hpp"
#include "common/net/tls/revocations.hpp"

namespace fixkeep::net {
namespace {

// The name of the protocol after a byte with its length, as in ALPN's list.
constexpr std::string_view http_protocol{"\x08http/1.1"};

// A client that offers only other protocols is not refused: it may still speak HTTP/1.1.
int choose_http(SSL* /*connection*/, const unsigned char** out, unsigned char* out_size,
                const unsigned char* offered, unsigned int offered_size, void* /*unused*/) {
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(
      &chosen, out_size, reinterpret_cast<const unsigned char*>(http_protocol.data()),
      http_protocol.size(), offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

HttpsCertificate::HttpsCertificate() : context_(boost::asio::ssl::context::tls_server) {}

HttpsCertificate::Loaded HttpsCertificate::load(const HttpsFiles& files) {
  std::shared_ptr<HttpsCertificate> made{new HttpsCertificate};
  auto problem = made->take(files);
  ERR_clear_error();
  if (!problem.empty()) return problem;
  return made;
}

std::string HttpsCertificate::take(const HttpsFiles& files) {
  const auto read = read_certified_key(files.certificate, files.key);
  if (const auto* const problem = std::get_if<std::string>(&read)) return *problem;
  const auto& certified = std::get<CertifiedKey>(read);
  expires_at_ = end_of(certified.own());
  SSL_CTX* const native = context_.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Frees the buffers of a silent connection, because there may be 20 000 such connections.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);  // clients store tickets instead
  if (!certified.put_into(native))
    return fmt::format("OpenSSL does not take {}", files.certificate);
  SSL_CTX_set_alpn_select_cb(native, choose_http, nullptr);
  return files.clients.empty() ? std::string{} : demand_certificates_of(files);
}

std::string HttpsCertificate::demand_certificates_of(const HttpsFiles& files) {
  const auto read = read_certificates(files.clients);
  if (const auto* const problem = std::get_if<std::string>(&read)) return *problem;
  SSL_CTX* const native = context_.native_handle();
  for (const auto& each : std::get<0>(read)) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(native), each.get());
    SSL_CTX_add_client_CA(native, each.get());  // browsers offer only certificates signed by these
  }
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Without tickets, each connection must show its certificate again, so an expired certificate
  // cannot be used.
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(native, 0);
  if (files.revoked.empty()) return {};
  has_revocations_ = true;
  return add_revocations(files.revoked, std::get<0>(read), SSL_CTX_get_cert_store(native));
}

bool HttpsCertificate::ends(SSL* connection) const {
  if (!has_revocations_) return false;
  auto* const native = const_cast<boost::asio::ssl::context&>(context_).native_handle();
  return SSL_is_init_finished(connection) == 0 ||
         has_revoked_peer(connection, SSL_CTX_get_cert_store(native));
}

}  // namespace fixkeep::net
