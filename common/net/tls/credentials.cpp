#include "common/net/tls/credentials.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/ssl/error.hpp>
#include <ctime>

#include "common/net/tls/certificate_files.hpp"
#include "common/net/tls/revocations.hpp"
#include "common/net/tls/x509.hpp"

namespace fixkeep::net {
namespace {

namespace ssl = boost::asio::ssl;

using Store = std::unique_ptr<X509_STORE, FreedBy<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, FreedBy<X509_STORE_CTX_free>>;

// The name of the protocol after a byte with its length, as in ALPN's list.
constexpr std::string_view protocols{
    "\x0e"
    "fixkeep-link/1"};
static_assert(protocols.substr(1) == link_protocol && protocols[0] == link_protocol.size());

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

int choose_protocol(SSL* /*connection*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*unused*/) {
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, out_size, bytes_of(protocols), protocols.size(),
                                          offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::string day_of(std::chrono::sys_seconds time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  (void)std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

std::string in_words(const CertifiedNode& node) {
  return fmt::format("{} {} of cluster \"{}\"", node.role == Role::master ? "master" : "worker",
                     node.name, node.cluster);
}

// Returns the reason why the certificate is unusable; empty: it is usable.
std::string problem_of(X509_STORE* store, X509* certificate, STACK_OF(X509) * between) {
  const StoreContext check{X509_STORE_CTX_new()};
  X509_STORE_CTX_init(check.get(), store, certificate, between);
  if (X509_verify_cert(check.get()) == 1) return {};
  switch (X509_STORE_CTX_get_error(check.get())) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("it has expired on {}: renew it with fixkeepctl certs renew",
                         day_of(end_of(X509_STORE_CTX_get_current_cert(check.get()))));
    case X509_V_ERR_CERT_NOT_YET_VALID: return "it is not valid yet: look at the clock";
    case X509_V_ERR_CERT_REVOKED:
      return "it is revoked: make another one with fixkeepctl certs node";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return "it was not signed by the authority";
    default: return X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()));
  }
}

}  // namespace

TlsCredentials::TlsCredentials() : context_(ssl::context::tlsv13) {}

TlsCredentials::Loaded TlsCredentials::load(const TlsFiles& files, const CertifiedNode& self) {
  std::shared_ptr<TlsCredentials> made{new TlsCredentials};
  auto problem = made->take(files, self);
  ERR_clear_error();
  if (!problem.empty()) return problem;
  return made;
}

std::string TlsCredentials::take(const TlsFiles& files, const CertifiedNode& self) {
  const auto authorities = read_certificates(files.authority);
  if (const auto* const problem = std::get_if<std::string>(&authorities)) return *problem;
  const auto read = read_certified_key(files.certificate, files.key);
  if (const auto* const problem = std::get_if<std::string>(&read)) return *problem;
  const auto& certified = std::get<CertifiedKey>(read);
  X509* const own = certified.own();

  SSL_CTX* const native = context_.native_handle();
  const Store store{X509_STORE_new()};
  expires_at_ = end_of(own);
  for (const auto& each : std::get<0>(authorities)) {
    X509_STORE_add_cert(store.get(), each.get());
    expires_at_ = std::min(expires_at_, end_of(each.get()));
  }
  if (!files.revoked.empty()) {
    auto problem = add_revocations(files.revoked, std::get<0>(authorities), store.get());
    if (!problem.empty()) return problem;
    has_revocations_ = true;
  }
  const auto between = certified.between();
  if (const auto problem = problem_of(store.get(), own, between.get()); !problem.empty()) {
    return fmt::format("the certificate {} cannot be used: {}", files.certificate, problem);
  }
  const auto whose = node_of(own);
  if (!whose) {
    return fmt::format("the certificate {} names no node; make one with fixkeepctl certs node",
                       files.certificate);
  }
  if (*whose != self) {
    return fmt::format("the certificate {} belongs to {}, and this node is {}", files.certificate,
                       in_words(*whose), in_words(self));
  }

  SSL_CTX_set1_cert_store(native, store.get());
  SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(native, TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  // SSL_MODE_RELEASE_BUFFERS is not set: a node has few links, and each message would allocate the
  // buffers again.
  SSL_CTX_set_ciphersuites(
      native, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  const bool complete = certified.put_into(native) &&
                        SSL_CTX_set_alpn_protos(native, bytes_of(protocols), protocols.size()) == 0;
  if (!complete) return fmt::format("OpenSSL does not take {}", files.certificate);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  return {};
}

bool TlsCredentials::revokes_peer_of(SSL* connection) const {
  // Asio offers no const access to its context.
  auto* const native = const_cast<ssl::context&>(context_).native_handle();
  return has_revocations_ && has_revoked_peer(connection, SSL_CTX_get_cert_store(native));
}

Result<CertifiedNode> peer_of(SSL* connection) {
  const Certificate certificate{SSL_get1_peer_certificate(connection)};
  if (certificate == nullptr) return Errc::certificate_missing;
  const unsigned char* protocol = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(connection, &protocol, &size);
  const std::string_view chosen{reinterpret_cast<const char*>(protocol), size};
  if (chosen != link_protocol) return Errc::wrong_version;
  auto node = node_of(certificate.get());
  if (!node) return Errc::certificate_refused;
  return std::move(*node);
}

boost::system::error_code reason_of(SSL* connection, boost::system::error_code error) {
  if (error.category() != boost::asio::error::get_ssl_category()) return error;
  // These results show what is wrong with the other side's certificate.
  switch (SSL_get_verify_result(connection)) {
    case X509_V_OK: break;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID: return Errc::certificate_expired;
    case X509_V_ERR_CERT_REVOKED: return Errc::certificate_refused;
    default: return Errc::certificate_unknown_authority;
  }
  // These alerts show what the other side found wrong with our certificate.
  switch (ERR_GET_REASON(static_cast<unsigned long>(error.value()))) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return Errc::certificate_missing;
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: return Errc::certificate_expired;
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA: return Errc::certificate_unknown_authority;
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED: return Errc::certificate_refused;
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_RECORD_TYPE:
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: return Errc::not_tls;
    case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
    case SSL_R_NO_APPLICATION_PROTOCOL: return Errc::wrong_version;
    default: return error;
  }
}

std::string channel_key(SSL* connection) {
  constexpr std::string_view label = "EXPERIMENTAL-fixkeep-link";
  std::string key(32, '\0');
  if (SSL_export_keying_material(connection, reinterpret_cast<unsigned char*>(key.data()),
                                 key.size(), label.data(), label.size(), nullptr, 0, 0) != 1) {
    key.clear();
  }
  return key;
}

}  // namespace fixkeep::net
