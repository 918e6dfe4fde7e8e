// Where the engine is, what is packed into its image, and what is said when it cannot be asked.
// What a real engine makes of it is tried by tests/containers/compare_test.sh.
#include "client-sim/cluster/containers.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;

TEST(EngineSocket, is_the_usual_one_unless_docker_host_names_one_of_this_machine) {
  EXPECT_EQ(engine_socket(nullptr).path, "/var/run/docker.sock");
  EXPECT_EQ(engine_socket("").path, "/var/run/docker.sock");
  EXPECT_EQ(engine_socket("unix:///run/user/1000/docker.sock").path, "/run/user/1000/docker.sock");
  for (const char* elsewhere : {"tcp://10.0.0.1:2375", "ssh://host", "unix://", "/run/a.sock"}) {
    const auto socket = engine_socket(elsewhere);
    EXPECT_EQ(socket.path, "") << elsewhere;
    EXPECT_NE(socket.problem.find(elsewhere), std::string::npos) << socket.problem;
    EXPECT_NE(socket.problem.find("unix:///var/run/docker.sock"), std::string::npos);
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
  const auto image = ContainerEngine{socket}.image_of("/bin/true", folder.path());
  EXPECT_EQ(image.name, "");
  for (const char* word : {socket.c_str(), "apt-get install docker.io", "DOCKER_HOST=unix://"}) {
    EXPECT_NE(image.failure.find(word), std::string::npos) << image.failure;
  }
}

TEST(ContainerEngine, that_is_away_may_have_containers_left_and_how_to_remove_them_is_told) {
  const test::TemporaryFolder folder;
  const ContainerEngine engine{(folder.path() / "none.sock").string()};
  const auto removed = engine.remove_rooms_of("client-sim-1-1", 0ms);
  EXPECT_EQ(removed.containers, 0U);
  EXPECT_NE(removed.failure.find("label=fixkeep.cluster=client-sim-1-1"), std::string::npos)
      << removed.failure;
}

}  // namespace
}  // namespace fixkeep::client_sim
