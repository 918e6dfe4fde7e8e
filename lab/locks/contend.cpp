#include "lab/locks/contend.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include "common/net/steady_clock.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// Reads one node's log into `acquires`.
std::string take_log(const std::filesystem::path& path, std::size_t node,
                     std::vector<Acquire>& acquires) {
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) return path.string() + " cannot be read";
  const auto wrong = read_lock_log(text, node, acquires);
  file.close();
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return wrong == 0 ? "" : path.string() + " has lines that are not understood";
}

}  // namespace

std::int64_t monotonic_us() {
  return net::steady_now().time_since_epoch().count();
}

std::vector<std::size_t> all_of(const LockNodes& nodes) {
  std::vector<std::size_t> all(nodes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::string contend(LockNodes& nodes, const std::vector<std::size_t>& contenders, json command,
                    const std::function<void()>& meanwhile, Contention& seen) {
  const auto log_of = [&](std::size_t index) {
    return nodes.options().folder / ("grants-" + std::to_string(index + 1));
  };
  const auto seed = command.at("seed").get<std::uint64_t>();
  command["at_us"] = monotonic_us() + 100'000;  // by then all nodes have the command
  for (const auto index : contenders) {
    command["seed"] = seed + index;
    command["log"] = log_of(index).string();
    if (!nodes.node(index).say(command)) return nodes.node(index).name() + " has ended";
  }
  meanwhile();
  const auto seconds = command.at("seconds").get<double>();
  const milliseconds limit{static_cast<std::int64_t>(seconds * 1000) + 30'000};
  for (const auto index : contenders) {
    const auto reply = nodes.node(index).answer("contend", limit);
    if (!reply) return reply.failure;
    // A very fast lock may fill its log before the measurement ends.
    seen.seconds = std::max(seen.seconds, reply.line.at("seconds").get<double>());
    auto failure = take_log(log_of(index), index, seen.acquires);
    if (!failure.empty()) return failure;
  }
  return {};
}

}  // namespace fixkeep::client_sim
