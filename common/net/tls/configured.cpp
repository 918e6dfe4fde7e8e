#include "common/net/tls/configured.hpp"

#include <boost/asio/ip/address.hpp>
#include <utility>

#include "common/config/address.hpp"
#include "common/config/sections.hpp"
#include "common/net/tls/credentials.hpp"

namespace fixkeep::net {
namespace {

constexpr const char* needs_certificates =
    "is not on the loopback device, and elsewhere links need certificates: give tls.authority, "
    "tls.certificate and tls.key (fixkeepctl certs makes them); or say \"without\": "
    "\"on-a-network-that-i-trust\" in tls, and everybody on that network can be any node";

// False: they are all plain, or the problem is reported.
bool has_files(const TlsFiles& files, config::CrossCheck& check) {
  const std::vector<std::pair<const char*, const std::string*>> all{
      {"tls.authority", &files.authority},
      {"tls.certificate", &files.certificate},
      {"tls.key", &files.key}};
  std::size_t given = 0;
  for (const auto& [key, path] : all) given += path->empty() ? 0 : 1;
  if (given == 0 || given == all.size()) return given > 0;
  for (const auto& [key, path] : all) {
    if (path->empty()) check.report(key, "is missing: authority, certificate and key go together");
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
                     config::resolved_path(document, "tls.key")};
  const auto before = problems.size();
  if (has_files(links.tls_files, check)) {
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

}  // namespace fixkeep::net
