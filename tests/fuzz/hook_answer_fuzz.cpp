// What the commands of a hook write: the place of a room, a list of rooms, a complaint.
#include <string>
#include <variant>

#include "common/base/assert.hpp"
#include "common/base/printable.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/runner/hook/hook_answer.hpp"
#include "worker/runner/object_name.hpp"

namespace fixkeep::fuzz {

void fuzz_hook_answer(std::string_view bytes) {
  const auto line = worker::first_line(bytes);
  FIXKEEP_ASSERT(line.find('\n') == std::string_view::npos, "a line");
  const auto told = worker::parse_place(line);
  if (const auto* const place = std::get_if<wire::RoomPlace>(&told)) {
    FIXKEEP_ASSERT(!place->host.empty() && is_printable(place->host), "a host");
    FIXKEEP_ASSERT(place->port() != 0, "a port");
  } else {
    FIXKEEP_ASSERT(is_printable(std::get<std::string>(told)), "a problem");
  }
  FIXKEEP_ASSERT(is_printable(worker::last_line(bytes)), "a complaint");
  for (const std::string& name : worker::parse_names(bytes)) {
    FIXKEEP_ASSERT(!name.empty() && name.size() <= worker::most_object_name, name);
  }
}

}  // namespace fixkeep::fuzz
