// fixkeepctl at a real cluster: what it lists, does and watches, and what its doctor finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <fstream>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/child_process.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/version_1.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using support::LocalCluster;
using support::Part;
using support::wait_until;
using ::testing::HasSubstr;

const client_sim::ClusterOptions two_of_each{
    .masters = 2, .workers = 2, .capacity = 4, .boot_ms = 0};

std::string url_of(const client_sim::Endpoint& node) {
  return "http://" + node.host + ":" + std::to_string(node.port);
}

struct Ran {
  std::string ended;  // "exit code 0"
  std::string output;
};

// The program, at one node after another of a cluster.
class Ctl : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::unsetenv("FIXKEEP_ADMIN"); }

  Ran run(std::vector<std::string> words) {
    const auto log = folder_ / "output";
    std::filesystem::remove(log);
    words.insert(words.begin(), (client_sim::program_folder() / "fixkeepctl").string());
    auto started = process::ChildProcess::start(words, log);
    if (!started) return {"not started", {}};
    const bool ended = started->wait(60s);
    std::ifstream file{log};
    return {ended ? started->how_it_ended() : "still running",
            {std::istreambuf_iterator<char>{file}, {}}};
  }
  Ran at_cluster(std::vector<std::string> words) {
    words.insert(words.end(), {"--admin", url_of(cluster_->admin(1))});
    return run(std::move(words));
  }

  // All nodes, whether they will be ready or not.
  void start(const LocalCluster::Change& change) {
    cluster_.emplace(two_of_each, change);
    for (std::size_t i = 0; i < 2; ++i) {
      cluster_->master(i).start(cluster_->config(Part::master, i));
      cluster_->worker(i).start(cluster_->config(Part::worker, i));
    }
  }
  [[nodiscard]] std::string all_nodes() const {
    return url_of(cluster_->admin(0)) + "," + url_of(cluster_->admin(1)) + "," +
           url_of(cluster_->worker_admin(0)) + "," + url_of(cluster_->worker_admin(1));
  }
  // "code where" of each finding.
  std::set<std::string> findings(const std::string& nodes) {
    std::set<std::string> all;
    const auto report = json::parse(run({"doctor", "--json", "--admin", nodes}).output);
    for (const auto& each : report.at("findings")) {
      all.insert(each.at("code").get<std::string>() + " " + each.at("where").get<std::string>());
    }
    return all;
  }

  test::TemporaryFolder folder_;
  std::optional<LocalCluster> cluster_;
};

TEST_F(Ctl, lists_what_there_is_and_acts_on_it) {
  cluster_.emplace(two_of_each);
  cluster_->start();
  const auto seated =
      at_cluster({"match", "duel", "region=eu", "version=1", "skill=1000", "--json"});
  ASSERT_EQ(seated.ended, "exit code 0") << seated.output;
  const auto room = json::parse(seated.output).at("room_id").get<std::string>();
  const auto worker = room.substr(0, room.find('-'));

  const auto rooms = at_cluster({"rooms", "--mode", "duel", "--worker", worker});
  EXPECT_THAT(rooms.output, HasSubstr(room + "  duel/region=eu"));
  EXPECT_THAT(at_cluster({"rooms", "--mode", "arena"}).output, ::testing::Not(HasSubstr(room)));
  EXPECT_THAT(at_cluster({"workers"}).output, HasSubstr("takes orders"));
  EXPECT_THAT(at_cluster({"masters"}).output, HasSubstr("this one"));
  EXPECT_THAT(at_cluster({"locks"}).output, HasSubstr("multiphase: "));
  EXPECT_EQ(at_cluster({"log", room}).ended, "exit code 0");

  EXPECT_EQ(at_cluster({"drain", room}).ended, "exit code 0");
  wait_until("it drains", [&] {
    return contains(at_cluster({"rooms", "--phase", "draining"}).output, room);
  });
  EXPECT_EQ(at_cluster({"close", room}).ended, "exit code 0");
  wait_until("it is gone", [&] { return !contains(at_cluster({"rooms"}).output, room); });
  EXPECT_EQ(at_cluster({"drain", "w2", "--most-ms", "60000"}).ended, "exit code 0");
  wait_until("the worker drains",
             [&] { return contains(at_cluster({"workers"}).output, "duel paused: drained"); });
  EXPECT_EQ(at_cluster({"resume", "w2"}).ended, "exit code 0");
}

TEST_F(Ctl, says_what_is_wrong_with_what_was_typed) {
  const auto mistyped = run({"roms"});
  EXPECT_EQ(mistyped.ended, "exit code 2");
  EXPECT_THAT(mistyped.output, HasSubstr("did you mean \"rooms\"?"));
  const auto nowhere = run({"rooms", "--admin", "nowhere"});
  EXPECT_EQ(nowhere.ended, "exit code 2");
  EXPECT_THAT(nowhere.output, HasSubstr("it has to be like http://"));
  const auto unreachable = run({"rooms", "--admin", "127.0.0.1:1"});
  EXPECT_EQ(unreachable.ended, "exit code 1");
  EXPECT_THAT(unreachable.output, HasSubstr("cannot be reached: Connection refused"));
  const auto malformed = run({"match", "duel", "region"});
  EXPECT_EQ(malformed.ended, "exit code 2");
  EXPECT_THAT(malformed.output, HasSubstr("is no attribute"));
  EXPECT_THAT(run({"rooms", "--token-file", "/no/such/file"}).output, HasSubstr("cannot be read"));
  EXPECT_THAT(run({"completion"}).output, HasSubstr("\" certs renew\") words=\""));
}

// Answers one request with 401, and returns the request.
std::string request_at(boost::asio::ip::tcp::acceptor& acceptor) {
  auto socket = acceptor.accept();
  std::string request;
  boost::asio::read_until(socket, boost::asio::dynamic_buffer(request), "\r\n\r\n");
  boost::asio::write(
      socket, boost::asio::buffer(std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
                                              "Connection: close\r\n\r\n"}));
  return request;
}

TEST_F(Ctl, sends_no_token_of_operators_to_listeners_for_players) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor players{io, {boost::asio::ip::address_v4::loopback(), 0}};
  const auto url = "http://127.0.0.1:" + std::to_string(players.local_endpoint().port());
  std::ofstream{folder_ / "token"} << "the-token-of-the-operators";
  std::ofstream{folder_ / "key"} << "the-key-of-a-service";
  ::setenv("FIXKEEP_ADMIN_TOKEN", "the-token-of-the-operators", 1);
  auto first = std::async(std::launch::async, [&] { return request_at(players); });
  const auto said =
      run({"match", "duel", "--players", url, "--token-file", (folder_ / "token").string()});
  EXPECT_THAT(first.get(), ::testing::Not(HasSubstr("the-token-of-the-operators")));
  EXPECT_THAT(said.output, HasSubstr("--key-file FILE"));
  auto second = std::async(std::launch::async, [&] { return request_at(players); });
  (void)run({"match", "duel", "--players", url, "--key-file", (folder_ / "key").string()});
  EXPECT_THAT(second.get(), HasSubstr("Authorization: Bearer the-key-of-a-service\r\n"));
  ::unsetenv("FIXKEEP_ADMIN_TOKEN");
}

// Each command: those that share their options, and those that do not.
TEST_F(Ctl, asks_the_node_of_the_command_line_whatever_the_environment_names) {
  ::setenv("FIXKEEP_ADMIN", "http://127.0.0.1:1", 1);
  for (const char* command : {"rooms", "workers", "masters", "locks", "watch", "drain", "resume",
                              "close", "log", "match", "doctor"}) {
    std::vector<std::string> words{command};
    if (std::set<std::string>{"drain", "resume", "close", "log", "match"}.contains(command)) {
      words.emplace_back("w1");
    }
    words.insert(words.end(), {"--admin", "http://127.0.0.1:2"});
    const std::string output = run(words).output;
    EXPECT_THAT(output, HasSubstr("127.0.0.1:2")) << command;
    EXPECT_THAT(output, ::testing::Not(HasSubstr("127.0.0.1:1"))) << command;
  }
  EXPECT_THAT(run({"rooms"}).output, HasSubstr("127.0.0.1:1 cannot be reached"));
  ::unsetenv("FIXKEEP_ADMIN");
}

TEST_F(Ctl, makes_certificates_that_are_valid_for_as_long_as_it_was_told) {
  const auto certs = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "certs");
    words.insert(words.end(), {"--dir", (folder_ / "certs").string()});
    return run(std::move(words));
  };
  const auto days_left = [&] {
    const auto listed = json::parse(certs({"list", "--json"}).output);
    std::vector<int> days;
    for (const auto& each : listed) days.push_back(each.at("days_left").get<int>());
    return days;
  };
  EXPECT_EQ(certs({"init", "--cluster", "c", "--days", "500"}).ended, "exit code 0");
  EXPECT_EQ(certs({"node", "--role", "worker", "w1", "--days", "4"}).ended, "exit code 0");
  EXPECT_EQ(certs({"node", "--role", "worker", "w2"}).ended, "exit code 0");
  // Whole days that are left, some of which end with the second in which they are looked at.
  const auto about = [](int days) { return ::testing::AnyOf(days - 1, days); };
  EXPECT_THAT(days_left(), ::testing::ElementsAre(about(4), about(365)));
  EXPECT_EQ(certs({"renew", "--within", "4", "--days", "20"}).ended, "exit code 0");
  EXPECT_THAT(days_left(), ::testing::ElementsAre(about(20), about(365)));
  EXPECT_EQ(certs({"init", "--cluster", "d", "--days", "0"}).ended, "exit code 2");
}

// Also those that were renewed meanwhile: with the old key an old certificate is valid as well.
TEST_F(Ctl, revokes_all_certificates_that_were_made_of_a_node) {
  const auto certs = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "certs");
    words.insert(words.end(), {"--dir", (folder_ / "certs").string()});
    return run(std::move(words));
  };
  ASSERT_EQ(certs({"init", "--cluster", "c"}).ended, "exit code 0");
  ASSERT_EQ(certs({"node", "--role", "worker", "w1", "w2"}).ended, "exit code 0");
  std::filesystem::remove(folder_ / "certs" / "issued.txt");  // an older version has none
  ASSERT_EQ(certs({"renew", "--all"}).ended, "exit code 0");
  EXPECT_THAT(certs({"revoke", "w1"}).output, HasSubstr("w1: 2 revoked"));
  EXPECT_THAT(certs({"list"}).output, ::testing::Not(HasSubstr("w1")));
  EXPECT_EQ(certs({"node", "--role", "worker", "w1"}).ended, "exit code 0") << "for its successor";
  EXPECT_THAT(certs({"revoke", "w1"}).output, HasSubstr("w1: 3 revoked"));
  const auto none = certs({"revoke", "w9"});
  EXPECT_EQ(none.ended, "exit code 1");
  EXPECT_THAT(none.output, HasSubstr("no certificate of w9 was made in "));
  EXPECT_EQ(certs({"revoke", "authority"}).ended, "exit code 1");
  std::ofstream{folder_ / "certs" / "issued.txt", std::ios::app} << "what? w2\n";
  EXPECT_THAT(certs({"revoke", "w2"}).output, HasSubstr("\"what?\" where a serial should be"));
}

TEST_F(Ctl, asks_the_next_master_where_one_is_away_and_tells_what_it_is_refused) {
  cluster_.emplace(two_of_each);
  cluster_->start();
  const auto nodes = "127.0.0.1:1," + url_of(cluster_->admin(0));
  EXPECT_EQ(run({"masters", "--admin", nodes}).ended, "exit code 0");
  const auto refused = run({"close", "w1-0000000000000001-1", "--admin", nodes});
  EXPECT_EQ(refused.ended, "exit code 1");
  EXPECT_THAT(refused.output, HasSubstr("answers 404: "));
  const auto unknown = run({"match", "dule", "--admin", nodes});
  EXPECT_THAT(unknown.output, HasSubstr("answers 400: "));
  EXPECT_THAT(unknown.output, HasSubstr("duel"));
}

TEST_F(Ctl, watches_what_happens) {
  cluster_.emplace(two_of_each);
  cluster_->start();
  const auto log = folder_ / "watched";
  auto watch =
      process::ChildProcess::start({(client_sim::program_folder() / "fixkeepctl").string(), "watch",
                                    "--for-s", "60", "--admin", url_of(cluster_->admin(1))},
                                   log);
  ASSERT_TRUE(watch);
  const auto watched = [&] {
    std::ifstream file{log};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  wait_until("it watches", [&] { return contains(watched(), "m2 of cluster "); });
  ASSERT_EQ(at_cluster({"match", "duel", "region=eu", "version=1", "skill=1000"}).ended,
            "exit code 0");
  wait_until("the lock",
             [&] { return contains(watched(), " lock-granted counter=1 group=duel/region=eu"); });
  wait_until("the seat", [&] { return contains(watched(), " match-answered room=w"); });
}

// --- the doctor ---

TEST_F(Ctl, doctor_finds_nothing_at_a_healthy_cluster) {
  cluster_.emplace(two_of_each);
  cluster_->start();
  EXPECT_EQ(findings(all_nodes()), std::set<std::string>{});
  EXPECT_EQ(run({"doctor", "--admin", all_nodes()}).output,
            "4 nodes asked: 0 problems, 0 warnings\n");
  EXPECT_EQ(findings(url_of(cluster_->admin(0))), (std::set<std::string>{"not-asked "}));
}

TEST_F(Ctl, doctor_names_who_does_not_answer_as_a_node_does) {
  cluster_.emplace(two_of_each, [&](auto& config, Part part, std::size_t index) {
    if (part != Part::worker || index != 1) return;
    std::ofstream{folder_ / "token"} << "a token of more than 16 characters\n";
    config["admin"]["token_file"] = (folder_ / "token").string();
  });
  for (std::size_t i = 0; i < 2; ++i) {
    cluster_->master(i).start(cluster_->config(Part::master, i));
    cluster_->worker(i).start(cluster_->config(Part::worker, i));
  }
  cluster_->wait_until_ready();
  const auto players = url_of(cluster_->http(0));
  const auto guarded = url_of(cluster_->worker_admin(1));
  const auto found =
      findings(all_nodes() + ",127.0.0.1:1," + players + "," + url_of(cluster_->admin(0)) + "/");
  EXPECT_THAT(found, ::testing::IsSupersetOf(
                         {"token-refused " + guarded, std::string{"unreachable http://127.0.0.1:1"},
                          "not-a-node " + players, std::string{"asked-twice m1"}}));
  const auto with_token = run({"doctor", "--admin", guarded, "--token-file", folder_ / "token"});
  EXPECT_THAT(with_token.output, ::testing::Not(HasSubstr("token-refused")));
  std::ifstream file{folder_ / "token"};
  const std::string token{std::istreambuf_iterator<char>{file}, {}};
  std::ofstream{folder_ / "marked"} << "\xef\xbb\xbf" << token << "\r\n";
  const auto marked = run({"doctor", "--admin", guarded, "--token-file", folder_ / "marked"});
  EXPECT_THAT(marked.output, ::testing::Not(HasSubstr("token-refused")));
}

// It is forgotten by an upgrade, and dials as it has always done.
TEST_F(Ctl, doctor_names_a_node_that_speaks_an_older_version_of_the_protocol) {
  cluster_.emplace(two_of_each);
  cluster_->start();
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket old_worker{io};
  old_worker.connect({boost::asio::ip::address_v4::loopback(), cluster_->mesh(0).port});
  boost::asio::write(old_worker, boost::asio::buffer(test::greeting_of_version_1()));
  constexpr auto why = "it speaks version 1 of the protocol, this node version 2: upgrade it";
  wait_until("the master says why it is refused",
             [&] { return contains(cluster_->master(0).log(), why); });
  EXPECT_EQ(findings(all_nodes()), std::set<std::string>{"other-protocol m1"});
  EXPECT_THAT(run({"doctor", "--admin", all_nodes()}).output,
              HasSubstr("refuses w1 at 127.0.0.1, which speaks version 1 of the protocol"));
}

TEST_F(Ctl, doctor_names_games_that_do_not_come_up) {
  cluster_.emplace(two_of_each, [](auto& config, Part part, std::size_t) {
    if (part != Part::worker) return;
    config["games"][0]["command"] = {"/bin/sh", "-c", "echo cannot bind; exit 1"};
  });
  cluster_->start();
  EXPECT_THAT(at_cluster({"match", "duel", "region=eu", "version=1", "skill=1000"}).output,
              HasSubstr("the operator finds the reason"));
  const auto told = run({"doctor", "--admin", all_nodes()});
  EXPECT_EQ(told.ended, "exit code 1");
  EXPECT_THAT(told.output, HasSubstr("problem  mode-failing\n"));
  EXPECT_THAT(told.output, HasSubstr("exit code 1: cannot bind"));
}

TEST_F(Ctl, doctor_names_a_master_that_is_away) {
  cluster_.emplace(two_of_each);
  cluster_->start();
  cluster_->master(1).kill();
  const auto others = url_of(cluster_->admin(0)) + "," + url_of(cluster_->worker_admin(0)) + "," +
                      url_of(cluster_->worker_admin(1));
  wait_until("all name it", [&] {
    const auto found = findings(others);
    return found.contains("master-away m1") && found.contains("worker-away w1") &&
           found.contains("worker-away w2");
  });
}

// One node, or all of one kind, is configured so that it does not fit the others.
struct Planted {
  const char* finding;  // "code where"
  Part part;
  std::optional<std::size_t> index;  // none: all of the kind
  void (*change)(json& config);
};
void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.finding;
}

class Doctor : public Ctl, public ::testing::WithParamInterface<Planted> {};

TEST_P(Doctor, names_what_is_planted) {
  const Planted& planted = GetParam();
  start([&](auto& config, Part part, std::size_t index) {
    if (part == planted.part && planted.index.value_or(index) == index) planted.change(config);
  });
  wait_until("it is found", [&] { return findings(all_nodes()).contains(planted.finding); });
}

const Planted plants[]{
    {"lock-differs m2", Part::master, 1,
     [](json& config) { config["lock"]["strategy"] = "ricart-agrawala"; }},
    {"setting-differs m2", Part::master, 1,
     [](json& config) { config["lock"]["lease_ms"] = 9000; }},
    {"identity-differs m2", Part::master, 1,
     [](json& config) { config["identity"]["open"] = "anybody-may-name-any-player"; }},
    {"no-lock m1", Part::master, {}, [](json& config) { config["lock"]["strategy"] = "none"; }},
    {"mesh-differs m2", Part::master, 1,
     [](json& config) {
       config["mesh"]["masters"].push_back({{"id", 9}, {"address", "127.0.0.1:1"}});
     }},
    {"modes-differ m2", Part::master, 1, [](json& config) { config["modes"][0]["capacity"] = 5; }},
    {"mode-without-worker ",
     Part::master,
     {},
     [](json& config) {
       auto mode = config["modes"][0];
       mode["name"] = "arena";
       config["modes"].push_back(mode);
     }},
    {"players-without-https m1", Part::master, 0,
     [](json& config) {
       config["http"]["address"] = "0.0.0.0";
       config["identity"]["open"] = "anybody-may-name-any-player";
     }},
    {"other-cluster w2", Part::worker, 1,
     [](json& config) { config["cluster"]["id"] = "another"; }},
    {"worker-lacks-master w2", Part::worker, 1, [](json& config) { config["masters"].erase(1); }},
    {"worker-away w2", Part::worker, 1,
     [](json& config) { config["masters"][1]["address"] = "127.0.0.1:1"; }},
    {"mode-without-master w2", Part::worker, 1,
     [](json& config) { config["games"][0]["mode"] = "dule"; }},
    {"ports-too-few w1", Part::worker, 0,
     [](json& config) {
       auto& ports = config["rooms"]["ports"];
       ports["last"] = ports["first"];
     }},
};

INSTANTIATE_TEST_SUITE_P(Misconfigurations, Doctor, ::testing::ValuesIn(plants),
                         [](const auto& of) {
                           std::string name = of.param.finding;
                           for (char& letter : name) {
                             if (letter == '-' || letter == ' ') letter = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace fixkeep::integration
