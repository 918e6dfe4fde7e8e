#include "worker/runner/runners.hpp"

#include <algorithm>
#include <array>

#include "worker/runner/hook/hook_runner.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {
namespace {

struct Known {
  std::string_view name;
  std::shared_ptr<GameRunner> (*make)(boost::asio::io_context& context,
                                      const RunnerOptions& options);
};

constexpr std::array<Known, 2> runners{{
    {"process", make_process_runner},
    {"hook", make_hook_runner},
}};

}  // namespace

std::shared_ptr<GameRunner> make_runner(std::string_view name, boost::asio::io_context& context,
                                        const RunnerOptions& options) {
  const auto* const found = std::find_if(runners.begin(), runners.end(),
                                         [&](const Known& each) { return each.name == name; });
  return found == runners.end() ? nullptr : found->make(context, options);
}

}  // namespace fixkeep::worker
