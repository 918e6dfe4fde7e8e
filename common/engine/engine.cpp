#include "common/engine/engine.hpp"

#include "common/base/assert.hpp"
#include "common/engine/redis_engine.hpp"

namespace fixkeep::engine {

Result<std::unique_ptr<Engine>> make_engine(boost::asio::io_context& context,
                                            const EngineOptions& options, EngineHandlers handlers) {
  const std::string_view strategy = options.strategy;
  if (strategy == "redis" || strategy == "redlock")
    return make_redis_engine(context, options, std::move(handlers));
  FIXKEEP_ASSERT(false, options.strategy);
}

}  // namespace fixkeep::engine
