#include "master/shell/mesh.hpp"

#include <algorithm>

namespace fixkeep::master {

std::vector<MasterRow> rows_of(const std::vector<MeshMember>& masters) {
  std::vector<MasterRow> rows;
  rows.reserve(masters.size());
  for (const auto& member : masters) {
    rows.push_back({member.id, member.address.host + ":" + std::to_string(member.address.port)});
  }
  return rows;
}

std::vector<net::LinkTarget> dialled_by(const Settings& settings) {
  std::vector<net::LinkTarget> targets;
  for (const auto& member : settings.masters) {
    if (!(member.id < settings.core.self)) continue;
    targets.push_back({to_string(member.id), member.address.host, member.address.port});
  }
  return targets;
}

std::size_t linked(const Settings& settings, const MasterCore& core) {
  const auto up = [&](const MeshMember& member) {
    return member.id != settings.core.self && core.locks().up(member.id);
  };
  return static_cast<std::size_t>(
      std::count_if(settings.masters.begin(), settings.masters.end(), up));
}

ReadinessFacts readiness_facts(const Settings& settings, const MasterCore& core,
                               const net::LinkTroubles& troubles, const AdmitsByMaster& admits,
                               const engine::Engine* engine) {
  ReadinessFacts facts;
  facts.required = settings.ready_requires;
  facts.self = to_string(settings.core.self);
  facts.joined = core.joined();
  facts.admits = settings.links.admits;
  for (const auto& member : settings.masters) {
    if (member.id == settings.core.self) continue;
    const auto name = to_string(member.id);
    const auto said = admits.find(name);
    facts.others.push_back({name, core.locks().up(member.id), troubles.of(name),
                            said == admits.end() ? std::string{} : said->second});
  }
  facts.workers = core.directory().workers().size();
  facts.awaits_lock_server = core.locks().awaits_server();
  if (engine != nullptr) {
    facts.locks_reachable = engine->ready();
    facts.lock_trouble = engine->statistics().last_failure;
  }
  return facts;
}

std::string names_of(const std::vector<MeshMember>& masters) {
  std::string names;
  for (const auto& member : masters) {
    if (!names.empty()) names += ", ";
    names += to_string(member.id);
  }
  return names;
}

}  // namespace fixkeep::master
