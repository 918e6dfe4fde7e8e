#include "common/net/http/http_settings.hpp"

namespace fixkeep::net {
namespace {

constexpr std::int64_t port_most = 65'535;
constexpr std::int64_t connections_most = 1'000'000;

const config::Text origin{1, 256,
                          R"(^(\*|(?!http://[^/]*:80$)(?!https://[^/]*:443$)[a-z][a-z0-9+.-]*)"
                          R"(://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?)$)",
                          "\"*\" or an origin as browsers write it: https://play.example, in small "
                          "letters, without a path "
                          "and without the port that goes without saying"};

void describe_address(config::Fields& fields, std::string& address) {
  fields.text("address", address, {2, 64},
              "Address to listen on: an IP address, 0.0.0.0 or :: for all.");
}

void describe_certificate(config::Fields& fields, HttpsFiles& files) {
  fields.path("certificate", files.certificate,
              "The file with the certificate and its intermediate certificates, PEM. Relative to "
              "the folder of this file. Empty: plain HTTP.");
  fields.path("key", files.key,
              "The file with the certificate's key, PEM. Only the file's owner and a group of this "
              "node may have read permission.");
}

constexpr auto tls_text =
    "The certificate that this node presents to clients: HTTPS instead of HTTP. SIGHUP reads the "
    "files again.";

}  // namespace

void describe_http(config::Fields& fields, HttpOptions& http) {
  describe_address(fields, http.address);
  fields.whole(config::always("port"), http.port, {0, port_most},
               "Port to listen on. 0: any free port; the log has its number.");
  fields.whole("connections", http.connections, {1, connections_most, "connections"},
               "Most open connections. A further connection closes the oldest idle connection of "
               "the address with the most idle connections. If none is idle, it closes the newest "
               "connection of an address that has more connections than its own, or gets 503.");
  fields.time("idle_timeout_ms", http.idle_timeout, {100, config::day_ms},
              "The node closes a connection after this time without a request.");
  {
    const auto in_tls = fields.section("tls", tls_text);
    describe_certificate(fields, http.tls_files);
  }
  fields.texts("allowed_origins", http.allowed_origins, {0, 64, true}, origin,
               "Origins of pages that may request seats (CORS), as browsers write them: "
               "https://play.example; \"*\" for all. The operators' pages need no entry.");
}

void describe_admin(config::Fields& fields, AdminOptions& admin, std::string_view port_text) {
  describe_address(fields, admin.http.address);
  fields.whole("port", admin.http.port, {0, port_most}, port_text);
  fields.secret("token", {16, 1024},
                "The operators' token (Authorization: Bearer TOKEN). Required unless the address "
                "is on the loopback device. Give this or token_file.");
  const auto in_tls = fields.section("tls", tls_text);
  auto& files = admin.http.tls_files;
  describe_certificate(fields, files);
  fields.path("clients", files.clients,
              "The file with the authorities that sign operators' certificates, PEM. Operators "
              "then need a certificate instead of a token, or both if a token is set too. "
              "Relative to this file's folder. Empty: clients need no certificate.");
  fields.path("revoked", files.revoked,
              "The file with these authorities' revocation lists (CRL), PEM. SIGHUP reads the "
              "file again and closes connections with a revoked certificate. An expired list "
              "remains in use. Empty: no list.");
}

}  // namespace fixkeep::net
