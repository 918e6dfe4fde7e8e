#include "common/net/http/wrong_tokens.hpp"

#include <algorithm>

#include "common/net/client_network.hpp"

namespace fixkeep::net {

std::chrono::seconds WrongTokens::add(const boost::asio::ip::address& client, TimePoint now) {
  ++count_;
  const auto network = client_network(client);
  if (clients_.size() >= clients && clients_.find(network) == clients_.end()) {
    clients_.erase(std::min_element(
        clients_.begin(), clients_.end(),
        [](const auto& a, const auto& b) { return a.second.since < b.second.since; }));
  }
  Client& known = clients_[network];
  if (known.wrong == 0 || now - known.since >= window) known = {now, 0};
  if (known.wrong < free) {
    ++known.wrong;
    return std::chrono::seconds{0};
  }
  return std::chrono::ceil<std::chrono::seconds>(known.since + window - now);
}

}  // namespace fixkeep::net
