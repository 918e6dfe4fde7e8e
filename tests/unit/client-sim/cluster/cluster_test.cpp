// What a local cluster is made of: configuration, processes, the command line.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client-sim/cluster/config.hpp"
#include "client-sim/cluster/node_ports.hpp"
#include "client-sim/cluster/ports.hpp"
#include "client-sim/commands.hpp"
#include "client-sim/options.hpp"

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json example(const std::string& name) {
  std::ifstream file{"configs/" + name};
  return json::parse(file, nullptr, true, true);
}

// Every key that we write must be in the example, where the schema has been tried on it.
void expect_known_keys(const json& ours, const json& example, const std::string& where) {
  for (const auto& [key, value] : ours.items()) {
    ASSERT_TRUE(example.contains(key)) << where << key;
    if (value.is_object() && key != "environment") {
      expect_known_keys(value, example[key], where + key + ".");
    }
    if (value.is_array() && !value.empty() && value[0].is_object()) {
      expect_known_keys(value[0], example[key][0], where + key + "[0].");
    }
  }
}

const ClusterPorts two_of_each{.http = {10'000, 10'002},
                               .mesh = {10'001, 10'003},
                               .admin = {10'004, 10'005},
                               .rooms = {{10'250, 10'498}, {10'500, 10'748}},
                               .worker_admin = {10'499, 10'749}};

TEST(ClusterConfig, uses_the_keys_of_the_examples) {
  const ClusterOptions options{.lock = "none", .masters = 2, .workers = 2, .capacity = 5};
  const auto master = json::parse(master_config(options, two_of_each, 1, "a-secret-of-16-bytes"));
  expect_known_keys(master, example("master.json"), "");
  EXPECT_EQ(master["master"]["id"], 2);
  EXPECT_EQ(master["master"]["zone"], "c");
  EXPECT_EQ(master["lock"]["strategy"], "none");
  EXPECT_EQ(master["mesh"]["listen"], "127.0.0.1:10003");
  EXPECT_EQ(master["admin"]["port"], 10'005);
  EXPECT_EQ(master["mesh"]["masters"].size(), 2U);
  EXPECT_EQ(master["modes"][0]["capacity"], 5);
  EXPECT_EQ(master["modes"][0]["attributes"], json::array({"region"}));

  const auto worker =
      json::parse(worker_config(options, two_of_each, 0, "a-secret-of-16-bytes", "/bin/game"));
  expect_known_keys(worker, example("worker.json"), "");
  EXPECT_EQ(worker["worker"]["id"], "w1");
  EXPECT_EQ(worker["rooms"]["ports"]["last"], 10'498);
  EXPECT_EQ(worker["admin"]["port"], 10'499);
  EXPECT_EQ(worker["rooms"]["limit"], 200);
  EXPECT_EQ(worker["games"][0]["command"],
            json::array({"/bin/game", "--port", "{port}", "--boot-ms", "500"}));
}

// Only in the network of the machine does the game of a container reach the SDK of its room.
TEST(ClusterConfig, runs_rooms_as_containers_of_the_engine_if_it_is_told_to) {
  const auto config_of = [](const std::string& runner) {
    const ClusterOptions options{.runner = runner};
    return json::parse(
        worker_config(options, two_of_each, 0, "a-secret-of-16-bytes", "/bin/game",
                      {.engine = {.runner = runner, .socket = "/run/engine.sock", .problem = {}},
                       .image = "game:1"}));
  };
  auto contained = config_of("docker");
  EXPECT_EQ(contained["rooms"]["runner"], "docker");
  EXPECT_EQ(contained["rooms"]["engine_socket"], "/run/engine.sock");
  EXPECT_EQ(contained["games"][0]["container"], (json{{"image", "game:1"}, {"network", "host"}}));
  contained["rooms"].erase("runner");
  contained["rooms"].erase("engine_socket");
  contained["games"][0].erase("container");
  EXPECT_EQ(contained, config_of("process")) << "and nothing else is another";
}

TEST(ClusterConfig, names_the_lock_servers) {
  const ClusterOptions options{.lock = "redis", .lock_servers = {"127.0.0.1:6379"}};
  const auto master = json::parse(master_config(options, two_of_each, 0, "secret"));
  EXPECT_EQ(master["lock"]["servers"], json::array({"127.0.0.1:6379"}));
}

TEST(ClusterConfig, never_promises_more_rooms_than_ports) {
  const ClusterOptions options{.rooms_a_worker = 2000};
  const auto worker = json::parse(worker_config(options, two_of_each, 0, "secret", "/bin/game"));
  EXPECT_EQ(worker["rooms"]["limit"], 249);
}

struct Parsed {
  std::variant<Options, ExitCode> result;
  std::string out;
  std::string err;
};

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "fixkeep-client-sim");
  std::ostringstream out;
  std::ostringstream err;
  auto result = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  return {.result = std::move(result), .out = out.str(), .err = err.str()};
}

TEST(CommandLine, understands_compare) {
  const auto parsed = parse({"compare", "--locks", "all", "--masters", "5", "--players", "5000",
                             "--groups", "50", "--arrival", "churn", "--seeds", "3"});
  const auto* options = std::get_if<Options>(&parsed.result);
  ASSERT_NE(options, nullptr) << parsed.err;
  auto all = known_locks();
  EXPECT_EQ(std::erase(all, "kubernetes-lease"), 1U) << "its server is in no package";
  EXPECT_EQ(options->locks, all);
  EXPECT_EQ(options->workload.masters, 5U);
  EXPECT_EQ(options->workload.arrival, Arrival::churn);
  EXPECT_EQ(options->cluster.close_empty_after_ms, 2000U);
  EXPECT_GE(options->cluster.rooms_a_worker * options->cluster.workers, 5U * 5000 / 8);
}

TEST(CommandLine, understands_load_and_up) {
  const auto load = parse({"load", "--masters", "http://127.0.0.1:8101,http://127.0.0.1:8102"});
  ASSERT_TRUE(std::holds_alternative<Options>(load.result)) << load.err;
  EXPECT_EQ(std::get<Options>(load.result).master_urls.size(), 2U);
  const auto up = parse({"up", "--workers", "2"});
  ASSERT_TRUE(std::holds_alternative<Options>(up.result)) << up.err;
  EXPECT_EQ(std::get<Options>(up.result).locks, std::vector<std::string>{"multiphase"});
}

TEST(CommandLine, answers_mistakes_with_help) {
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{},
                                             {"compere"},
                                             {"compare", "--lock", "none"},
                                             {"compare", "--masters", "10"},
                                             {"compare", "--arrival", "all-at-once"},
                                             {"compare", "--locks", "nome"},
                                             {"compare", "--duration-s", "5"},
                                             {"load"},
                                             {"load", "--masters", "127.0.0.1"}}) {
    const auto parsed = parse(arguments);
    const auto* code = std::get_if<ExitCode>(&parsed.result);
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(code->code, exit_usage);
    EXPECT_NE(parsed.err.find("--help"), std::string::npos) << parsed.err;
  }
  const auto help = parse({"compare", "--help"});
  EXPECT_EQ(std::get<ExitCode>(help.result).code, exit_fine);
  EXPECT_NE(help.out.find("Examples:"), std::string::npos);
}

// Nobody may listen on port 1, which belongs to no cluster.
TEST(Load, that_may_wait_says_which_master_is_not_ready) {
  const Options options{
      .command = Command::load, .master_urls = {{.host = "127.0.0.1", .port = 1}}, .ready_s = 1};
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_command(options, out, err), exit_no_cluster);
  EXPECT_NE(err.str().find("not ready after 1 s: master at port 1 is not ready"), std::string::npos)
      << err.str();
}

}  // namespace
}  // namespace fixkeep::client_sim
