#include "client-sim/output.hpp"

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
  return std::to_string(std::thread::hardware_concurrency()) + " processors, " +
         std::string{system.sysname} + " " + system.release;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
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
