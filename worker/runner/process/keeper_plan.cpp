#include "worker/runner/process/keeper_plan.hpp"

#include <algorithm>
#include <filesystem>

#include "common/process/program.hpp"

namespace fixkeep::worker {
std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files, const std::string& program) {
  keeper::Plan plan;
  plan.program = program;
  plan.game = launch.game;
  std::string& folder = plan.game.working_folder;
  folder = folder.empty() ? files.game() : absolute(folder);
  plan.place = files.folder;
  plan.own_folder = files.game();
  plan.follow = launch.follow;
  if (launch.alone > std::chrono::milliseconds{0}) plan.record = files.record();
  plan.alone = launch.alone;
  plan.grace = launch.grace;
  return plan;
}

std::string end_tls(const Launch& launch, const net::HttpsFiles& files,
                    const std::vector<std::string>& folders, keeper::Plan& plan) {
  constexpr auto name = "fixkeep-room-tls";
  const auto& ports = launch.place.ports;
  const auto port = std::ranges::find(ports, wire::tls_port_name, &wire::NamedPort::name);
  if (files.certificate.empty() || port == ports.end()) return {};
  const auto [program, problem] = process::find_program(name, folders);
  if (program.empty()) return std::string{"cannot execute "} + name + ": " + problem;
  plan.beside = {absolute(program), std::to_string(port->number),
                 std::to_string(launch.place.port()), absolute(files.certificate),
                 absolute(files.key)};
  return {};
}

}  // namespace fixkeep::worker
