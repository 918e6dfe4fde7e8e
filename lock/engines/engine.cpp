#include "lock/engines/engine.hpp"

#include <algorithm>
#include <array>

#include "common/base/assert.hpp"
#include "lock/engines/etcd/engine.hpp"
#include "lock/engines/lease/engine.hpp"
#include "lock/engines/postgres/engine.hpp"
#include "lock/engines/redis/engine.hpp"
#include "lock/engines/zookeeper/engine.hpp"

namespace fixkeep::engine {
namespace {

struct Maker {
  std::string_view strategy;
  decltype(&make_redis_engine) make;
};
constexpr std::array makers{
    Maker{"redis", make_redis_engine},       Maker{"redlock", make_redis_engine},
    Maker{"etcd", make_etcd_engine},         Maker{"kubernetes-lease", make_lease_engine},
    Maker{"postgres", make_postgres_engine}, Maker{"zookeeper", make_zookeeper_engine}};

}  // namespace

std::string to_string(const ServerAddress& address) {
  return address.host + ":" + std::to_string(address.port);
}

void EngineStatistics::failed(Failure kind, std::string_view server, std::string_view why) {
  switch (kind) {
    case Failure::unreachable: ++failures_unreachable; break;
    case Failure::timeout: ++failures_timeout; break;
    case Failure::refused: ++failures_refused; break;
  }
  last_failure.assign(server).append(server.empty() ? "" : ": ").append(why);
  // A server's text may have any length.
  if (last_failure.size() > last_failure_bytes) last_failure.resize(last_failure_bytes);
}

Result<std::unique_ptr<Engine>> make_engine(boost::asio::io_context& context,
                                            const EngineOptions& options, EngineHandlers handlers) {
  if (options.servers.empty()) return Errc::invalid_configuration;
  const auto maker = std::ranges::find(makers, options.strategy, &Maker::strategy);
  FIXKEEP_ASSERT(maker != makers.end(), options.strategy);
  return maker->make(context, options, std::move(handlers));
}

}  // namespace fixkeep::engine
