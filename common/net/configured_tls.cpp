#include "common/net/configured_tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <string_view>
#include <utility>

#include "common/config/address.hpp"
#include "common/config/sections.hpp"
#include "common/net/tls/credentials.hpp"

namespace fixkeep::net {
namespace {

constexpr const char* needs_certificates =
    "is not on the loopback device, where links need certificates: give tls.authority, "
    "tls.certificate and tls.key (fixkeepctl certs makes them); or set \"without\": "
    "\"on-a-network-that-i-trust\" in tls, and any machine there can be any node";

constexpr const char* needs_token =
    "is not on the loopback device, where every client would be an operator: give admin.token_file "
    "or admin.tls.clients, or listen on 127.0.0.1";

constexpr const char* is_open =
    "makes every program of this machine an operator, games too: give admin.token_file";

// Every token in the example files of configs/ starts with this text.
constexpr std::string_view token_of_examples = "an-example-";
constexpr const char* is_known =
    "is the public token of an example: give admin.token_file, with a token from openssl rand -hex "
    "32";

using KeyAndPath = std::pair<std::string, const std::string*>;

// Returns true if all files are given. If only some files are given, reports the missing files.
bool has_files(const std::vector<KeyAndPath>& all, const char* go_together,
               config::CrossCheck& check) {
  std::size_t given = 0;
  for (const auto& [key, path] : all) given += path->empty() ? 0 : 1;
  if (given == 0 || given == all.size()) return given > 0;
  for (const auto& [key, path] : all) {
    if (path->empty()) check.report(key, std::string{"is missing: "} + go_together);
  }
  return false;
}

}  // namespace

bool is_on_loopback(const std::string& host) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return error ? host == "localhost" : address.is_loopback();
}

void configure_tls(const config::Document& document, const std::vector<std::string>& addresses,
                   LinkOptions& links, config::Problems& problems) {
  config::CrossCheck check{document, problems};
  links.tls_files = {config::resolved_path(document, "tls.authority"),
                     config::resolved_path(document, "tls.certificate"),
                     config::resolved_path(document, "tls.key"),
                     config::resolved_path(document, "tls.revoked")};
  const auto before = problems.size();
  if (!links.tls_files.revoked.empty() && links.tls_files.authority.empty()) {
    check.report("tls.authority", "is missing: it has to have signed what tls.revoked says");
  }
  if (has_files({{"tls.authority", &links.tls_files.authority},
                 {"tls.certificate", &links.tls_files.certificate},
                 {"tls.key", &links.tls_files.key}},
                "authority, certificate and key go together", check)) {
    auto loaded =
        TlsCredentials::load(links.tls_files, {links.cluster, links.self.role, links.self.name});
    if (auto* const made = std::get_if<0>(&loaded)) {
      links.tls = std::move(*made);
    } else {
      check.report("tls.certificate", std::get<1>(loaded));
    }
    return;
  }
  if (problems.size() > before || links.without_tls != "on-loopback") return;
  for (const auto& key : addresses) {
    const auto address =
        config::parse_address(config::find(document.root(), key)->get<std::string>());
    if (!address || is_on_loopback(address->host)) continue;
    check.report(key, needs_certificates);
    return;
  }
}

std::shared_ptr<HttpsCertificate> load_certificate(const config::Document& document,
                                                   const std::string& section, HttpsFiles& files,
                                                   config::Problems& problems) {
  config::CrossCheck check{document, problems};
  const std::string certificate = section + ".tls.certificate";
  const std::string key = section + ".tls.key";
  files.certificate = config::resolved_path(document, certificate);
  files.key = config::resolved_path(document, key);
  const bool given = has_files({{certificate, &files.certificate}, {key, &files.key}},
                               "certificate and key go together", check);
  if (!given) return nullptr;
  auto loaded = HttpsCertificate::load(files);
  if (auto* const made = std::get_if<0>(&loaded)) return std::move(*made);
  check.report(certificate, std::get<1>(loaded));
  return nullptr;
}

void configure_https(const config::Document& document, const std::string& section,
                     HttpOptions& http, config::Problems& problems) {
  if (auto made = load_certificate(document, section, http.tls_files, problems)) {
    http.tls = std::move(made);
  }
}

void configure_admin(const config::Document& document, AdminOptions& admin,
                     config::Problems& problems, config::Problems& doubts) {
  const auto before = problems.size();
  admin.token = config::load_secret_at(document, "admin.token", problems).value_or("");
  config::CrossCheck check{document, problems};
  auto& files = admin.http.tls_files;
  files.clients = config::resolved_path(document, "admin.tls.clients");
  files.revoked = config::resolved_path(document, "admin.tls.revoked");
  if (!files.revoked.empty() && files.clients.empty()) {
    check.report("admin.tls.clients",
                 "is missing: it has to have signed what admin.tls.revoked says");
  }
  configure_https(document, "admin", admin.http, problems);
  if (!files.clients.empty() && files.certificate.empty() && files.key.empty()) {
    check.report("admin.tls.certificate",
                 "is missing: clients show their certificates to a listener that has its own");
  }
  if (problems.size() > before || admin.http.port == 0 || !files.clients.empty()) return;
  if (admin.token.starts_with(token_of_examples)) {
    doubts.push_back(document.problem("admin.token", is_known));
  }
  if (!admin.token.empty()) return;
  if (is_on_loopback(admin.http.address)) {
    doubts.push_back(document.problem("admin.port", is_open));
  } else {
    check.report("admin.address", needs_token);
  }
}

void configure_lock_tls(const config::Document& document, TlsFiles& files,
                        std::shared_ptr<ServerTrust>& trust, config::Problems& problems) {
  config::CrossCheck check{document, problems};
  files = {config::resolved_path(document, "lock.tls.authority"),
           config::resolved_path(document, "lock.tls.certificate"),
           config::resolved_path(document, "lock.tls.key")};
  const auto before = problems.size();
  (void)has_files({{"lock.tls.certificate", &files.certificate}, {"lock.tls.key", &files.key}},
                  "certificate and key go together", check);
  if (problems.size() > before) return;
  if (files.authority.empty()) {
    if (files.certificate.empty()) return;
    check.report("lock.tls.authority", "is missing: without it no server can be believed");
    return;
  }
  auto loaded = ServerTrust::load(files);
  if (auto* const made = std::get_if<0>(&loaded)) {
    trust = std::move(*made);
  } else {
    check.report("lock.tls.authority", std::get<1>(loaded));
  }
}

}  // namespace fixkeep::net
