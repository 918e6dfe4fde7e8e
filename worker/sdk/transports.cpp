#include "worker/sdk/transports.hpp"

#include <utility>

namespace fixkeep::worker {

Result<Transports> start_transports(boost::asio::io_context& context,
                                    const std::shared_ptr<Session>& session) {
  Transports started;
  for (const TransportKind& kind : transport_kinds) {
    auto transport = kind.start(context, session);
    if (!transport) return transport.error();
    started.push_back(std::move(*transport));
  }
  return started;
}

std::map<std::string, std::string> variables_of(const Transports& transports) {
  std::map<std::string, std::string> all;
  for (const auto& transport : transports) all.merge(transport->variables());
  return all;
}

}  // namespace fixkeep::worker
