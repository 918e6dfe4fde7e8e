#include "worker/shell/game_container.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/config/sections.hpp"
#include "worker/runner/runners.hpp"

namespace fixkeep::worker {

using config::Json;

namespace {

constexpr std::array<std::pair<ContainerNetwork, std::string_view>, 2> network_words{{
    {ContainerNetwork::bridge, "bridge"},
    {ContainerNetwork::host, "host"},
}};

std::optional<ContainerNetwork> parse_network(std::string_view text) {
  for (const auto& [value, word] : network_words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

void check_published(const Json& entry, const std::string& key, config::CrossCheck& check) {
  const std::string published = key + ".container.publish";
  if (!check.can_judge({key + ".ports", published})) return;
  const Json& ports = entry.at("ports");
  for (const auto& [name, number] : entry.at("container").at("publish").items()) {
    bool known = name == "port";
    for (const Json& port : ports) known = known || port == name;
    if (known) continue;
    check.report(config::member_key(published, name),
                 "must be \"port\" or a name of " + key + ".ports");
  }
}

}  // namespace

std::string_view to_string(ContainerNetwork network) {
  for (const auto& [value, word] : network_words) {
    if (value == network) return word;
  }
  return {};
}

namespace {

// Visits each key that sets exactly one field. Used for reading and for writing.
template <class Fields>
void visit_container(const Fields& fields, ContainerOptions& container) {
  fields("container.image", container.image);
  fields.choice("container.network", container.network, parse_network);
  fields("container.read_only", container.read_only);
}

}  // namespace

ContainerOptions read_container(const Json& entry) {
  ContainerOptions container;
  visit_container(config::FieldReader{entry}, container);
  container.publish =
      entry.at("container").at("publish").get<std::map<std::string, std::uint16_t>>();
  return container;
}

void show_container(const ContainerOptions& container, Json& shown) {
  ContainerOptions copy = container;
  visit_container(config::FieldWriter{shown}, copy);
  shown["container"]["publish"] = container.publish;
}

void check_containers(const config::Document& document, config::Problems& problems) {
  config::CrossCheck check{document, problems};
  const Json* const games = config::find(document.root(), "games");
  if (!check.can_judge({"rooms.runner"}) || games == nullptr || !games->is_array()) return;
  const auto runner = config::find(document.root(), "rooms.runner")->get<std::string>();
  const bool contained = find_runner(runner)->described_by == "container";
  for (std::size_t i = 0; i < games->size(); ++i) {
    const auto key = config::entry_key("games", i);
    if (!check.can_judge({key + ".container.image"})) continue;
    const Json& entry = games->at(i);
    const bool has_image = !entry.at("container").at("image").get_ref<const std::string&>().empty();
    if (contained && !has_image) {
      check.report(key + ".container.image", "must be given, since rooms.runner is " + runner);
    }
    if (!contained && has_image) {
      check.report(key + ".container.image", "must not be given, since rooms.runner is not " +
                                                 runners_described_by("container"));
    }
    check_published(entry, key, check);
  }
}

}  // namespace fixkeep::worker
