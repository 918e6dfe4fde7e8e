#include "common/net/http/url.hpp"

#include <algorithm>
#include <utility>

#include "common/config/address.hpp"

namespace fixkeep::net {

std::optional<HttpUrl> parse_http_url(std::string_view text) {
  constexpr std::string_view plain = "http://";
  constexpr std::string_view secure = "https://";
  const bool https = text.starts_with(secure);
  if (!https && !text.starts_with(plain)) return {};
  text.remove_prefix(https ? secure.size() : plain.size());
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return {};
  const auto path = text.substr(slash);
  const bool printable =
      std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < 0x7f; });
  auto address = config::parse_address(text.substr(0, slash));
  if (!address || address->host.empty() || address->port == 0 || !printable) return {};
  return HttpUrl{https, std::move(address->host), address->port, std::string{path}};
}

}  // namespace fixkeep::net
