// What only happens with a real engine: it is restarted, it hangs, it loses what it was told, and
// it goes on without a worker.
#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/process/proc.hpp"
#include "tests/containers/docker_subject.hpp"
#include "tests/unit/worker/runner/runner_suite.hpp"
#include "worker/runner/containers/engine_client.hpp"
#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker {
namespace {

using test_docker::all_containers, test_docker::shown;

// The disk of a folder has no byte left, until the end.
class FullDisk {
 public:
  explicit FullDisk(const std::filesystem::path& folder) : file_(folder / "filler") {
    std::ofstream filler{file_, std::ios::binary};
    const std::string piece(4096, 'x');
    while (filler.write(piece.data(), std::ssize(piece)).flush()) {}
  }
  ~FullDisk() { std::filesystem::remove(file_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  std::filesystem::path file_;
};

class DockerEngine : public RunnerSuite {
 protected:
  void SetUp() override {
    const auto until = std::chrono::steady_clock::now() + patience;
    net::HttpCall call;
    call.target = "/_ping";
    while (containers::ask_engine_and_wait(test_docker::socket_path, call, seconds{5}).status !=
           200) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "the engine does not come back";
      std::this_thread::sleep_for(milliseconds{100});
    }
  }

  static pid_t engine() {
    std::ifstream file{"/var/run/docker.pid"};
    pid_t number = 0;
    file >> number;
    if (number <= 0) throw std::runtime_error{"there is no /var/run/docker.pid"};
    return number;
  }
  // As a restart of the service does it: containers end with it, unless it is told otherwise. One
  // that is killed leaves them to the next one, which does the same.
  static void restart_engine(bool live_restore, int signal = SIGTERM) {
    end_engine(signal);
    begin_engine(live_restore);
  }
  static void end_engine(int signal) {
    const pid_t old = engine();
    ::kill(old, signal);
    while (process::alive(old)) std::this_thread::sleep_for(milliseconds{50});
  }
  static void begin_engine(bool live_restore) {
    const std::string command = std::string{"setsid dockerd "} +
                                (live_restore ? "--live-restore" : "") +
                                " >>/run/dockerd.log 2>&1 </dev/null &";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  // Starts so many rooms, and does something to the engine when they run.
  static void start_rooms(Worker& worker, std::uint32_t most,
                          const std::function<Launch(std::uint32_t)>& launch) {
    worker.call([](GameRunner& each) { each.end_others(); });
    for (std::uint32_t room = 1; room <= most; ++room) worker.start(room, launch(room));
    for (std::uint32_t room = 1; room <= most; ++room) ASSERT_TRUE(worker.begins(room)) << room;
  }
  // Rooms outlive an engine that keeps them, but for one, which ends while there is no engine.
  void rooms_outlive(int signal) {
    restart_engine(true);
    SetUp();
    {
      Worker worker{folder.string()};
      start_rooms(worker, many, [this](std::uint32_t room) {
        return game(room, room == 1 ? "trap 'exit 9' USR1; sleep 3600 & wait" : lasting);
      });
      const auto ending = shown(game(1).object);
      const auto staying = shown(game(2).object);
      end_engine(signal);
      ::kill(ending->process, SIGUSR1);
      begin_engine(true);
      SetUp();
      ASSERT_TRUE(worker.ends(1));
      EXPECT_EQ(worker.heard[1].end->number, 9) << worker.heard[1].end->how;
      EXPECT_TRUE(worker.run_until([&] { return !worker.runner->places(); }));
      EXPECT_EQ(shown(game(2).object)->process, staying->process);
      for (std::uint32_t room = 2; room <= many; ++room) {
        EXPECT_FALSE(worker.heard[room].end) << worker.heard[room].end->how;
        worker.kill(room);
      }
      for (std::uint32_t room = 2; room <= many; ++room) {
        ASSERT_TRUE(worker.ends(room)) << room;
        EXPECT_EQ(worker.heard[room].end->number, SIGKILL);
      }
      EXPECT_TRUE(worker.run_until([] { return all_containers().empty(); }));
    }
    restart_engine(false);
    SetUp();
  }

  static constexpr std::uint32_t many = 20;
};

TEST_P(DockerEngine, rooms_end_with_an_engine_that_is_restarted) {
  Worker worker{folder.string()};
  start_rooms(worker, many, [this](std::uint32_t room) { return game(room); });
  restart_engine(false);
  for (std::uint32_t room = 1; room <= many; ++room) {
    ASSERT_TRUE(worker.ends(room)) << room;
    EXPECT_NE(worker.heard[room].end->kind, GameEnd::Kind::not_started);
  }
  EXPECT_TRUE(worker.run_until([] { return all_containers().empty(); }));
  worker.start(many + 1, game(many + 1));
  EXPECT_TRUE(worker.begins(many + 1)) << "the engine that came is used";
}

TEST_P(DockerEngine, rooms_end_with_an_engine_that_is_killed) {
  Worker worker{folder.string()};
  start_rooms(worker, many, [this](std::uint32_t room) { return game(room); });
  restart_engine(false, SIGKILL);
  for (std::uint32_t room = 1; room <= many; ++room) {
    ASSERT_TRUE(worker.ends(room)) << room;
    EXPECT_NE(worker.heard[room].end->kind, GameEnd::Kind::not_started);
  }
  EXPECT_TRUE(worker.run_until([] { return all_containers().empty(); }));
  worker.start(many + 1, game(many + 1));
  EXPECT_TRUE(worker.begins(many + 1)) << worker.heard[many + 1].end->how;
}

TEST_P(DockerEngine, rooms_outlive_an_engine_that_is_killed_and_keeps_them) {
  rooms_outlive(SIGKILL);
}

TEST_P(DockerEngine, a_full_disk_costs_starts_and_no_room_that_runs) {
  Worker worker{folder.string()};
  start_rooms(worker, 2, [this](std::uint32_t room) { return game(room); });
  {
    const FullDisk full{"/var/lib/docker"};
    worker.start(3, game(3));
    ASSERT_TRUE(worker.ends(3));
    EXPECT_EQ(worker.heard[3].end->kind, GameEnd::Kind::not_started);
    EXPECT_TRUE(worker.heard[3].end->blameless) << "the game did nothing wrong";
    EXPECT_THAT(worker.heard[3].end->how, testing::HasSubstr("no space left"));
    EXPECT_FALSE(worker.heard[1].end) << worker.heard[1].end->how;
    worker.kill(1);
    ASSERT_TRUE(worker.ends(1)) << "a room ends also on a full disk";
    EXPECT_EQ(worker.heard[1].end->number, SIGKILL);
    EXPECT_FALSE(worker.heard[2].end) << worker.heard[2].end->how;
  }
  worker.start(4, game(4));
  ASSERT_TRUE(worker.begins(4)) << worker.heard[4].end->how;
  for (const std::uint32_t room : {2U, 4U}) worker.kill(room);
  for (const std::uint32_t room : {2U, 4U}) ASSERT_TRUE(worker.ends(room));
  EXPECT_TRUE(worker.run_until([] { return all_containers().empty(); }));
}

TEST_P(DockerEngine, a_container_that_somebody_has_paused_ends_when_it_is_killed) {
  Worker worker{folder.string()};
  start_rooms(worker, 1, [this](std::uint32_t room) { return game(room); });
  test_docker::ask("POST", containers::container_target(game(1).object, "pause"));
  worker.ask_to_end(1);
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
  expect_gone(worker, game(1));
}

TEST_P(DockerEngine, rooms_outlive_an_engine_that_keeps_them_and_their_ends_are_seen) {
  rooms_outlive(SIGTERM);
}

TEST_P(DockerEngine, starts_go_on_over_a_restart) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  for (std::uint32_t room = 1; room <= many; ++room) worker.start(room, game(room));
  ASSERT_TRUE(worker.begins(1));
  restart_engine(false);
  for (std::uint32_t room = 1; room <= many; ++room) {
    const Heard& game = worker.heard[room];
    ASSERT_TRUE(worker.run_until([&] { return game.begun || game.end; })) << room;
  }
  SetUp();
  std::size_t begun_since = 0;
  for (std::uint32_t room = 1; room <= many; ++room) {
    if (!worker.heard[room].end) ++begun_since;
    worker.kill(room);
  }
  EXPECT_GT(begun_since, 0U);
  for (std::uint32_t room = 1; room <= many; ++room) ASSERT_TRUE(worker.ends(room)) << room;
  EXPECT_TRUE(worker.run_until([] { return all_containers().empty(); }));
}

TEST_P(DockerEngine, a_room_has_its_files_its_folder_and_little_else) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1,
                       "cat /fixkeep/room/a/b.cfg; echo x > /fixkeep/room/new; id -u; "
                       "grep -i capeff /proc/self/status; touch /no 2>&1; exit 4");
  launch.game.files = {{"a/b.cfg", "hello\n"}};
  launch.user = "1000";
  launch.container.read_only = true;
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_EQ(worker.heard[1].end->number, 4) << worker.heard[1].end->how;
  const std::string& text = worker.heard[1].end->last_lines;
  EXPECT_THAT(text, testing::HasSubstr("hello\n1000\n"));
  EXPECT_THAT(text, testing::HasSubstr("0000000000000000"));
  EXPECT_THAT(text, testing::HasSubstr("Read-only file system"));
  EXPECT_EQ(worker.runner->traits().outputs->output_of(launch.name, 6),
            text.substr(text.size() - 6));
}

TEST_P(DockerEngine, the_next_run_adopts_what_runs_and_tells_what_ended) {
  const Launch goes_on = game(1);
  const Launch ends = game(2, "sleep 1; exit 7");
  const Launch unknown = game(3);
  {
    Worker worker{folder.string()};
    worker.call([](GameRunner& each) { each.end_others(); });
    worker.start(1, goes_on);
    worker.start(2, ends);
    worker.start(3, unknown);
    for (const std::uint32_t room : {1U, 2U, 3U}) ASSERT_TRUE(worker.begins(room)) << room;
    worker.call([](GameRunner& each) { each.leave(); });
    worker.left = true;
  }
  const auto before = shown(goes_on.object);
  ASSERT_TRUE(before);
  while (shown(ends.object)->state == containers::ContainerState::running) {
    std::this_thread::sleep_for(milliseconds{20});
  }
  Worker next{folder.string()};
  next.call([&](GameRunner& each) {
    each.adopt(RoomNumber{1}, goes_on, next.handlers(1));
    each.adopt(RoomNumber{2}, Launch{.name = ends.name}, next.handlers(2));
    each.end_others();
  });
  EXPECT_FALSE(exists(unknown)) << "nobody knows it any more";
  ASSERT_TRUE(next.ends(2));
  EXPECT_EQ(next.heard[2].end->number, 7);
  EXPECT_FALSE(next.heard[1].end);
  EXPECT_EQ(shown(goes_on.object)->id, before->id) << "it was not started again";
  EXPECT_EQ(shown(goes_on.object)->process, before->process);
  next.kill(1);
  ASSERT_TRUE(next.ends(1));
  EXPECT_EQ(next.heard[1].end->number, SIGKILL);
  expect_gone(next, goes_on);
}

TEST_P(DockerEngine, a_container_that_appears_late_is_removed) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  ASSERT_TRUE(worker.run_until([] { return true; }));
  const Launch late = game(9);
  test_docker::ask("POST", containers::create_target(late.object),
                   std::string{R"({"Image":")"} + test_docker::image +
                       R"(","Labels":{"fixkeep.cluster":"test","fixkeep.worker":"w1"}})");
  EXPECT_TRUE(worker.run_until([&] { return !exists(late); }));
}

TEST_P(DockerEngine, an_engine_that_hangs_is_told_of_and_costs_no_room) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  worker.start(1, game(1));
  ASSERT_TRUE(worker.begins(1));
  ASSERT_EQ(::kill(engine(), SIGSTOP), 0);
  const bool told = worker.run_until([&] { return worker.runner->places() == 0U; });
  worker.start(2, game(2));
  worker.kill(1);
  const auto longest =
      worker.run_until([&] { return worker.heard[1].end.has_value(); }, seconds{3});
  ::kill(engine(), SIGCONT);
  EXPECT_TRUE(told);
  EXPECT_FALSE(longest) << "nobody knows that it has ended";
  EXPECT_NE(worker.runner->problem_of({}), "x");
  ASSERT_TRUE(worker.ends(1));
  ASSERT_TRUE(worker.begins(2)) << worker.heard[2].end->how;
  EXPECT_TRUE(worker.run_until([&] { return !worker.runner->places(); }));
  worker.kill(2);
  ASSERT_TRUE(worker.ends(2));
  EXPECT_TRUE(worker.run_until([] { return all_containers().empty(); }));
}

TEST_P(DockerEngine, an_image_that_cannot_be_had_is_told) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1);
  launch.container.image = "registry.invalid/no/such:image";
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::not_started);
  EXPECT_FALSE(worker.heard[1].end->blameless) << "its mode pauses, or every claim tries again";
  EXPECT_THAT(worker.heard[1].end->how, testing::HasSubstr(launch.container.image));
}

TEST_P(DockerEngine, a_published_port_is_handed_on) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1);
  launch.container.network = ContainerNetwork::bridge;
  launch.container.publish = {{"port", 7777}};
  launch.place.ports = {{std::string{wire::main_port_name}, 28471}, {"query", 28472}};
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1));
  const auto text = test_docker::ask("GET", containers::container_target(launch.object, "json"));
  EXPECT_THAT(text, testing::HasSubstr(R"("7777/udp":[{"HostIp":"0.0.0.0","HostPort":"28471"})"));
  EXPECT_THAT(text, testing::HasSubstr(R"("28472/tcp":[{"HostIp":"0.0.0.0","HostPort":"28472"})"));
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
}

INSTANTIATE_TEST_SUITE_P(Every, DockerEngine, testing::Values(docker_subject()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace fixkeep::worker
