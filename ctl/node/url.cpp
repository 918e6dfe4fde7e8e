#include "ctl/node/url.hpp"

#include "common/base/printable.hpp"
#include "common/config/address.hpp"

namespace fixkeep::ctl {

std::variant<NodeUrl, std::string> parse_node_url(std::string_view text) {
  constexpr std::string_view plain = "http://";
  constexpr std::string_view secure = "https://";
  std::string_view rest = text;
  NodeUrl url;
  if (rest.starts_with(secure)) {
    url.https = true;
    rest.remove_prefix(secure.size());
  } else if (rest.starts_with(plain)) {
    rest.remove_prefix(plain.size());
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto address = config::parse_address(rest);
  if (!address || address->port == 0) {
    return "\"" + printable(text) +
           "\" is no address of a node: it has to be like http://127.0.0.1:8181";
  }
  url.host = address->host;
  url.port = address->port;
  return url;
}

std::string to_string(const NodeUrl& url) {
  return (url.https ? "https://" : "http://") + config::to_string({url.host, url.port});
}

}  // namespace fixkeep::ctl
