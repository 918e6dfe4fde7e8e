#include "lab/race/state.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/base/lock_strategies.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::ordered_json;

double tenths(double value) {
  return std::round(value * 10) / 10;
}

std::string_view name_of(RaceStage stage) {
  switch (stage) {
    case RaceStage::filling: return "filling";
    case RaceStage::full: return "full";
    case RaceStage::leaving: return "leaving";
  }
  return "?";
}

template <class Number>
ordered_json json_of(SettingRange<Number> range) {
  return {{"least", range.least}, {"most", range.most}};
}

ordered_json json_of(const RaceSettings& settings) {
  auto masters = ordered_json::array();
  for (const MasterFate fate : settings.masters) masters.push_back(to_string(fate));
  return {{"link_delay_ms", settings.link_delay_ms},
          {"boot_ms", settings.boot_ms},
          {"rate", settings.rate},
          {"spread_ms", settings.spread_ms},
          {"running", settings.running},
          {"groups", settings.groups},
          {"masters", std::move(masters)},
          {"locks", settings.locks}};
}

ordered_json json_of(const RaceTally& tally) {
  return {{"rooms", tally.rooms},
          {"needed", tally.needed},
          {"refused", tally.refused},
          {"collisions", tally.cost.collisions},
          {"two_holders", tally.two_holders},
          {"wasted_room_seconds", tenths(tally.cost.wasted_room_seconds)},
          {"wasted_seat_seconds", tenths(tally.cost.wasted_seat_seconds)},
          {"asked", tally.asked},
          {"seated", tally.seated},
          {"failed", tally.failed}};
}

ordered_json json_of(std::size_t id, const RacedRoom& room) {
  ordered_json made{{"id", id},
                    {"group", room.lane},
                    {"master", room.master},
                    {"worker", room.worker},
                    {"stage", to_string(room.stage)},
                    {"capacity", room.capacity},
                    {"taken", room.taken},
                    {"occupied", room.occupied}};
  if (room.collided) made["collided"] = true;
  if (room.other) made["other"] = *room.other;
  if (room.numbers) made["numbers"] = {room.numbers->first, room.numbers->second};
  return made;
}

ordered_json json_of(const ContestantState& contestant) {
  auto rooms = ordered_json::array();
  for (std::size_t id = 0; id < contestant.rooms.size(); ++id) {
    if (!contestant.rooms[id].refused) rooms.push_back(json_of(id, contestant.rooms[id]));
  }
  return {{"lock", contestant.lock},
          {"judged", contestant.judged},
          {"match_p50_ms", tenths(contestant.match_p50_ms)},
          {"match_p90_ms", tenths(contestant.match_p90_ms)},
          {"spread_p50", tenths(contestant.spread_p50)},
          {"spread_p90", tenths(contestant.spread_p90)},
          {"round", json_of(contestant.round)},
          {"total", json_of(contestant.total)},
          {"rooms", std::move(rooms)}};
}

}  // namespace

RaceTally& RaceTally::operator+=(const RaceTally& other) {
  rooms += other.rooms;
  needed += other.needed;
  refused += other.refused;
  asked += other.asked;
  seated += other.seated;
  failed += other.failed;
  two_holders += other.two_holders;
  cost.collisions += other.cost.collisions;
  cost.wasted_room_seconds += other.cost.wasted_room_seconds;
  cost.wasted_seat_seconds += other.cost.wasted_seat_seconds;
  return *this;
}

std::string to_json(const RaceState& state) {
  auto contestants = ordered_json::array();
  for (const auto& contestant : state.contestants) contestants.push_back(json_of(contestant));
  auto names = ordered_json::array();
  for (const auto& each : lock::strategies) names.push_back(each.name);
  return ordered_json{{"round", state.round},
                      {"stage", name_of(state.stage)},
                      {"settings", json_of(state.settings)},
                      {"ranges",
                       {{"link_delay_ms", json_of(link_delay_range)},
                        {"boot_ms", json_of(boot_range)},
                        {"rate", json_of(rate_range)},
                        {"spread_ms", json_of(spread_range)}}},
                      {"locks", std::move(names)},
                      {"masters", state.masters},
                      {"workers", state.workers},
                      {"capacity", state.capacity},
                      {"group_players", state.group_players},
                      {"rules", state.rules},
                      {"asked", state.asked},
                      {"contestants", std::move(contestants)}}
      .dump();
}

}  // namespace fixkeep::client_sim
