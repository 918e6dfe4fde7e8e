#include "lock/engines/engine.hpp"

#include "common/base/assert.hpp"
#include "lock/engines/etcd/engine.hpp"
#include "lock/engines/lease/engine.hpp"
#include "lock/engines/postgres/engine.hpp"
#include "lock/engines/redis/engine.hpp"
#include "lock/engines/zookeeper/engine.hpp"

namespace fixkeep::engine {

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
  if (options.strategy == "redis" || options.strategy == "redlock") {
    return make_redis_engine(context, options, std::move(handlers));
  }
  if (options.strategy == "etcd") {
    return std::make_unique<EtcdEngine>(context, options, std::move(handlers));
  }
  if (options.strategy == "kubernetes-lease") {
    return LeaseEngine::make(context, options, std::move(handlers));
  }
  if (options.strategy == "postgres") {
    return std::make_unique<PostgresEngine>(context, options, std::move(handlers));
  }
  if (options.strategy == "zookeeper") {
    return std::make_unique<ZookeeperEngine>(context, options, std::move(handlers));
  }
  FIXKEEP_ASSERT(false, options.strategy);
}

}  // namespace fixkeep::engine
