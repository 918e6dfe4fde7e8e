#include "worker/backend/backends.hpp"

#include <algorithm>
#include <array>

#include "worker/backend/process/process_backend.hpp"

namespace fixkeep::worker {
namespace {

struct Known {
  std::string_view name;
  std::shared_ptr<Backend> (*make)(boost::asio::io_context& context, const BackendOptions& options);
};

constexpr std::array<Known, 1> backends{{
    {"process", make_process_backend},
}};

}  // namespace

std::shared_ptr<Backend> make_backend(std::string_view name, boost::asio::io_context& context,
                                      const BackendOptions& options) {
  const auto* const found = std::find_if(backends.begin(), backends.end(),
                                         [&](const Known& each) { return each.name == name; });
  return found == backends.end() ? nullptr : found->make(context, options);
}

}  // namespace fixkeep::worker
