// One record of every kind, with every field set.
#pragma once

#include "worker/core/memory.hpp"

namespace fixkeep::worker::journal {

inline Records one_of_each() {
  const GroupKey group{"duel|eu"};
  const CreationId creation{{7, MasterId{2}}, 3, Incarnation{0xfedcba9876543210U}};
  RoomRecord room{
      .room = RoomNumber{5},
      .group = group,
      .mode = ModeName{"duel"},
      .place = wire::RoomPlace{"game.example", {{"default", 20'001}, {"query", 20'002}}},
      .capacity = 64,
      .creation = creation,
      .phase = wire::RoomPhase::draining,
      .reason = wire::CloseReason::none,
      .opened_at = wire::WorkerTime{1'234'567},
      .drained_by = TimePoint{Duration{987'654'321}},
      .watched = true,
      .admission = {Newcomers::until_started, NewcomersWord::closed, true, Duration{5},
                    TimePoint{Duration{6}}},
      .wants = {{"1", "healer", 2}}};
  return {
      room,
      SeatRecord{RoomNumber{5},
                 PlayerId{std::string("\0odd", 4)},
                 9,
                 {{ReservationId{11}, MasterId{1}}, {ReservationId{12}, MasterId{2}}},
                 "0 1500",
                 "",
                 "",
                 1},
      PromiseRecord{group, {9, MasterId{1}}, Incarnation{3}, {8, MasterId{3}}},
      PromiseRecord{GroupKey{"duel|us"}, {4, MasterId{1}}, std::nullopt, {}},
      PromiseForgotten{GroupKey{"brawl"}},
      PromiseFloors{{5, MasterId{1}}, {4, MasterId{2}}, 10},
      CreationRecord{group, {{6, MasterId{1}}, 0, Incarnation{1}}, RoomNumber{4}},
      RoomGone{RoomNumber{3}},
      NumbersRecord{6, 13},
      ResultRecord{RoomNumber{5}, group, creation, R"({"winner":"red"})", TimePoint{Duration{9}}}};
}

}  // namespace fixkeep::worker::journal
