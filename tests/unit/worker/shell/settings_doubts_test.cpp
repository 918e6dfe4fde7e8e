// What is well-formed in a worker's configuration and wrong all the same, or probably so.
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "worker/shell/player_address.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {
namespace {

using config::Problems;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

struct Said {
  std::vector<std::string> problems;
  std::vector<std::string> doubts;
};

Said said(std::vector<std::string> settings, bool check = false) {
  const auto loaded = load_settings(
      {.file = "configs/worker.json", .settings = std::move(settings), .check = check},
      {"FIXKEEP_CLUSTER_SECRET=a-secret-that-no-file-shows"});
  Said lines;
  if (const auto* const problems = std::get_if<Problems>(&loaded)) {
    for (const auto& problem : *problems) lines.problems.push_back(to_string(problem));
  } else {
    for (const auto& doubt : std::get<Settings>(loaded).doubts) {
      lines.doubts.push_back(to_string(doubt));
    }
  }
  return lines;
}

std::string game(const std::string& members) {
  return R"(games=[{"mode":"a","command":["/bin/sh"],)" + members + "}]";
}

TEST(PlayerAddress, is_a_host_without_a_port_that_one_machine_has) {
  for (const char* right :
       {"127.0.0.1", "10.0.0.7", "203.0.113.9", "::1", "2001:db8::7", "fd00::1", "fe80::1",
        "::ffff:10.0.0.7", "localhost", "games.example.org", "games.example.org.", "w1", "3com",
        "1.example", "a_b.example", "m\xc3\xbcnchen.example", "xn--mnchen-3ya.example"}) {
    EXPECT_EQ(why_no_player_comes(right), "") << right;
  }
  const std::string host = "must be a host name or an IP address, without a port";
  const std::string listener = "must be an address that players can connect to";
  const std::string many = "must be the address of one machine";
  for (const auto& [wrong, why] :
       std::map<std::string, std::string>{{"0.0.0.0", listener},
                                          {"0.1.2.3", listener},
                                          {"::", listener},
                                          {"0:0:0:0:0:0:0:0", listener},
                                          {"::ffff:0.0.0.0", listener},
                                          {"255.255.255.255", many},
                                          {"239.1.2.3", many},
                                          {"ff02::1", many},
                                          {"::ffff:224.0.0.1", many},
                                          {"example.org:7777", "must have no port"},
                                          {"10.0.0.7:7777", "must have no port"},
                                          {"[::1]:7777", "must have no port"},
                                          {"[2001:db8::7]", "must have no brackets"},
                                          {"example.org:", host},
                                          {"example.org:udp", host},
                                          {"[example.org]", host},
                                          {"10.0.0.256", host},
                                          {"10.0.0", host},
                                          {"12345", host},
                                          {"fe80::1%eth0", host},
                                          {"1:2:3", host},
                                          {"*", host},
                                          {"a,b", host},
                                          {"$(POD_IP)", host},
                                          {"user@host", host},
                                          {".example", host},
                                          {"a..b", host},
                                          {"-a.example", host},
                                          {".", host},
                                          {std::string(64, 'a'), host}}) {
    EXPECT_THAT(why_no_player_comes(wrong), AllOf(StartsWith(why), HasSubstr('"' + wrong + '"')));
  }
  EXPECT_THAT(why_no_player_comes("[::1]:7777"), HasSubstr(": write \"::1\""));
  EXPECT_THAT(why_no_player_comes("[::1]"), HasSubstr(": write \"::1\""));
}

// Each is a problem for --check and a doubt at a start, which may come before its disk or user.
TEST(WorkerSettings, look_at_what_games_need_of_this_machine) {
  const test::TemporaryFolder folder;
  const auto file = (folder / "file").string();
  std::ofstream{file} << "text";
  const auto text = [](const std::string& value) { return '"' + value + '"'; };
  const auto command = [&](const std::string& program) {
    return R"({"command":[)" + text(program) + "]}";
  };
  const auto probe = [&](const std::string& program) {
    return R"({"p":{"by":"command","command":[)" + text(program) + "]}}";
  };
  const std::vector<std::vector<std::string>> cases{
      // key, what is wrong, what is right, place, sentence
      {"working_folder", text("/no/such"), text(folder.path().string()), "working_folder",
       "must be a folder of this machine, is \"/no/such\": No such file or directory"},
      {"working_folder", text(file), text("/srv/{mode}"), "working_folder", "it is no folder"},
      {"user", text("no-such-user-here"), text(std::to_string(::geteuid())), "user",
       "cannot be used: there is no user \"no-such-user-here\""},
      {"group", text("no-such-group-here"), text(std::to_string(::getegid())), "group",
       "cannot be used: there is no group \"no-such-group-here\""},
      {"stop", command("no-such-program"), command("sh"), "stop.command[0]",
       "must name a program that can be executed, is \"no-such-program\": not in PATH"},
      {"stop", command(file), command("{folder}/stop"), "stop.command[0]", "Permission denied"},
      {"probes", probe("/no/such"), probe("/bin/sh"), "probes.p.command[0]",
       "No such file or directory"},
      {"probes", probe("/usr"), probe("{folder}/ask"), "probes.p.command[0]", "is a folder"},
  };
  for (const auto& each : cases) {
    const auto with = [&](const std::string& value) { return game(text(each[0]) + ":" + value); };
    const auto is = ElementsAre(
        AllOf(StartsWith("--set games: games[0]." + each[3] + ": "), HasSubstr(each[4])));
    EXPECT_THAT(said({with(each[1])}, true).problems, is);
    const auto start = said({with(each[1])});
    EXPECT_THAT(start.problems, IsEmpty());
    EXPECT_THAT(start.doubts, is);
    const auto right = said({with(each[2])}, true);
    EXPECT_THAT(right.problems, IsEmpty()) << each[2];
    EXPECT_THAT(right.doubts, IsEmpty()) << each[2];
  }
}

// The check runs as root, and the game does not.
TEST(WorkerSettings, look_at_files_as_the_user_of_the_game) {
  ASSERT_EQ(::geteuid(), 0U) << "only root runs games as others: run this as root";
  const test::TemporaryFolder folder;
  const auto closed = folder.string();
  const auto open = closed + "/open";
  std::filesystem::create_directory(open);
  std::filesystem::copy_file("/bin/sh", open + "/game");
  const auto set_mode = [](const std::string& path, mode_t mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  };
  const auto judged = [&](const std::string& user, const std::string& own) {
    return said({R"(games=[{"mode":"a","command":[")" + open + R"(/game"],"working_folder":")" +
                     open + R"(","stop":{"command":[")" + open + R"(/game"]})" + user + "}]",
                 "rooms.users.first=" + own},
                true)
        .problems;
  };
  for (const auto& [user, own] :
       {std::pair{R"(,"user":"61000","group":"61001")", "0"}, std::pair{"", "61000"}}) {
    set_mode(closed, 0700);
    const auto denied = HasSubstr(": Permission denied for user 61000");
    EXPECT_THAT(judged(user, own),
                UnorderedElementsAre(
                    AllOf(StartsWith("--set games: games[0].command[0]: must name a prog"), denied),
                    AllOf(StartsWith("--set games: games[0].working_folder: must be "), denied),
                    AllOf(StartsWith("--set games: games[0].stop.command[0]: must "), denied)));
    set_mode(closed, 0711);
    EXPECT_THAT(judged(user, own), IsEmpty());
    set_mode(open, 0700);
    EXPECT_EQ(judged(user, own).size(), 3U);
    set_mode(open, 0711);
    set_mode(open + "/game", 0744);
    EXPECT_EQ(judged(user, own).size(), 2U) << "of the program alone";
    set_mode(open + "/game", 0711);
  }
  set_mode(closed, 0700);
  EXPECT_THAT(judged("", "0"), IsEmpty()) << "as the worker";
}

// The start ends without a log or a state folder, and goes on without output.
TEST(WorkerSettings, look_at_folders_and_ports_of_the_worker_itself) {
  const test::TemporaryFolder folder;
  const auto file = (folder / "file").string();
  std::ofstream{file} << "text";
  const std::string shell = "games[0].command[0]=/bin/sh";
  EXPECT_THAT(
      said({shell, "log.file=" + file + "/log", "worker.state_folder=" + file}, true).problems,
      UnorderedElementsAre(
          "--set worker.state_folder: worker.state_folder: cannot be used: " + file +
              " is no folder; name a folder that only this user can change in "
              "worker.state_folder",
          "--set log.file: log.file: cannot be written to: " + file + " is no folder"));
  ASSERT_EQ(::chmod(folder.string().c_str(), 0777), 0);
  EXPECT_THAT(said({shell, "worker.state_folder=" + folder.string() + "/a"}, true).problems,
              ElementsAre(HasSubstr(folder.string() + " can be written to by every user; ")));
  ASSERT_EQ(::chmod(folder.string().c_str(), 0700), 0);
  const auto right = said({shell, "log.file=" + folder.string() + "/log",
                           "worker.state_folder=" + folder.string() + "/state/more"},
                          true);
  EXPECT_THAT(right.problems, IsEmpty());
  EXPECT_THAT(right.doubts, IsEmpty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder.path()}, {}), 1)
      << "nothing was made";
}

TEST(WorkerSettings, doubt_secrets_that_games_can_read) {
  const test::TemporaryFolder folder;
  const std::string file = folder.string() + "/worker.json";
  const std::string token = folder.string() + "/token";
  std::filesystem::copy_file("configs/worker.json", file);
  std::ofstream{token} << "a-token-for-the-operators-of-a-test";
  const auto doubts_with = [&](mode_t of_file, mode_t of_token) {
    EXPECT_EQ(::chmod(file.c_str(), of_file), 0);
    EXPECT_EQ(::chmod(token.c_str(), of_token), 0);
    const auto loaded =
        load_settings({.file = file,
                       .settings = {"games[0].command[0]=/bin/sh", "admin.token_file=" + token},
                       .check = true},
                      {});
    std::vector<std::string> doubts;
    for (const auto& doubt : std::get<Settings>(loaded).doubts) doubts.push_back(to_string(doubt));
    return doubts;
  };
  const std::string can_read = "every user of this machine can read a secret of this worker: chmod";
  const auto of_secret = AllOf(StartsWith(file + ":3: cluster.secret: "), HasSubstr(can_read));
  EXPECT_THAT(doubts_with(0600, 0640), IsEmpty());
  EXPECT_THAT(doubts_with(0604, 0600), ElementsAre(of_secret));
  EXPECT_THAT(doubts_with(0644, 0644), UnorderedElementsAre(of_secret, HasSubstr(token)));
}

TEST(WorkerSettings, refuse_keys_of_another_kind_of_probe) {
  const std::map<std::string, std::string> needed{{"tcp", ""},
                                                  {"udp", R"(,"exchanges":[{"send":"00"}])"},
                                                  {"a2s", ""},
                                                  {"line", R"(,"contains":"x")"},
                                                  {"command", R"(,"command":["sh"])"},
                                                  {"alive", R"(,"after_ms":1)"}};
  const std::vector<std::pair<std::string, std::set<std::string>>> keys{
      {R"("port":"query")", {"tcp", "udp", "a2s"}},
      {R"("exchanges":[{"send":"00"}])", {"udp"}},
      {R"("contains":"x")", {"line"}},
      {R"("matches":"x")", {"line"}},
      {R"("command":["sh"])", {"command"}},
      {R"("after_ms":1)", {"alive"}},
      {R"j("players":{"matches":"(x)"})j", {"udp", "command"}},
      {R"("interval_ms":100)", {"tcp", "udp", "a2s", "line", "command", "alive"}}};
  for (const auto& [by, others] : needed) {
    for (const auto& [member, kinds] : keys) {
      if (others.find(member) != std::string::npos || (by == "line" && kinds.contains("line"))) {
        continue;
      }
      const auto problems = said({game(R"("ports":["query"],"probes":{"p":{"by":")" + by + '"' +
                                       others + ',' + member + "}}")})
                                .problems;
      if (kinds.contains(by)) {
        EXPECT_THAT(problems, IsEmpty()) << by << ' ' << member;
      } else {
        const auto key = member.substr(1, member.find('"', 1) - 1);
        EXPECT_THAT(problems,
                    ElementsAre(AllOf(HasSubstr("games[0].probes.p." + key + ": belongs to"),
                                      HasSubstr("this one is by " + by))))
            << by << ' ' << member;
      }
    }
  }
}

TEST(WorkerStart, with_check_shows_doubts_and_ends_well) {
  std::ostringstream out;
  std::ostringstream err;
  const char* arguments[] = {"fixkeep-worker",
                             "--config",
                             "configs/worker.json",
                             "--check",
                             "--set",
                             "games[0].command[0]=/bin/sh",
                             "--set",
                             "rooms.ports.last=20009"};
  const auto result = program().start(std::size(arguments), arguments, out, err);
  EXPECT_EQ(std::get<config::ExitCode>(result).code, 0);
  EXPECT_EQ(out.str(), "configuration is valid\n");
  EXPECT_THAT(err.str(), HasSubstr("warning: --set rooms.ports.last: rooms.ports.last: makes 10 "));
}

}  // namespace
}  // namespace fixkeep::worker
