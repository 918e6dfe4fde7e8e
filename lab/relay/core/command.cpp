#include "lab/relay/core/command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace fixkeep::relay {

namespace {

using nlohmann::json;

// Reads the members of one command and stores the first mistake.
class Members {
 public:
  explicit Members(const json& line) : line_(line) {}

  std::string text(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_string() && !value->get_ref<const std::string&>().empty()) {
      return value->get<std::string>();
    }
    wrong(name, "must be a name");
    return {};
  }

  std::uint16_t port(const char* name) {
    const auto* value = find(name);
    if (value != nullptr && value->is_number_unsigned()) {
      const auto port = value->get<std::uint64_t>();
      if (port >= 1 && port <= 65'535) return static_cast<std::uint16_t>(port);
    }
    wrong(name, "must be a port, from 1 to 65535");
    return 0;
  }

  std::optional<double> number(const char* name, double most) {
    const auto* value = find(name);
    if (value == nullptr) return {};
    if (value->is_number() && value->get<double>() >= 0 && value->get<double>() <= most) {
      return value->get<double>();
    }
    wrong(name, fmt::format("must be a number from 0 to {}", most));
    return {};
  }

  std::optional<Cut> cut(const char* name) {
    const auto* value = find(name);
    if (value == nullptr) return {};
    if (*value == "none") return Cut::none;
    if (*value == "out") return Cut::out;
    if (*value == "in") return Cut::in;
    wrong(name, R"(must be "none", "out" or "in")");
    return {};
  }

  std::optional<Duration> milliseconds(const char* name) {
    const auto ms = number(name, most_delay_ms);
    if (!ms) return {};
    return Duration{std::llround(*ms * 1000)};
  }

  // The first mistake in the command, for example an unknown member. Empty if there is none.
  std::string mistake() {
    for (const auto& [name, value] : line_.items()) {
      if (!known_.contains(name)) wrong(name, "is not known here");
    }
    return mistake_;
  }

  void wrong(const std::string& name, const std::string& what) {
    if (mistake_.empty()) mistake_ = "\"" + name + "\" " + what;
  }

 private:
  const json* find(const char* name) {
    known_.insert(name);
    const auto found = line_.find(name);
    return found == line_.end() ? nullptr : &*found;
  }

  const json& line_;
  std::set<std::string> known_{"do"};
  std::string mistake_;
};

ChangeWire parse_change(Members& members) {
  ChangeWire change;
  change.wire = members.text("wire");
  change.delay = members.milliseconds("delay_ms");
  change.jitter = members.milliseconds("jitter_ms");
  if (const auto loss = members.number("loss_percent", most_loss_percent)) {
    change.loss = *loss / 100;
  }
  change.cut = members.cut("cut");
  return change;
}

OpenWire parse_open(Members& members) {
  OpenWire open;
  const auto change = parse_change(members);
  open.wire = change.wire;
  open.listen = members.port("listen");
  open.target = members.port("target");
  if (!change.delay) members.wrong("delay_ms", "is missing");
  change.apply(open.conditions);
  return open;
}

}  // namespace

void ChangeWire::apply(Conditions& conditions) const {
  if (delay) conditions.delay = *delay;
  if (jitter) conditions.jitter = *jitter;
  if (loss) conditions.loss = *loss;
  if (cut) conditions.cut = *cut;
}

Command parse_command(std::string_view line) {
  const auto object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Mistake{"a line must be a JSON object"};
  const auto wanted = object.find("do");
  Members members{object};
  Command command = Mistake{R"("do" must be one of "open", "change", "quit")"};
  if (wanted == object.end()) return command;
  if (*wanted == "open") {
    command = parse_open(members);
  } else if (*wanted == "change") {
    command = parse_change(members);
  } else if (*wanted == "quit") {
    command = Quit{};
  } else {
    return command;
  }
  if (auto mistake = members.mistake(); !mistake.empty()) return Mistake{std::move(mistake)};
  return command;
}

}  // namespace fixkeep::relay
