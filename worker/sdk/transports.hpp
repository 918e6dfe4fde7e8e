// All transports that a game may use. A new one is its file pair and one line here.
// Thread rule: free functions of the worker's thread. Errors: those of the transports.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "worker/sdk/rest/rest_transport.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/transport.hpp"

namespace fixkeep::worker {

struct TransportKind {
  Result<std::unique_ptr<Transport>> (*start)(boost::asio::io_context& context,
                                              std::shared_ptr<Session> session);
  std::size_t descriptors;  // the most that it has open at a time
};

inline constexpr std::array<TransportKind, 1> transport_kinds{{
    {start_rest_transport, rest_descriptors},
}};

// A worker sets them aside for each room.
[[nodiscard]] constexpr std::size_t transport_descriptors() {
  std::size_t sum = 0;
  for (const TransportKind& kind : transport_kinds) sum += kind.descriptors;
  return sum;
}

using Transports = std::vector<std::unique_ptr<Transport>>;

// One of each kind. Errors: of the first one that cannot listen.
[[nodiscard]] Result<Transports> start_transports(boost::asio::io_context& context,
                                                  const std::shared_ptr<Session>& session);

[[nodiscard]] std::map<std::string, std::string> variables_of(const Transports& transports);

}  // namespace fixkeep::worker
