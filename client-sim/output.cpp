#include "client-sim/output.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <ostream>
#include <thread>

namespace fixkeep::client_sim {

namespace {

std::string machine_text() {
  utsname system{};
  ::uname(&system);
  return fmt::format("{} processors, {} {}", std::thread::hardware_concurrency(), system.sysname,
                     system.release);
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

ReportHeader report_header(const std::string& command_line) {
  return {.command_line = command_line, .machine = machine_text(), .when = now_text()};
}

bool write_file(const std::string& path, const std::string& text, std::ostream& err) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (file) return true;
  err << "cannot write " << path << '\n';
  return false;
}

}  // namespace fixkeep::client_sim
