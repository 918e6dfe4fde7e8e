#include "worker/sdk/relay/greeting.hpp"

#include <sstream>

#include "common/base/assert.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::string_view scheme = "fixkeep-sdk/1";

}  // namespace

std::string to_text(const Greeting& greeting) {
  std::string text{scheme};
  for (const auto* const word : {&greeting.transport, &greeting.room, &greeting.token}) {
    text += " " + *word;
  }
  FIXKEEP_ASSERT(text.size() < greeting_bytes, std::to_string(text.size()));
  text.resize(greeting_bytes - 1, ' ');
  return text + '\n';
}

std::optional<Greeting> parse_greeting(std::string_view bytes) {
  if (bytes.size() != greeting_bytes || bytes.back() != '\n') return std::nullopt;
  std::istringstream words{std::string{bytes}};
  std::string first;
  std::string more;
  Greeting greeting;
  words >> first >> greeting.transport >> greeting.room >> greeting.token;
  if (!words || first != scheme || words >> more) return std::nullopt;
  return greeting;
}

}  // namespace fixkeep::worker
