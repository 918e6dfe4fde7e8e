#include "lock/tests/scenarios/lock_recording.hpp"

#include <sstream>

#include "lock/tests/scenarios/lock_scenario.hpp"

namespace fixkeep::scenarios {
namespace {

constexpr int line_us = 40'000;
constexpr int arrival_us = 20'000;

std::string nodes_json(const LockMesh& mesh) {
  std::ostringstream out;
  for (int id = 1; id <= mesh.masters(); ++id) {
    const auto& grant = mesh.last_grant(id);
    out << (id == 1 ? "" : ",") << R"({"state":")" << (mesh.alive(id) ? mesh.state(id) : "")
        << R"(","token":")" << (grant ? std::to_string(grant->token.counter) : "") << R"(","up":[)";
    const char* comma = "";
    for (int peer = 1; peer <= mesh.masters(); ++peer) {
      if (peer == id || !mesh.linked(id, peer)) continue;
      out << std::exchange(comma, ",") << peer;
    }
    out << "]}";
  }
  return out.str();
}

class Recorder {
 public:
  void step(LockMesh& mesh, int line) {
    if (line > 0) now_us_ += line_us;
    for (const auto& news : mesh.take_news()) add(mesh, news);
    steps_ << (number_ == 0 ? "" : ",") << R"({"line":)" << line << R"(,"at":)" << now_us_
           << R"(,"nodes":[)" << nodes_json(mesh) << "]}";
    ++number_;
  }

  [[nodiscard]] std::string json(int masters) const {
    std::ostringstream out;
    out << R"({"masters":)" << masters << R"(,"steps":[)" << steps_.str() << R"(],"records":[)"
        << records_.str() << "]}";
    return out.str();
  }

 private:
  void add(const LockMesh& mesh, const LockMesh::News& news) {
    if (news.what == "arrived") now_us_ += arrival_us;
    records_ << std::exchange(comma_, ",") << R"({"step":)" << number_ << R"(,"at":)" << now_us_
             << R"(,"what":")" << news.what << R"(","node":)" << news.node << R"(,"peer":)"
             << news.peer;
    if (news.what == "granted") {
      records_ << R"(,"token":")" << mesh.last_grant(news.node)->token.counter << '"';
    }
    if (news.message > 0) {
      records_ << R"(,"message":{"id":)" << news.message << R"(,"from":)" << news.node
               << R"(,"to":)" << news.peer << R"(,"what":")" << news.kind << R"(","round":)"
               << news.round << "}";
    }
    records_ << "}";
  }

  std::ostringstream steps_;
  std::ostringstream records_;
  const char* comma_ = "";
  int number_ = 0;
  int now_us_ = 0;
};

bool is_command(const std::string& line) {
  const auto words = line.substr(0, line.find('#'));
  return words.find_first_not_of(' ') != std::string::npos;
}

}  // namespace

std::string lock_recording(const std::string& script, bool without_rule) {
  LockPlayer player{without_rule};
  Recorder recorder;
  std::istringstream lines{script};
  int number = 0;
  for (std::string line; !player.two_holders() && std::getline(lines, line);) {
    ++number;
    if (!is_command(line)) continue;
    const bool begun = player.mesh() != nullptr;
    player.run_line(line);
    if (player.mesh() != nullptr) recorder.step(*player.mesh(), begun ? number : 0);
  }
  require(player.mesh() != nullptr, "an empty scenario");
  require(!without_rule || player.two_holders(), "without the rule it still holds");
  return recorder.json(player.mesh()->masters());
}

}  // namespace fixkeep::scenarios

#ifdef __wasm__
#include <cstdio>
#include <cstdlib>
#include <exception>

// A scenario that fails ends the module: WebAssembly has no exceptions here.
extern "C" {
void* __cxa_allocate_exception(std::size_t size) {  // NOLINT(bugprone-reserved-identifier)
  return std::malloc(size);
}
void __cxa_throw(void* thrown, void*, void*) {  // NOLINT(bugprone-reserved-identifier)
  std::fputs(static_cast<std::exception*>(thrown)->what(), stderr);
  std::abort();
}

// Returns the scenario's recording as a zero-terminated text.
const char* web_scenario(const char* text, unsigned size, bool without_rule) {
  static std::string output;
  output = fixkeep::scenarios::lock_recording({text, size}, without_rule);
  return output.c_str();
}
}
#endif
