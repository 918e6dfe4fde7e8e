// A master on loopback for a benchmark: any build of it, so two can be compared.
//
// Thread rule: one thread. Errors: a message on stderr, and a master that nobody reaches.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace fixkeep::bench {

inline constexpr const char* cluster = "bench";
inline constexpr const char* secret = "a secret for the benchmark only";

struct LoopbackMasterOptions {
  std::string program;  // default_master_program() as a rule
  std::uint16_t http_port = 0;
  std::uint16_t admin_port = 0;
  std::uint16_t mesh_port = 0;
  std::uint32_t capacity = 0;  // of the rooms of its one mode, "duel"
};

// The fixkeep-master beside this program.
[[nodiscard]] std::string default_master_program(const std::string& this_program);

// A process that ends with this object, or with the thread that made it.
class LoopbackMaster {
 public:
  explicit LoopbackMaster(const LoopbackMasterOptions& options);
  ~LoopbackMaster();
  LoopbackMaster(const LoopbackMaster&) = delete;
  LoopbackMaster& operator=(const LoopbackMaster&) = delete;

 private:
  std::string configuration_;  // a file
  pid_t process_ = -1;
};

}  // namespace fixkeep::bench
