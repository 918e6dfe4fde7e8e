// A cluster of one worker whose rooms run hostile games, each as a user of its own.
//
// The folder of the cluster lets everybody pass, so that only what the product does keeps files
// from games. It needs root, and says so where it is not.
// Thread rule: single-threaded, as LocalCluster. Errors: as failures of the test, and those of
// LocalCluster.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/local_cluster.hpp"

namespace fixkeep::attack {

struct HostileRoom {
  std::string id;
  std::uint16_t port = 0;  // where its game listens
  pid_t game = 0;
  pid_t keeper = 0;

  // The answer of its game, see hostile_game/attempts.hpp.
  [[nodiscard]] std::string try_to(const std::vector<std::string>& words) const;
};

class HostileGames : public testing::Test {
 protected:
  static constexpr std::uint32_t users = 4;  // as many as rooms

  // `change`: of the worker's configuration.
  void start(const std::function<void(nlohmann::json&)>& change = nullptr);
  void SetUp() override;
  void TearDown() override;  // nothing is left

  // A room of its own for a new group.
  HostileRoom new_room();
  // From now on attempts are those of `hostile`.
  void expect_got(const std::vector<std::string>& words) const;
  void expect_refused(const std::vector<std::string>& words) const;
  // Of a room's own SDK. A worker that cannot see whose a connection is answers nobody.
  void expect_own_answer(const std::string& answer, const std::string& wanted) const;
  // Of each process that is not the hostile game's: `words_for` is asked for what to try.
  void expect_refused_for_others(
      const std::function<std::vector<std::string>(const std::string& pid)>& words_for);

  [[nodiscard]] std::filesystem::path folder();  // of the cluster
  [[nodiscard]] std::string state() { return (folder() / "state-w1").string(); }
  [[nodiscard]] static std::uint32_t first_user();

  std::optional<support::LocalCluster> cluster;
  HostileRoom hostile;
  HostileRoom neighbour;

 private:
  std::size_t groups_ = 0;
};

}  // namespace fixkeep::attack
