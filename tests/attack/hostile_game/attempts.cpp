#include "tests/attack/hostile_game/attempts.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

namespace fixkeep::attack {
namespace {

using Words = std::vector<std::string>;
using namespace std::string_view_literals;

constexpr timeval answer_limit{2, 0};
constexpr auto http2_preface =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"sv;

std::string by_errno() {
  const bool refused = errno == EPERM || errno == EACCES;
  return std::string{refused ? "refused: " : "void: "} + std::strerror(errno);
}

pid_t process_of(const Words& words) {
  return static_cast<pid_t>(std::stoi(words.at(1)));
}

// --- files, those of /proc among them ------------------------------------------------------------

std::string open_with(const Words& words, int flags) {
  const int file = ::open(words.at(1).c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0) return by_errno();
  ::close(file);
  return "got";
}
std::string read_file(const Words& words) {
  return open_with(words, O_RDONLY);
}
std::string write_file(const Words& words) {
  return open_with(words, O_WRONLY);
}
std::string make_file(const Words& words) {
  return open_with(words, O_WRONLY | O_CREAT | O_EXCL);
}

std::string list(const Words& words) {
  DIR* const folder = ::opendir(words.at(1).c_str());
  if (folder == nullptr) return by_errno();
  ::closedir(folder);
  return "got";
}

std::string connect_to_socket(const Words& words) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  words.at(1).copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const bool connected =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const auto answer = connected ? "got" : by_errno();
  ::close(socket);
  return answer;
}

// --- processes -----------------------------------------------------------------------------------

std::string attach(const Words& words) {
  const pid_t process = process_of(words);
  if (::ptrace(PTRACE_SEIZE, process, nullptr, nullptr) != 0) return by_errno();
  return "got";  // until we end
}

// Whether the address means something, which it need not there, is asked after whether we may.
std::string copy_memory(const Words& words) {
  std::array<char, 8> here{};
  iovec ours{here.data(), here.size()};
  iovec theirs{here.data(), here.size()};
  const auto count = ::process_vm_readv(process_of(words), &ours, 1, &theirs, 1, 0);
  return count >= 0 || errno == EFAULT ? "got" : by_errno();
}

// A signal that does nothing asks for the same permission as one that kills.
std::string send_signal(const Words& words) {
  return ::kill(process_of(words), 0) == 0 ? "got" : by_errno();
}

std::string take_descriptor(const Words& words) {
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, process_of(words), 0));
  if (process < 0) return by_errno();
  const auto taken = static_cast<int>(::syscall(SYS_pidfd_getfd, process, 0, 0));
  const auto answer = taken >= 0 ? "got" : by_errno();
  ::close(process);
  if (taken >= 0) ::close(taken);
  return answer;
}

// --- the SDK -------------------------------------------------------------------------------------

std::string ask_port(const std::string& port, std::string_view question) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &answer_limit, sizeof answer_limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    answer = std::string{"void: "} + std::strerror(errno);
  } else {
    (void)!::send(socket, question.data(), question.size(), MSG_NOSIGNAL);
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count > 0) {
      const std::string_view text{bytes.data(), static_cast<std::size_t>(count)};
      answer = "got " + std::string{text.substr(0, text.find('\r'))};
    } else if (count == 0 || errno == ECONNRESET) {
      answer = "refused: it hung up";
    } else {
      answer = std::string{"void: "} + std::strerror(errno);
    }
  }
  ::close(socket);
  return answer;
}

// The port, and what is shown as token.
std::string ask_rest(const Words& words) {
  std::string question = "GET /gameserver HTTP/1.1\r\nHost: localhost\r\n";
  if (words.size() > 2) question += "Authorization: Bearer " + words[2] + "\r\n";
  return ask_port(words.at(1), question + "\r\n");
}

std::string ask_grpc(const Words& words) {
  const auto answer = ask_port(words.at(1), http2_preface);
  return answer.starts_with("got") ? "got" : answer;
}

// --- what it is itself ---------------------------------------------------------------------------

std::string say_status(const Words& words) {
  std::ifstream file{"/proc/self/status"};
  const std::string start = words.at(1) + ":\t";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "void: no such line";
}

std::string say_environment(const Words& words) {
  const char* const value = std::getenv(words.at(1).c_str());
  return value == nullptr ? "void: not set" : value;
}

std::string say_core_limit(const Words&) {
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  return std::to_string(limit.rlim_max);
}

std::string say_process(const Words&) {
  return std::to_string(::getpid());
}

// The first line that a program writes.
std::string execute(const Words& words) {
  FILE* const output = ::popen(words.at(1).c_str(), "r");
  if (output == nullptr) return by_errno();
  std::array<char, 4096> line{};
  const bool wrote = std::fgets(line.data(), line.size(), output) != nullptr;
  ::pclose(output);
  return wrote ? std::string{line.data(), std::strcspn(line.data(), "\n")} : "void: no output";
}

}  // namespace

std::string attempt(const Words& words) {
  static const std::map<std::string, std::string (*)(const Words&), std::less<>> table{
      {"read", read_file},
      {"write", write_file},
      {"make", make_file},
      {"list", list},
      {"connect", connect_to_socket},
      {"attach", attach},
      {"copy-memory", copy_memory},
      {"signal", send_signal},
      {"take-descriptor", take_descriptor},
      {"rest", ask_rest},
      {"grpc", ask_grpc},
      {"status", say_status},
      {"environment", say_environment},
      {"core-limit", say_core_limit},
      {"process", say_process},
      {"execute", execute}};
  const auto found = words.empty() ? table.end() : table.find(words.front());
  if (found == table.end()) return "void: no such attempt";
  try {
    return found->second(words);
  } catch (const std::exception& error) { return std::string{"void: "} + error.what(); }
}

}  // namespace fixkeep::attack
