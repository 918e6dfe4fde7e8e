// The program fixkeep-room-keeper, as a worker speaks to it.
#include "worker/keeper/starter.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/process/child_process.hpp"
#include "common/process/descriptor.hpp"
#include "common/process/proc.hpp"
#include "common/process/process_group.hpp"
#include "common/process/spawn.hpp"
#include "tests/support/beside.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/keeper/passing.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"
#include "worker/keeper/texts.hpp"

namespace fixkeep::worker::keeper {
namespace {

namespace fs = std::filesystem;
using process::Descriptor;

struct Pair {
  Pair() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours = Descriptor{ends[0]};
    its = Descriptor{ends[1]};
  }
  Descriptor ours;
  Descriptor its;
};

// What a room's keeper has told so far, by word.
struct Told {
  std::map<Word, Packet> packets;
  [[nodiscard]] pid_t keeper() const { return packets.at(Word::state).extra; }
  [[nodiscard]] pid_t game() const { return packets.at(Word::started).detail; }
};

struct StarterTest : testing::Test {
  StarterTest() {
    const Descriptor null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    Pair pair;
    const auto started = process::spawn({.program = support::beside("fixkeep-room-keeper"),
                                         .arguments = {"fixkeep-room-keeper"},
                                         .environment = {},
                                         .input = null.get(),
                                         .output = null.get(),
                                         .inherited = {pair.its.get()}});
    EXPECT_TRUE(started);
    starter = *started;
    socket = std::move(pair.ours);
  }
  ~StarterTest() override {
    if (starter != 0) process::end_group(starter);
  }

  [[nodiscard]] std::string room() const { return (folder / "room").string(); }
  [[nodiscard]] std::string plan(std::vector<std::string> cgroup = {}) const {
    return to_text({.program = "/bin/sleep",
                    .game = {.command = {"sleep", "600"}, .working_folder = room() + "/game"},
                    .place = room(),
                    .own_folder = room() + "/game",
                    .cgroup = std::move(cgroup),
                    .record = room() + "/ended"});
  }
  void hand_over(const std::string& text, int connection) const {
    const Descriptor file{::memfd_create("plan", MFD_CLOEXEC)};
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ASSERT_GT(send_with(socket.get(), "o", {file.get(), connection}), 0);
  }
  // Nothing: the other end is closed.
  static std::optional<Packet> next_word(const Pair& pair, std::vector<int>& descriptors) {
    pollfd entry{.fd = pair.ours.get(), .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, 10'000) != 1) {
      ADD_FAILURE() << "it says nothing";
      return std::nullopt;
    }
    std::array<char, packet_bytes> bytes{};
    const auto count = receive_with(pair.ours.get(), bytes.data(), bytes.size(), descriptors);
    if (count <= 0) return std::nullopt;
    return to_packet({bytes.data(), static_cast<std::size_t>(count)});
  }
  static Told hear_until(const Pair& pair, Word word) {
    Told told;
    while (!told.packets.contains(word)) {
      std::vector<int> descriptors;
      const auto packet = next_word(pair, descriptors);
      for (const int descriptor : descriptors) ::close(descriptor);
      if (!packet) break;
      told.packets[packet->word] = *packet;
    }
    return told;
  }
  template <class Done>
  static bool eventually(Done done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!done() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return done();
  }

  test::TemporaryFolder folder;
  Descriptor socket;
  pid_t starter = 0;
};

TEST_F(StarterTest, a_keeper_says_who_it_is_that_it_can_be_found_and_that_its_game_runs) {
  Pair room;
  hand_over(plan(), room.its.release());
  std::vector<int> descriptors;
  const auto state = next_word(room, descriptors);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->word, Word::state);
  EXPECT_THAT(process::children_of(starter), testing::ElementsAre(state->extra));
  ASSERT_EQ(descriptors.size(), 1U);
  const Descriptor watch{descriptors.front()};
  const auto placed = next_word(room, descriptors);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->word, Word::placed);
  EXPECT_TRUE(fs::exists(this->room() + "/control"));
  const auto started = next_word(room, descriptors);
  ASSERT_TRUE(started);
  EXPECT_EQ(started->word, Word::started);
  EXPECT_THAT(process::children_of(state->extra), testing::ElementsAre(started->detail));
  const auto bytes = to_bytes({.word = Word::end});
  ::send(room.ours.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  pollfd gone{.fd = watch.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&gone, 1, 10'000), 1) << "the descriptor is that of the keeper";
  EXPECT_TRUE(eventually([&] { return process::children_of(starter).empty(); })) << "collected";
}

TEST_F(StarterTest, a_keeper_runs_commands_and_complains_in_texts_that_hold_any_bytes) {
  Pair room;
  hand_over(plan({"/no/such/folder"}), room.its.release());
  const auto next = [&](Word word) {
    std::vector<int> descriptors;
    for (;;) {
      auto packet = next_word(room, descriptors);
      for (const int descriptor : descriptors) ::close(descriptor);
      descriptors.clear();
      if (!packet || packet->word == word) return packet.value_or(Packet{});
    }
  };
  EXPECT_EQ(next(Word::state).number, 2);
  EXPECT_EQ(texts_of(next(Word::complaint)),
            (std::vector<std::string>{"cannot make the control group of a room", "/no/such/folder",
                                      "No such file or directory"}));
  next(Word::started);
  const auto run = [&](std::optional<Packet> packet, std::int32_t which) {
    packet->number = which;
    packet->detail = 10'000;
    const auto bytes = to_bytes(*packet);
    ::send(room.ours.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return next(Word::ran).text;
  };
  const std::vector<std::string> words{"/usr/bin/printf", "printf", "[%s]", "a b", "", "-x\n"};
  EXPECT_EQ(run(packet_of(Word::run, words), 1), "[a b][][-x\n]");
  EXPECT_EQ(run(packet_of_1(Word::run_1, words), 2), "[a b][][-x\n]") << "of an older worker";
  // An argument ends at its NUL, as the system has it, and does not become two.
  EXPECT_EQ(run(packet_of(Word::run, {"/usr/bin/printf", "printf", "[%s]",
                                      std::string{"map\0--admin", 11}, "c"}),
                3),
            "[map][c]");
  EXPECT_EQ(run(Packet{.word = Word::run, .text = "\xff"}, 4), "no command");
}

TEST_F(StarterTest, what_runs_beside_a_game_is_started_again_and_ends_with_the_room) {
  Pair room;
  Plan wanted = *to_plan(plan());
  wanted.beside = {"/bin/sleep", "700"};
  hand_over(to_text(wanted), room.its.release());
  const auto told = hear_until(room, Word::started);
  const auto beside = [&] {
    for (const pid_t child : process::children_of(told.keeper())) {
      if (child != told.game()) return child;
    }
    return pid_t{0};
  };
  ASSERT_TRUE(eventually([&] { return beside() != 0; }));
  const pid_t first = beside();
  ::kill(first, SIGKILL);
  pid_t second = 0;
  EXPECT_TRUE(eventually([&] {
    second = beside();
    return second != 0 && second != first;
  }));
  ::kill(told.game(), SIGKILL);
  EXPECT_EQ(hear_until(room, Word::ended).packets.at(Word::ended).extra, 0)
      << "no part of the game";
  EXPECT_TRUE(eventually([&] { return !process::alive(second); }));
}

TEST_F(StarterTest, listens_for_what_runs_beside_a_game_before_the_game_starts) {
  const std::uint16_t port = [] {
    const Descriptor any{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(any.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(any.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    return ntohs(address.sin_port);
  }();
  const auto connects = [&] {
    const Descriptor client{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  };
  Pair room;
  Plan wanted = *to_plan(plan());
  wanted.beside = {"/bin/false"};
  wanted.beside_port = port;
  hand_over(to_text(wanted), room.its.release());
  const auto told = hear_until(room, Word::complaint);
  EXPECT_TRUE(connects()) << "although the program does not run";
  EXPECT_EQ(
      texts_of(told.packets.at(Word::complaint)),
      (std::vector<std::string>{"a program beside a game has ended", "/bin/false", "exit code 1"}));

  Pair second;
  wanted.place += "2";
  wanted.own_folder = wanted.place + "/game";
  wanted.game.working_folder = wanted.own_folder;
  hand_over(to_text(wanted), second.its.release());
  const auto refused = hear_until(second, Word::ended);
  EXPECT_FALSE(refused.packets.contains(Word::started)) << "its port is taken";
  EXPECT_EQ(refused.packets.at(Word::ended).text,
            "cannot listen on port " + std::to_string(port) + ": Address already in use");
}

TEST_F(StarterTest, what_runs_beside_a_daemon_keeps_no_room_alive) {
  Pair room;
  Plan wanted = *to_plan(plan());
  wanted.program = "/bin/sh";
  wanted.game.command = {"sh", "-c", "sleep 0.2 & exit 0"};
  wanted.game.daemon = true;
  wanted.beside = {"/bin/sleep", "700"};
  hand_over(to_text(wanted), room.its.release());
  EXPECT_TRUE(hear_until(room, Word::ended).packets.contains(Word::ended));
}

TEST_F(StarterTest, collects_what_a_keeper_leaves_that_was_killed) {
  process::adopt_orphans();  // as the first process of a container
  Pair room;
  hand_over(plan(), room.its.release());
  const auto told = hear_until(room, Word::started);
  const pid_t game = told.game();
  ::kill(told.keeper(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return !fs::exists("/proc/" + std::to_string(game)); }));
  EXPECT_TRUE(eventually([&] { return process::children_of(starter).empty(); }));
}

TEST_F(StarterTest, a_keeper_that_nobody_hears_makes_nothing) {
  ::kill(starter, SIGSTOP);
  {
    Pair room;
    hand_over(plan(), room.its.get());
  }
  ::kill(starter, SIGCONT);
  Pair another;
  hand_over("no plan", another.its.get());
  another.its = Descriptor{};
  std::vector<int> descriptors;
  EXPECT_FALSE(next_word(another, descriptors)) << "orders are done one after the other";
  EXPECT_TRUE(eventually([&] { return process::children_of(starter).empty(); }));
  EXPECT_FALSE(fs::exists(room()));
}

TEST_F(StarterTest, drops_what_is_no_order_and_goes_on) {
  ASSERT_GT(send_with(socket.get(), "o", {}), 0);
  {
    const Descriptor file{::memfd_create("plan", MFD_CLOEXEC)};
    ASSERT_GT(send_with(socket.get(), "o", {file.get()}), 0);
  }
  Pair broken;
  hand_over("p/bin/sleep", broken.its.get());
  broken.its = Descriptor{};
  std::vector<int> descriptors;
  EXPECT_FALSE(next_word(broken, descriptors)) << "nothing of it has begun";
  Pair good;
  hand_over(plan(), good.its.get());
  good.its = Descriptor{};
  const auto state = next_word(good, descriptors);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->word, Word::state);
  for (const int descriptor : descriptors) ::close(descriptor);
}

TEST_F(StarterTest, ends_when_its_worker_does_with_what_it_was_handed_done) {
  ::kill(starter, SIGSTOP);
  Pair room;
  hand_over(plan(), room.its.get());
  room.its = Descriptor{};
  socket = Descriptor{};
  ::kill(starter, SIGCONT);
  EXPECT_EQ(process::reap(starter), 0);
  starter = 0;
  std::vector<int> descriptors;
  const auto state = next_word(room, descriptors);
  ASSERT_TRUE(state) << "the keeper goes on";
  for (const int descriptor : descriptors) ::close(descriptor);
  room.ours = Descriptor{};
  EXPECT_TRUE(eventually([&] { return !process::alive(state->extra); })) << "without a worker";
}

TEST_F(StarterTest, by_hand_says_who_starts_it) {
  std::string command = support::beside("fixkeep-room-keeper") + " 2>&1 < /dev/null";
  FILE* const output = ::popen(command.c_str(), "re");
  ASSERT_NE(output, nullptr);
  std::array<char, 256> text{};
  EXPECT_NE(::fgets(text.data(), text.size(), output), nullptr);
  EXPECT_THAT(text.data(), testing::HasSubstr("is started by fixkeep-worker"));
  EXPECT_EQ(WEXITSTATUS(::pclose(output)), 2);
}

}  // namespace
}  // namespace fixkeep::worker::keeper
