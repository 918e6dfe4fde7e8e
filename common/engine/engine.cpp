#include "common/engine/engine.hpp"

#include "common/base/assert.hpp"
#include "common/engine/etcd_engine.hpp"
#include "common/engine/redis_engine.hpp"
#include "common/engine/zookeeper_engine.hpp"

namespace fixkeep::engine {

Result<std::unique_ptr<Engine>> make_engine(boost::asio::io_context& context,
                                            const EngineOptions& options, EngineHandlers handlers) {
  if (options.servers.empty()) return Errc::invalid_configuration;
  if (options.strategy == "redis" || options.strategy == "redlock") {
    return make_redis_engine(context, options, std::move(handlers));
  }
  if (options.strategy == "etcd") {
    return std::make_unique<EtcdEngine>(context, options, std::move(handlers));
  }
  if (options.strategy == "zookeeper") {
    return std::make_unique<ZookeeperEngine>(context, options, std::move(handlers));
  }
  FIXKEEP_ASSERT(false, options.strategy);
}

}  // namespace fixkeep::engine
