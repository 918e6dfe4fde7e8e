#include <nlohmann/json.hpp>
#include <string>

#include "common/base/percent.hpp"
#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker::containers {
namespace {

std::string encoded(std::string_view from) {
  std::string to;
  append_percent_encoded(from, "-._~", to);
  return to;
}

std::string labels_filter(std::string_view cluster, std::string_view worker, bool of_events) {
  nlohmann::json filters{
      {"label",
       {"fixkeep.cluster=" + std::string{cluster}, "fixkeep.worker=" + std::string{worker}}}};
  if (of_events) filters["type"] = {"container"};
  return encoded(filters.dump());
}

}  // namespace

std::string create_target(std::string_view name) {
  return "/containers/create?name=" + encoded(name);
}
std::string container_target(std::string_view name, std::string_view word) {
  return "/containers/" + encoded(name) + "/" + std::string{word};
}
std::string remove_target(std::string_view name) {
  return "/containers/" + encoded(name) + "?force=1&v=1";
}
std::string kill_target(std::string_view name, std::string_view signal) {
  return container_target(name, "kill?signal=" + std::string{signal});
}
std::string logs_target(std::string_view name, std::size_t lines, bool follow) {
  return container_target(
      name, "logs?stdout=1&stderr=1&tail=" + std::to_string(lines) + (follow ? "&follow=1" : ""));
}
std::string archive_target(std::string_view name, std::string_view folder) {
  return container_target(name, "archive?path=" + encoded(folder));
}
std::string list_target(std::string_view cluster, std::string_view worker) {
  return "/containers/json?all=1&filters=" + labels_filter(cluster, worker, false);
}
std::string events_target(std::string_view cluster, std::string_view worker, std::int64_t since) {
  return "/events?since=" + std::to_string(since) +
         "&filters=" + labels_filter(cluster, worker, true);
}
std::string image_target(std::string_view image) {
  return "/images/" + encoded(image) + "/json";
}
std::string pull_target(std::string_view image) {
  // Adds the tag "latest" to a name without tag and digest: an engine would otherwise pull all
  // tags.
  const auto name_at = image.rfind('/') == std::string_view::npos ? 0 : image.rfind('/');
  const bool whole = image.find_first_of(":@", name_at) != std::string_view::npos;
  return "/images/create?fromImage=" + encoded(image) + (whole ? "" : "&tag=latest");
}

std::string network_target(std::string_view network) {
  return "/networks/" + encoded(network);
}

std::string begin_exec_target(std::string_view id) {
  return "/exec/" + encoded(id) + "/start";
}

}  // namespace fixkeep::worker::containers
