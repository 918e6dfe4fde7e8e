#include "tests/bench/loopback_master.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace fixkeep::bench {
namespace {

// Replaces this process by the master.
[[noreturn]] void become_master(const std::string& program, const std::string& configuration) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execl(program.c_str(), program.c_str(), "--config", configuration.c_str(), nullptr);
  std::perror(program.c_str());
  _exit(1);
}

std::string write_configuration(const LoopbackMasterOptions& options) {
  const auto mesh = "127.0.0.1:" + std::to_string(options.mesh_port);
  const nlohmann::json document{
      {"cluster", {{"id", cluster}, {"secret", secret}}},
      {"master", {{"id", 1}, {"zone", "a"}}},
      {"http", {{"address", "127.0.0.1"}, {"port", options.http_port}}},
      {"admin", {{"port", options.admin_port}}},
      {"mesh",
       {{"listen", mesh}, {"masters", nlohmann::json::array({{{"id", 1}, {"address", mesh}}})}}},
      {"modes", nlohmann::json::array({{{"name", "duel"}, {"capacity", options.capacity}}})},
      {"log", {{"level", "warning"}}}};
  std::string path = "/tmp/fixkeep-bench-master-XXXXXX";
  const int file = mkstemp(path.data());
  const auto text = document.dump();
  if (file < 0 || write(file, text.data(), text.size()) < 0) std::perror(path.c_str());
  close(file);
  return path;
}

}  // namespace

std::string default_master_program(const std::string& this_program) {
  return this_program.substr(0, this_program.rfind('/') + 1) + "fixkeep-master";
}

LoopbackMaster::LoopbackMaster(const LoopbackMasterOptions& options)
    : configuration_(write_configuration(options)), process_(fork()) {
  if (process_ == 0) become_master(options.program, configuration_);
}

LoopbackMaster::~LoopbackMaster() {
  unlink(configuration_.c_str());
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace fixkeep::bench
