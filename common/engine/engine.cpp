#include "common/engine/engine.hpp"

#include "common/base/assert.hpp"

namespace fixkeep::engine {

Result<std::unique_ptr<Engine>> make_engine(boost::asio::io_context&, const EngineOptions& options,
                                            EngineHandlers) {
  FIXKEEP_ASSERT(false, options.strategy);
}

}  // namespace fixkeep::engine
