// Rooms whose games try to get what belongs to their worker, to its keepers and to their
// neighbours. Each case is one way to try it; what is tried first on the game itself, and works,
// shows that the way is one.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/proc.hpp"
#include "common/process/self.hpp"
#include "tests/attack/hostile_games.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/beside.hpp"

namespace fixkeep::attack {
namespace {

namespace fs = std::filesystem;
using integration::contains;
using support::wait_until;

// Modes of what is on disk.
unsigned mode_of(const fs::path& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0U;
}

// --- processes -----------------------------------------------------------------------------------

TEST_F(HostileGames, read_no_memory_of_others_by_proc_mem) {
  expect_got({"read", "/proc/self/mem"});
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"read", "/proc/" + pid + "/mem"};
  });
}

TEST_F(HostileGames, read_no_environment_of_others) {
  expect_got({"read", "/proc/self/environ"});
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"read", "/proc/" + pid + "/environ"};
  });
}

TEST_F(HostileGames, list_no_descriptors_of_others) {
  expect_got({"list", "/proc/self/fd"});
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"list", "/proc/" + pid + "/fd"};
  });
}

TEST_F(HostileGames, take_no_descriptors_of_others) {
  // Docker's filter of system calls forbids it altogether where it withholds the capability.
  if (process::sees_processes_of_others()) {
    expect_got({"take-descriptor", std::to_string(hostile.game)});
  }
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"take-descriptor", pid};
  });
}

TEST_F(HostileGames, read_no_maps_of_others) {
  expect_got({"read", "/proc/self/maps"});
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"read", "/proc/" + pid + "/maps"};
  });
}

TEST_F(HostileGames, attach_to_no_others_as_debuggers) {
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"attach", pid};
  });
}

TEST_F(HostileGames, copy_no_memory_of_others_by_process_vm_readv) {
  if (process::sees_processes_of_others()) {  // as above
    expect_got({"copy-memory", std::to_string(hostile.game)});
  }
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"copy-memory", pid};
  });
}

TEST_F(HostileGames, send_no_signals_to_others) {
  expect_got({"signal", std::to_string(hostile.game)});
  expect_refused_for_others([](const std::string& pid) {
    return std::vector<std::string>{"signal", pid};
  });
}

// --- the SDK -------------------------------------------------------------------------------------

TEST_F(HostileGames, use_no_sdk_of_others_over_rest) {
  const auto port = [](const HostileRoom& room) {
    return room.try_to({"environment", "AGONES_SDK_HTTP_PORT"});
  };
  expect_own_answer(hostile.try_to({"rest", port(hostile)}), "got HTTP/1.1 200 OK");
  expect_refused({"rest", port(neighbour)});
  // Not even with the token of that room.
  const auto token = neighbour.try_to({"environment", "FIXKEEP_SDK_TOKEN"});
  expect_own_answer(neighbour.try_to({"rest", port(neighbour), token}), "got HTTP/1.1 200 OK");
  expect_refused({"rest", port(neighbour), token});
}

TEST_F(HostileGames, use_no_sdk_of_others_over_grpc) {
  const auto port = [](const HostileRoom& room) {
    return room.try_to({"environment", "AGONES_SDK_GRPC_PORT"});
  };
  expect_own_answer(hostile.try_to({"grpc", port(hostile)}), "got");
  expect_refused({"grpc", port(neighbour)});
}

TEST_F(HostileGames, use_no_sdk_with_the_token_of_others) {
  const auto port = hostile.try_to({"environment", "AGONES_SDK_HTTP_PORT"});
  const auto own = hostile.try_to({"environment", "FIXKEEP_SDK_TOKEN"});
  const auto other = neighbour.try_to({"environment", "FIXKEEP_SDK_TOKEN"});
  ASSERT_EQ(own.size(), 64U) << own;
  EXPECT_NE(own, other);
  expect_own_answer(hostile.try_to({"rest", port, own}), "got HTTP/1.1 200 OK");
  expect_own_answer(hostile.try_to({"rest", port, other}), "got HTTP/1.1 401 Unauthorized");
}

// --- files ---------------------------------------------------------------------------------------

TEST_F(HostileGames, read_neither_state_folder_nor_journal_of_their_worker) {
  ASSERT_TRUE(fs::exists(state() + "/journal"));
  for (const char* const name : {"", "/rooms", "/output"}) {
    expect_refused({"list", state() + name});
    expect_refused({"make", state() + name + "/planted"});
  }
  for (const char* const name : {"/journal", "/lock"}) {
    expect_refused({"read", state() + name});
    expect_refused({"write", state() + name});
  }
}

TEST_F(HostileGames, read_no_configuration_of_their_worker) {
  const auto file = cluster->worker(0).config_file();
  const std::string warning = "every user of this machine can read a secret of this worker";
  EXPECT_FALSE(contains(cluster->worker(0).log(), warning));
  expect_refused({"read", file.string()});
  // The operator has to close it, and is told so.
  fs::permissions(file, fs::perms{0604});
  expect_got({"read", file.string()});
  cluster->worker(0).kill();
  cluster->worker(0).start(cluster->config(support::Part::worker, 0));
  wait_until("it is told", [&] { return contains(cluster->worker(0).log(), warning); });
  (void)new_room();  // so that it has begun to hear signals
}

TEST_F(HostileGames, read_no_output_of_rooms) {
  for (const auto* const room : {&hostile, &neighbour}) {
    const auto file = state() + "/output/" + room->id + ".log";
    wait_until("there is output", [&] { return fs::exists(file); });
    expect_refused({"read", file});
    EXPECT_EQ(mode_of(file), 0600U);
  }
}

TEST_F(HostileGames, enter_no_folder_of_others_and_none_of_their_keepers) {
  const auto own = state() + "/rooms/" + hostile.id;
  const auto other = state() + "/rooms/" + neighbour.id;
  expect_got({"list", own + "/game"});
  expect_got({"make", own + "/game/save"});
  expect_refused({"list", other + "/game"});
  expect_refused({"make", other + "/game/planted"});
  for (const auto& room : {own, other}) {
    expect_refused({"list", room});
    expect_refused({"make", room + "/planted"});
    expect_refused({"connect", room + "/control"});
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator{room}) found.insert(entry.path().filename());
    EXPECT_EQ(found, (std::set<std::string>{"control", "game"})) << "nothing to read";
  }
}

// --- what it is started with ---------------------------------------------------------------------

TEST_F(HostileGames, have_a_user_of_their_own_and_no_groups_and_no_capabilities) {
  const auto last = first_user() + users - 1;
  const auto user_of = [&](const HostileRoom& room) { return *process::user_of(room.game); };
  for (const auto* const room : {&hostile, &neighbour}) {
    EXPECT_GE(user_of(*room), first_user());
    EXPECT_LE(user_of(*room), last);
    const auto number = std::to_string(user_of(*room));
    const auto four_times = number + "\t" + number + "\t" + number + "\t" + number;
    EXPECT_EQ(room->try_to({"status", "Uid"}), four_times);
    EXPECT_EQ(room->try_to({"status", "Gid"}), four_times);
    EXPECT_TRUE(room->try_to({"status", "Groups"}).find_first_not_of(' ') == std::string::npos);
    for (const char* const set : {"CapPrm", "CapEff", "CapAmb"}) {
      EXPECT_EQ(room->try_to({"status", set}), "0000000000000000") << set;
    }
    EXPECT_EQ(room->try_to({"core-limit"}), "0");
  }
  EXPECT_NE(user_of(hostile), user_of(neighbour));
}

TEST_F(HostileGames, gain_no_privileges_by_a_setuid_program) {
  const auto trap = (folder() / "setuid-program").string();
  fs::copy_file(support::beside("fixkeep-hostile-game"), trap);
  ASSERT_EQ(::chmod(trap.c_str(), 04755), 0);
  const auto user = *process::user_of(hostile.game);
  // Without the protection it does make its user root.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresuid(user, user, user) != 0) ::_exit(3);
    const std::string test =
        "test \"$(" + trap + " --say-user)\" = '" + std::to_string(user) + " 0'";
    ::execl("/bin/sh", "sh", "-c", test.c_str(), nullptr);
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0) << "no setuid program works here, so nothing is tried";
  EXPECT_EQ(hostile.try_to({"execute", trap + " --say-user"}),
            std::to_string(user) + " " + std::to_string(user));
  EXPECT_EQ(hostile.try_to({"status", "NoNewPrivs"}), "1");
}

TEST_F(HostileGames, inherit_no_descriptors) {
  EXPECT_EQ(hostile.try_to({"descriptors"}), "0 1 2");
}

// --- users over time -----------------------------------------------------------------------------

class UsersOfRooms : public HostileGames {};

TEST_F(UsersOfRooms, are_not_given_twice_by_the_next_run_of_a_worker) {
  const auto before = *process::user_of(hostile.game);
  cluster->worker(0).kill();
  cluster->worker(0).start(cluster->config(support::Part::worker, 0));
  cluster->wait_until_ready();
  ASSERT_TRUE(process::alive(hostile.game));
  EXPECT_EQ(process::user_of(hostile.game), before);
  std::set<uid_t> seen{before, *process::user_of(neighbour.game)};
  for (std::uint32_t more = 2; more < users; ++more) {
    EXPECT_TRUE(seen.insert(*process::user_of(new_room().game)).second);
  }
}

TEST_F(UsersOfRooms, come_back_and_what_a_room_has_left_is_not_its_successors) {
  integration::expect_clean_stop(*cluster);
  start([](nlohmann::json& config) { config["games"][0]["keep_folder"] = "always"; });
  const auto left = new_room();
  const auto user = *process::user_of(left.game);
  EXPECT_EQ(left.try_to({"make", state() + "/rooms/" + left.id + "/game/save"}), "got");
  ASSERT_EQ(::chmod((state() + "/rooms/" + left.id + "/game").c_str(), 0777), 0);
  ::kill(left.game, SIGKILL);
  const auto kept = state() + "/rooms/" + left.id;
  wait_until("the room is gone", [&] { return !fs::exists(kept + "/control"); });
  std::uint32_t rooms = 0;
  do {
    ASSERT_LE(++rooms, users);
    hostile = new_room();
    if (process::user_of(hostile.game) != user) { ::kill(hostile.game, SIGKILL); }
  } while (process::user_of(hostile.game) != user);
  EXPECT_EQ(rooms, users) << "the one that came back is the last";
  expect_refused({"list", kept + "/game"});
  expect_refused({"read", kept + "/game/save"});
}

TEST_F(UsersOfRooms, are_not_those_of_another_worker_of_the_machine) {
  auto config = cluster->config(support::Part::worker, 0);
  config["worker"]["id"] = "w2";
  config["worker"]["state_folder"] = "state-w2";
  config["admin"]["port"] = 0;
  support::Node second{"w2", "fixkeep-worker", folder()};
  second.start(config);
  EXPECT_EQ(second.wait_for_end(support::condition_limit), "exit code 1");
  EXPECT_TRUE(contains(second.log(), "another worker of this machine has some of them"))
      << second.log();
}

TEST_F(UsersOfRooms, have_to_be_nobody_elses) {
  auto config = cluster->config(support::Part::worker, 0);
  config["worker"]["id"] = "w2";
  config["worker"]["state_folder"] = "state-w2";
  config["admin"]["port"] = 0;
  config["rooms"]["users"] = {{"first", 65534}};
  support::Node second{"w2", "fixkeep-worker", folder()};
  second.start(config);
  EXPECT_EQ(second.wait_for_end(support::condition_limit), "exit code 1");
  EXPECT_TRUE(contains(second.log(), "\"nobody\" is a user of this machine")) << second.log();
}

TEST_F(UsersOfRooms, are_refused_to_a_worker_that_is_not_root_which_reads_what_to_change) {
  const auto config = folder() / "w2.json";
  auto settings = cluster->config(support::Part::worker, 0);
  settings["worker"]["id"] = "w2";
  settings["worker"]["state_folder"] = "/tmp/fixkeep-hostile-" + std::to_string(::getpid());
  settings["admin"]["port"] = 0;
  std::ofstream{config} << settings.dump();
  fs::permissions(config, fs::perms{0644});
  const auto worker = folder() / "worker";  // where every user can execute it
  fs::copy_file(client_sim::program_folder() / "fixkeep-worker", worker);
  fs::permissions(worker, fs::perms{0755});
  const auto command = "setpriv --reuid=65534 --regid=65534 --clear-groups " + worker.string() +
                       " --config " + config.string() + " > " + (folder() / "w2.log").string() +
                       " 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  std::ifstream file{folder() / "w2.log"};
  const std::string log{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_TRUE(contains(log, "start it as root")) << log;
  fs::remove_all(settings["worker"]["state_folder"].get<std::string>());
}

}  // namespace
}  // namespace fixkeep::attack
