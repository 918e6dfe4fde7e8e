#include "worker/runner/process/keeper_plan.hpp"

#include <algorithm>
#include <chrono>
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
                    const std::vector<std::string>& folders, net::ExpiryWatch& expiry,
                    keeper::Plan& plan) {
  const auto& ports = launch.place.ports;
  const auto port = std::ranges::find(ports, wire::tls_port_name, &wire::NamedPort::name);
  if (files.certificate.empty() || port == ports.end()) return {};
  const auto [program, problem] = process::find_program(room_tls_program, folders);
  if (program.empty()) return std::string{"cannot execute "} + room_tls_program + ": " + problem;
  const auto loaded = net::HttpsCertificate::load(files);
  if (const auto* const wrong = std::get_if<std::string>(&loaded)) {
    return "cannot use TLS: " + *wrong;
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  expiry.look(std::get<0>(loaded)->expires_at(), now);
  plan.beside = {absolute(program), std::to_string(launch.place.port()),
                 absolute(files.certificate), absolute(files.key)};
  plan.beside_port = port->number;
  return {};
}

}  // namespace fixkeep::worker
