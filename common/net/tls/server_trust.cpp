#include "common/net/tls/server_trust.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>

#include "common/net/tls/certificate_files.hpp"

namespace fixkeep::net {
namespace {

class CertificateCategory final : public boost::system::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "fixkeep.certificate"; }
  [[nodiscard]] std::string message(int code) const override {
    return fmt::format("its certificate is not believed: {}", X509_verify_cert_error_string(code));
  }
};

void believe(const std::vector<Certificate>& authorities, SSL_CTX* context) {
  for (const auto& each : authorities) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), each.get());
  }
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

}  // namespace

ServerTrust::ServerTrust() : context_(boost::asio::ssl::context::tls_client) {}

ServerTrust::Loaded ServerTrust::load(const TlsFiles& files) {
  std::shared_ptr<ServerTrust> made{new ServerTrust};
  auto problem = made->take(files);
  ERR_clear_error();
  if (!problem.empty()) return problem;
  return made;
}

ServerTrust::Loaded ServerTrust::read(const TlsTexts& texts) {
  std::shared_ptr<ServerTrust> made{new ServerTrust};
  const auto authorities = certificates_in(texts.authority);
  if (authorities.empty()) return "the authority is no certificate in PEM";
  believe(authorities, made->context_.native_handle());
  if (!texts.certificate.empty()) {
    const CertifiedKey own{certificates_in(texts.certificate), private_key_in(texts.key)};
    if (own.chain.empty()) return "the client's certificate is not in PEM";
    if (own.key == nullptr) return "the client's key is not in PEM";
    const bool fits = X509_check_private_key(own.own(), own.key.get()) == 1 &&
                      own.put_into(made->context_.native_handle());
    if (!fits) return "the client's key does not fit its certificate";
  }
  ERR_clear_error();
  return made;
}

std::string ServerTrust::take(const TlsFiles& files) {
  const auto authorities = read_certificates(files.authority);
  if (const auto* const problem = std::get_if<std::string>(&authorities)) return *problem;
  believe(std::get<0>(authorities), context_.native_handle());
  if (files.certificate.empty()) return {};
  const auto own = read_certified_key(files.certificate, files.key);
  if (const auto* const problem = std::get_if<std::string>(&own)) return *problem;
  if (std::get<CertifiedKey>(own).put_into(context_.native_handle())) return {};
  return fmt::format("OpenSSL does not take {}", files.certificate);
}

// If the host is an address, the certificate must list it as an address, and no server name is
// sent: RFC 6066 3.
void ServerTrust::expect_host(SSL* connection, const std::string& host) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  if (no_address) {
    // Like SSL_set_tlsext_host_name(), without its cast.
    std::string name = host;
    SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
    SSL_set1_host(connection, host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host.c_str());
  }
}

boost::system::error_code ServerTrust::reason(SSL* connection, boost::system::error_code error) {
  static const CertificateCategory category;
  const long found = SSL_get_verify_result(connection);
  if (!error || found == X509_V_OK) return error;
  return {static_cast<int>(found), category};
}

}  // namespace fixkeep::net
