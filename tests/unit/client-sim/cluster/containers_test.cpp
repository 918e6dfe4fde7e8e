// Where the engine is, what is packed into its image, and what is said when it cannot be asked.
// What a real engine makes of it is tried by tests/containers/compare_test.sh.
#include "client-sim/cluster/containers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;

using Variables = std::map<std::string, std::string>;

EnginePlace place(const std::string& runner, const Variables& variables) {
  return engine_of_this_machine(runner, [&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

TEST(EnginePlace, is_the_usual_one_unless_a_variable_names_one_of_this_machine) {
  const std::string at = "/run/user/1000/some.sock";
  EXPECT_EQ(place("docker", {}).socket, "/var/run/docker.sock");
  EXPECT_EQ(place("docker", {{"DOCKER_HOST", ""}}).socket, "/var/run/docker.sock");
  EXPECT_EQ(place("docker", {{"CONTAINER_HOST", "unix://" + at}}).socket, "/var/run/docker.sock");
  EXPECT_EQ(place("docker", {{"DOCKER_HOST", "unix://" + at}}).socket, at);
  EXPECT_EQ(place("podman", {{"CONTAINER_HOST", "unix://" + at}}).socket, at);
  const auto usual = place("podman", {{"XDG_RUNTIME_DIR", "/run/user/7"}}).socket;
  EXPECT_EQ(usual, ::geteuid() == 0 ? "/run/podman/podman.sock" : "/run/user/7/podman/podman.sock");
}

TEST(EnginePlace, on_another_machine_is_refused) {
  for (const char* elsewhere : {"tcp://10.0.0.1:2375", "ssh://host", "unix://", "/run/a.sock"}) {
    const auto docker = place("docker", {{"DOCKER_HOST", elsewhere}});
    EXPECT_EQ(docker.socket, "") << elsewhere;
    EXPECT_NE(docker.problem.find(elsewhere), std::string::npos) << docker.problem;
    EXPECT_NE(docker.problem.find("DOCKER_HOST=unix:///var/run/docker.sock"), std::string::npos);
    const auto podman = place("podman", {{"CONTAINER_HOST", elsewhere}});
    EXPECT_NE(podman.problem.find("CONTAINER_HOST=unix:///"), std::string::npos) << podman.problem;
  }
}

TEST(ImageOfTheGame, has_the_libraries_that_the_program_is_linked_with) {
  const char* const printed =
      "\tlinux-vdso.so.1 (0x00007ffd)\n"
      "\tlibcrypto.so.3 => /lib/x86_64-linux-gnu/libcrypto.so.3 (0x00007f1)\n"
      "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2)\n"
      "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2)\n"
      "\tlibnowhere.so.1 => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f3)\n";
  EXPECT_EQ(libraries_in(printed), (std::vector<std::string>{"/lib/x86_64-linux-gnu/libc.so.6",
                                                             "/lib/x86_64-linux-gnu/libcrypto.so.3",
                                                             "/lib64/ld-linux-x86-64.so.2"}));
  EXPECT_TRUE(libraries_in("\tnot a dynamic executable\n").empty());
  EXPECT_TRUE(libraries_in("ldd: /bin/script: no program\n").empty()) << "that is no library";
}

TEST(ContainerEngine, that_is_away_is_told_with_how_to_have_one) {
  const test::TemporaryFolder folder;
  const auto socket = (folder.path() / "none.sock").string();
  const auto failure = [&](const char* runner) {
    const ContainerEngine engine{{.runner = runner, .socket = socket, .problem = {}}};
    const auto image = engine.image_of("/bin/true", folder.path());
    EXPECT_EQ(image.name, "");
    return image.failure;
  };
  using testing::HasSubstr;
  EXPECT_THAT(failure("docker"), AllOf(HasSubstr(socket), HasSubstr("apt-get install docker.io"),
                                       HasSubstr("DOCKER_HOST=unix://")));
  EXPECT_THAT(failure("podman"), AllOf(HasSubstr(socket), HasSubstr("apt-get install podman"),
                                       HasSubstr("CONTAINER_HOST=unix://")));
}

TEST(ContainerEngine, that_is_away_may_have_containers_left_and_how_to_remove_them_is_told) {
  const test::TemporaryFolder folder;
  const ContainerEngine engine{
      {.runner = "podman", .socket = (folder.path() / "none.sock").string(), .problem = {}}};
  const auto removed = engine.remove_rooms_of("client-sim-1-1", 0ms);
  EXPECT_EQ(removed.containers, 0U);
  EXPECT_THAT(removed.failure, testing::HasSubstr("podman rm -fv $(podman ps -aq --filter "
                                                  "label=fixkeep.cluster=client-sim-1-1)"));
}

}  // namespace
}  // namespace fixkeep::client_sim
