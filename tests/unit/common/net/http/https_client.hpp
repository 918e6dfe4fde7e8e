// A blocking client that sends any bytes over TLS, as test_client.hpp does without.
#pragma once

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <csignal>
#include <memory>
#include <string>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {

struct TlsSetup {
  int oldest = TLS1_2_VERSION;
  int newest = TLS1_3_VERSION;
  std::string protocols;    // as ALPN lists them
  std::string certificate;  // of the client, a file; empty: it has none
  std::string key;
};

// Believes what the authority has signed, whatever host it names.
class HttpsClient : public Client {
 public:
  HttpsClient(std::uint16_t port, const std::string& authority, const TlsSetup& setup = {})
      : Client(port), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    EXPECT_EQ(SSL_CTX_load_verify_file(context_.get(), authority.c_str()), 1);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_security_level(context_.get(), 0);  // or TLS 1.1 would not even be asked for
    ssl_ = {SSL_new(context_.get()), SSL_free};
    SSL_set_min_proto_version(ssl_.get(), setup.oldest);
    SSL_set_max_proto_version(ssl_.get(), setup.newest);
    if (!setup.protocols.empty()) {
      SSL_set_alpn_protos(ssl_.get(),
                          reinterpret_cast<const unsigned char*>(setup.protocols.data()),
                          static_cast<unsigned>(setup.protocols.size()));
    }
    if (!setup.certificate.empty()) {
      EXPECT_EQ(SSL_use_certificate_file(ssl_.get(), setup.certificate.c_str(), SSL_FILETYPE_PEM),
                1);
      EXPECT_EQ(SSL_use_PrivateKey_file(ssl_.get(), setup.key.c_str(), SSL_FILETYPE_PEM), 1);
    }
    SSL_set_fd(ssl_.get(), socket());
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to closed sockets without asking for none
    welcome_ = SSL_connect(ssl_.get()) == 1;
  }

  void send(std::string_view bytes) override {
    std::size_t written = 0;
    (void)SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
  }
  [[nodiscard]] bool is_welcome() const { return welcome_; }
  [[nodiscard]] bool was_told_goodbye() const {
    return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  [[nodiscard]] SSL* tls() { return ssl_.get(); }
  [[nodiscard]] std::string serial() const {
    const std::unique_ptr<X509, void (*)(X509*)> theirs{SSL_get1_peer_certificate(ssl_.get()),
                                                        X509_free};
    if (!theirs) return "none";
    const ASN1_INTEGER* const number = X509_get0_serialNumber(theirs.get());
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(number)),
            static_cast<std::size_t>(ASN1_STRING_length(number))};
  }
  [[nodiscard]] std::string protocol() const {
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &chosen, &size);
    return {reinterpret_cast<const char*>(chosen), size};
  }

 private:
  long receive(char* bytes, std::size_t most) override {
    std::size_t got = 0;
    return SSL_read_ex(ssl_.get(), bytes, most, &got) == 1 ? static_cast<long>(got) : 0;
  }

  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, SSL_free};
  bool welcome_ = false;
};

}  // namespace fixkeep::net::test
