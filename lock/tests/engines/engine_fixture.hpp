// Several masters' engines and one real server, on one io_context.
// Thread rule: single-threaded process. Errors: as tests/support/lock_servers.hpp.
#pragma once

#include <memory>
#include <string>

#include "tests/support/engine_user.hpp"
#include "tests/support/lock_servers.hpp"

namespace fixkeep::engine {

class EngineFixture : public testing::Test {
 protected:
  static constexpr std::chrono::seconds patience{30};  // a Java machine starts beside other loads

  // Runs once in a program for all fixtures: a Java machine takes its time.
  static void SetUpTestSuite() {
    if (servers) return;
    servers = make_lock_servers();
    servers->start();
  }

  EngineOptions options(std::uint16_t master) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return {.strategy = servers->strategy(),
            .self = MasterId{master},
            .cluster = test->name(),
            .servers = servers->addresses(),
            .ttl = std::chrono::seconds{2},
            .reply = std::chrono::milliseconds{300},
            .seed = master};
  }

  bool until(const std::function<bool()>& condition, std::chrono::milliseconds limit = patience) {
    return run_until(context, condition, limit);
  }
  bool becomes_ready(EngineUser& user) {
    return until([&] { return user.engine->ready(); });
  }
  bool acquires(EngineUser& user, const std::string& key,
                std::chrono::milliseconds limit = patience) {
    user.acquire(key);
    return until([&] { return user.holds(key); }, limit);
  }

  static inline std::unique_ptr<LockServers> servers;
  boost::asio::io_context context{1};
};

}  // namespace fixkeep::engine
