// What a container engine answers: JSON of containers, events and pulls, and the streams of both.
#include <string>

#include "common/base/assert.hpp"
#include "common/base/printable.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::fuzz {
namespace {

namespace containers = worker::containers;

void check_answer(std::string_view bytes) {
  if (const auto all = containers::parse_containers(bytes)) {
    for (const containers::Container& each : *all) {
      const auto target = containers::container_target(each.name, "json");
      FIXKEEP_ASSERT(target.find_first_of(" ?#\r\n") == std::string::npos, target);
    }
  }
  if (const auto one = containers::parse_container(bytes)) {
    FIXKEEP_ASSERT(one->sdk_ports.size() <= 2, std::to_string(one->sdk_ports.size()));
  }
  const auto target = containers::begin_exec_target(containers::id_of(bytes));
  FIXKEEP_ASSERT(target.find_first_of(" ?#\r\n") == std::string::npos, target);
  FIXKEEP_ASSERT(is_printable(containers::error_message(bytes)), "an error");
  static_cast<void>(containers::version_to_speak(bytes));
}

void check_line(const std::string& line) {
  FIXKEEP_ASSERT(line.size() <= containers::Lines::longest, std::to_string(line.size()));
  if (const auto news = containers::parse_pull(line)) {
    FIXKEEP_ASSERT(is_printable(news->status + news->layer + news->error), "a pull");
  }
  if (const auto event = containers::parse_event(line)) {
    FIXKEEP_ASSERT(!event->name.empty() && !event->action.empty(), "an event of nothing");
  }
}

}  // namespace

void fuzz_engine_texts(std::string_view bytes) {
  check_answer(bytes);
  const std::size_t piece = bytes.empty() ? 1 : static_cast<unsigned char>(bytes[0]) + 1U;
  containers::Lines lines;
  containers::LogReader frames{false};
  containers::LogReader terminal{true};
  std::size_t written = 0;
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    const auto part = bytes.substr(i, piece);
    for (const std::string& line : lines.put(part)) check_line(line);
    written += frames.put(part).size();
    FIXKEEP_ASSERT(terminal.put(part) == part, "a terminal");
  }
  FIXKEEP_ASSERT(written <= bytes.size(), std::to_string(written));
}

}  // namespace fixkeep::fuzz
