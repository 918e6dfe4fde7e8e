// A lock in Redis. Start several processes "in_redis ID PORT" with the same Redis at 127.0.0.1:
// the processes count together. No two processes get the same number.
#include <boost/asio.hpp>
#include <iostream>
#include <lock/core/lock_table.hpp>
#include <lock/engines/engine.hpp>

namespace asio = boost::asio;
namespace lock = fixkeep::lock;
namespace engine = fixkeep::engine;
using fixkeep::MasterId;

namespace {

fixkeep::TimePoint now() {
  return fixkeep::TimePoint{std::chrono::duration_cast<fixkeep::Duration>(
      std::chrono::steady_clock::now().time_since_epoch())};
}

}  // namespace

int main(int count, char** words) try {
  if (count != 3) throw std::invalid_argument{"usage: in_redis ID PORT"};
  const MasterId self{static_cast<std::uint16_t>(std::stoi(words[1]))};
  const auto port = static_cast<std::uint16_t>(std::stoi(words[2]));
  const fixkeep::GroupKey counter{"counter"};
  asio::io_context context;
  lock::LockTable table{{.strategy = "redis", .self = self}, now()};
  lock::TableActions wanted;
  std::unique_ptr<engine::Engine> redis;
  int left = 100;

  const auto perform = [&] {
    while (!wanted.empty()) {
      for (auto& action : std::exchange(wanted, {})) {
        if (auto* order = std::get_if<lock::OrderEngine>(&action)) {
          redis->perform(order->key, std::move(order->order));
        } else if (const auto* granted = std::get_if<lock::KeyGranted>(&action)) {
          const std::string& bytes = granted->value.bytes;
          const std::string next = std::to_string(bytes.empty() ? 1 : std::stoi(bytes) + 1);
          table.release(counter, granted->token,
                        {granted->token, granted->value.fence, granted->needs_fence, next}, now(),
                        wanted);
          if (--left > 0) table.acquire(counter, now(), wanted);
          if (left == 0) std::cout << "counted to " << next << '\n';
        }
      }
    }
    if (left == 0) redis->stop(std::chrono::seconds{1});
  };
  auto made = engine::make_engine(
      context,
      {.strategy = "redis", .self = self, .cluster = "example", .servers = {{"127.0.0.1", port}}},
      {[&](const fixkeep::GroupKey& key, const lock::EngineReply& reply) {
         table.engine_said(key, reply, now(), wanted);
         perform();
       },
       [&](bool ready) {
         table.engine_ready(ready);
         if (!ready || left < 100) return;
         table.acquire(counter, now(), wanted);
         perform();
       }});
  if (!made) throw std::runtime_error{made.error().message()};
  redis = std::move(*made);
  context.run_for(std::chrono::seconds{30});
  return left == 0 ? 0 : 1;
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 2;
}
