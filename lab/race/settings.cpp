#include "lab/race/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/lock_strategies.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;

// Reads one member after another and collects their mistakes.
class Changes {
 public:
  explicit Changes(RaceSettings settings) : settings_(std::move(settings)) {}

  void take(const std::string& name, const json& value) {
    if (name == "link_delay_ms")
      return number(name, value, link_delay_range, settings_.link_delay_ms);
    if (name == "boot_ms") return number(name, value, boot_range, settings_.boot_ms);
    if (name == "rate") return number(name, value, rate_range, settings_.rate);
    if (name == "spread_ms") return number(name, value, spread_range, settings_.spread_ms);
    if (name == "running") return flag(name, value);
    if (name == "groups") return groups(name, value);
    if (name == "masters") return masters(name, value);
    if (name == "locks") return locks(name, value);
    wrong(name, "is not known here");
  }

  [[nodiscard]] const std::string& mistakes() const { return mistakes_; }
  [[nodiscard]] const RaceSettings& settings() const { return settings_; }

 private:
  template <class Number>
  void number(const std::string& name, const json& value, SettingRange<Number> range, Number& out) {
    constexpr bool whole = std::is_integral_v<Number>;
    const bool right_kind = whole ? value.is_number_integer() : value.is_number();
    if (right_kind && value.get<double>() >= static_cast<double>(range.least) &&
        value.get<double>() <= static_cast<double>(range.most)) {
      out = value.get<Number>();
    } else {
      wrong(name, fmt::format("must be a {}number from {} to {}", whole ? "whole " : "",
                              range.least, range.most));
    }
  }

  void flag(const std::string& name, const json& value) {
    if (!value.is_boolean()) return wrong(name, "must be true or false");
    settings_.running = value.get<bool>();
  }

  void groups(const std::string& name, const json& value) {
    const auto is_flag = [](const json& each) { return each.is_boolean(); };
    if (!value.is_array() || value.size() != settings_.groups.size() ||
        !std::all_of(value.begin(), value.end(), is_flag)) {
      return wrong(
          name, fmt::format("must be an array of {} times true or false", settings_.groups.size()));
    }
    settings_.groups = value.get<std::vector<bool>>();
  }

  void masters(const std::string& name, const json& value) {
    std::vector<MasterFate> fates;
    if (value.is_array()) {
      for (const json& each : value) {
        if (const auto fate = fate_of(each)) fates.push_back(*fate);
      }
    }
    const bool all = value.is_array() && value.size() == fates.size();
    if (!all || fates.size() != settings_.masters.size()) {
      return wrong(name, fmt::format("must be an array of {} of \"runs\", \"stopped\", \"killed\" "
                                     "and \"cut\"",
                                     settings_.masters.size()));
    }
    if (std::ranges::find(fates, MasterFate::runs) == fates.end()) {
      return wrong(name, "must leave one master that runs");
    }
    settings_.masters = std::move(fates);
  }

  static std::optional<MasterFate> fate_of(const json& value) {
    for (const MasterFate fate :
         {MasterFate::runs, MasterFate::stopped, MasterFate::killed, MasterFate::cut}) {
      if (value == to_string(fate)) return fate;
    }
    return {};
  }

  void locks(const std::string& name, const json& value) {
    const auto known = [](const json& each) {
      return each.is_string() && lock::find_strategy(each.get<std::string>()) != nullptr;
    };
    if (!value.is_array() || value.size() != settings_.locks.size() ||
        !std::all_of(value.begin(), value.end(), known)) {
      return wrong(name, "must be an array of two names of locks");
    }
    settings_.locks = value.get<std::vector<std::string>>();
  }

  void wrong(const std::string& name, const std::string& what) {
    mistakes_ += fmt::format("{}{:?} {}", mistakes_.empty() ? "" : "; ", name, what);
  }

  RaceSettings settings_;
  std::string mistakes_;
};

}  // namespace

std::string_view to_string(MasterFate fate) {
  switch (fate) {
    case MasterFate::runs: return "runs";
    case MasterFate::stopped: return "stopped";
    case MasterFate::killed: return "killed";
    case MasterFate::cut: return "cut";
  }
  return "?";
}

std::variant<RaceSettings, SettingsMistake> change_settings(const RaceSettings& now,
                                                            std::string_view body) {
  const auto object = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) {
    return SettingsMistake{"invalid-json", "The body is not JSON", "send an object of JSON"};
  }
  if (!object.is_object()) {
    return SettingsMistake{"invalid-request", "The settings are not valid",
                           "the body must be an object"};
  }
  Changes changes{now};
  for (const auto& [name, value] : object.items()) changes.take(name, value);
  if (!changes.mistakes().empty()) {
    return SettingsMistake{"invalid-request", "The settings are not valid", changes.mistakes()};
  }
  return changes.settings();
}

}  // namespace fixkeep::client_sim
