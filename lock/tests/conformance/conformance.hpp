// The fixture of the conformance suite: one strategy with its servers and promises.
// Thread rule: one owner.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/base/lock_strategies.hpp"
#include "tests/support/lock_world.hpp"

namespace fixkeep::conformance {

struct Subject {
  std::string strategy;
  lock::Quorum quorum = lock::Quorum::grid;

  [[nodiscard]] std::string name() const {
    std::string text = strategy;
    for (auto& c : text) c = c == '-' ? '_' : c;
    return quorum == lock::Quorum::majority ? text + "_majority" : text;
  }
  [[nodiscard]] bool engine() const {
    return lock::find_strategy(strategy)->family == lock::Family::engine;
  }
  // Never two holders in any split of the mesh: a quorum or a server decides.
  [[nodiscard]] bool survives_partitions() const { return engine() || lock::has_quorums(strategy); }
  // All other masters go on although any one master is gone for good.
  [[nodiscard]] bool survives_any_crash() const {
    return strategy != "maekawa" || quorum == lock::Quorum::majority;
  }
};

inline void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name();
}

class LockConformance : public testing::TestWithParam<Subject> {
 protected:
  static const Subject& subject() { return GetParam(); }

  void SetUp() override {
    if (!subject().engine()) return;
    auto started =
        client_sim::EngineServers::start(subject().strategy, client_sim::Storage::memory);
    if (const auto* failure = std::get_if<client_sim::EngineFailure>(&started)) {
      FAIL() << failure->message;
    }
    servers_ = std::move(std::get<std::unique_ptr<client_sim::EngineServers>>(started));
  }

  [[nodiscard]] WorldOptions options(int masters = 3) const {
    WorldOptions made;
    made.strategy = subject().strategy;
    made.quorum = subject().quorum;
    made.masters = masters;
    made.servers = servers_.get();
    // etcd's and ZooKeeper's leases count in whole seconds and ticks.
    made.lease = milliseconds{subject().engine() ? 2000 : 1000};
    return made;
  }
  [[nodiscard]] client_sim::EngineServers& servers() { return *servers_; }

  // No hold lasts longer. The servers' and voters' memory of it lasts no longer either.
  [[nodiscard]] static milliseconds patience(const LockWorld& world) {
    return world.options().lease * 4 + milliseconds{4000};
  }

 private:
  std::unique_ptr<client_sim::EngineServers> servers_;
};

}  // namespace fixkeep::conformance
