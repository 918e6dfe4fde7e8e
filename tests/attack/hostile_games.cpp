#include "tests/attack/hostile_games.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "client-sim/load/api.hpp"
#include "common/process/proc.hpp"
#include "common/process/self.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/beside.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::attack {
namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;
using nlohmann::json;
using support::Part;

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : "\t") + word;
  return line;
}

}  // namespace

std::string HostileRoom::try_to(const std::vector<std::string>& words) const {
  boost::asio::io_context context;
  tcp::socket socket{context};
  socket.connect({boost::asio::ip::address_v4::loopback(), port});
  boost::asio::write(socket, boost::asio::buffer(joined(words) + "\n"));
  boost::asio::streambuf answer;
  boost::system::error_code end;
  boost::asio::read(socket, answer, end);
  return {std::istreambuf_iterator<char>{&answer}, {}};
}

// Cases run beside each other, and no two workers of a machine may share users.
std::uint32_t HostileGames::first_user() {
  constexpr std::uint32_t start = 1'000'000;
  return start + static_cast<std::uint32_t>(::getpid()) * users;
}

void HostileGames::start(const std::function<void(json&)>& change) {
  const auto game = std::make_shared<std::string>();
  cluster.emplace(client_sim::ClusterOptions{.masters = 1, .workers = 1, .capacity = 2},
                  [game, change](json& config, Part part, std::size_t) {
                    if (part != Part::worker) return;
                    json& entry = config["games"][0];
                    entry["command"] = {*game, "--port", "{port}"};
                    entry["probes"] = {{"says", {{"by", "line"}, {"contains", "ready"}}}};
                    entry["ready"] = {"says"};
                    entry["players"] = "until-exit";
                    config["rooms"]["users"] = {{"first", first_user()}};
                    config["rooms"]["limit"] = users;
                    config["rooms"]["outlive_worker_ms"] = 60'000;
                    if (change) change(config);
                  });
  fs::permissions(folder(), fs::perms{0755});
  // What the worker makes is closed by itself, not by the mask that it was started with.
  ::umask(0);
  std::ofstream{cluster->worker(0).config_file()}.close();
  ::chmod(cluster->worker(0).config_file().c_str(), 0600);
  // Where every user can execute it, wherever the project was built.
  *game = (folder() / "hostile-game").string();
  fs::copy_file(support::beside("fixkeep-hostile-game"), *game);
  fs::permissions(*game, fs::perms{0755});
  cluster->start();
}

void HostileGames::SetUp() {
  ASSERT_EQ(::geteuid(), 0U) << "only root can give rooms users of their own: run this as root";
  start();
  hostile = new_room();
  neighbour = new_room();
}

void HostileGames::TearDown() {
  if (cluster) integration::expect_clean_stop(*cluster);
}

HostileRoom HostileGames::new_room() {
  const auto name = "region-" + std::to_string(++groups_);
  const auto reply = support::ask_for_seat(cluster->http(0), "player-" + name, name);
  const auto seat = reply ? client_sim::parse_match_answer(reply->body) : std::nullopt;
  if (!seat) {
    ADD_FAILURE() << (reply ? reply->body : reply.error().message()) << cluster->worker(0).log();
    return {};
  }
  HostileRoom room{.id = seat->room_id, .port = seat->port};
  room.game = std::stoi(room.try_to({"process"}));
  room.keeper = std::stoi(room.try_to({"status", "PPid"}));
  return room;
}

void HostileGames::expect_got(const std::vector<std::string>& words) const {
  const auto answer = hostile.try_to(words);
  EXPECT_TRUE(answer.starts_with("got")) << joined(words) << ": " << answer;
}

void HostileGames::expect_refused(const std::vector<std::string>& words) const {
  const auto answer = hostile.try_to(words);
  EXPECT_TRUE(answer.starts_with("refused: ")) << joined(words) << ": " << answer;
}

void HostileGames::expect_own_answer(const std::string& answer, const std::string& wanted) const {
  if (process::sees_processes_of_others()) {
    EXPECT_TRUE(answer.starts_with(wanted)) << answer;
  } else {
    EXPECT_TRUE(answer.starts_with("refused: ")) << answer;
  }
}

void HostileGames::expect_refused_for_others(
    const std::function<std::vector<std::string>(const std::string& pid)>& words_for) {
  const std::vector<std::pair<const char*, pid_t>> others{
      {"its worker", cluster->worker(0).pid()},
      {"its keeper", hostile.keeper},
      {"its neighbour", neighbour.game},
      {"its neighbour's keeper", neighbour.keeper}};
  for (const auto& [who, pid] : others) {
    SCOPED_TRACE(who);
    ASSERT_TRUE(process::alive(pid));
    expect_refused(words_for(std::to_string(pid)));
  }
}

std::filesystem::path HostileGames::folder() {
  return cluster->worker(0).config_file().parent_path();
}

}  // namespace fixkeep::attack
