// The backends that there are, by name. A new one is its file pair and one line in backends.cpp.
// Thread rule: free function. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string_view>

#include "worker/backend/backend.hpp"

namespace fixkeep::worker {

// Null if there is no backend of that name. The io_context outlives it.
[[nodiscard]] std::shared_ptr<Backend> make_backend(std::string_view name,
                                                    boost::asio::io_context& context,
                                                    const BackendOptions& options);

}  // namespace fixkeep::worker
