// Valid messages as the generated types have them, for tests that bring one field out of bounds.
//
// Thread rule: free functions. Each frame holds one message with one of everything that it may hold
// and that a test changes: the element number 0 of each list is there.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "fixkeep.pb.h"

namespace fixkeep::wire {

inline std::uint32_t narrow(std::size_t wide) {
  return static_cast<std::uint32_t>(wide);
}

// Whether decode() takes the frame. The only reason to refuse one is that it is malformed.
inline bool accepted(const pb::Frame& frame) {
  const auto message = decode(frame.SerializeAsString());
  if (!message) { EXPECT_EQ(message.error(), Errc::malformed_message); }
  return message.has_value();
}

// `change` brings a valid frame's field to a size or number; `most` is the last one within bounds.
template <class Change>
void expect_most(const pb::Frame& valid, std::size_t most, Change change) {
  for (const bool beyond : {false, true}) {
    pb::Frame frame = valid;
    change(frame, most + (beyond ? 1 : 0));
    EXPECT_EQ(accepted(frame), !beyond) << most;
  }
}

// The same for a counter, up to the largest number that there is.
template <class Change>
void expect_counter(const pb::Frame& valid, Change change) {
  expect_most(valid, limits::counter, change);
  pb::Frame frame = valid;
  change(frame, ~std::uint64_t{0});
  EXPECT_FALSE(accepted(frame));
}

// The same for a text, which must not be empty either.
template <class Set>
void expect_text(const pb::Frame& valid, std::size_t most, Set set) {
  const auto fill = [&](pb::Frame& frame, std::size_t size) { set(frame, std::string(size, 'x')); };
  expect_most(valid, most, fill);
  pb::Frame frame = valid;
  fill(frame, 1);
  EXPECT_TRUE(accepted(frame));
  fill(frame, 0);
  EXPECT_FALSE(accepted(frame)) << "empty";
}

// Serialised bytes made `size` long by a field, number 100, that nobody knows.
inline std::string padded(std::string bytes, std::size_t size) {
  constexpr std::string_view tag{"\xA2\x06"};  // 100 << 3 | 2
  constexpr std::size_t header = 7;  // the tag, and a length that takes five bytes whatever it is
  std::size_t length = size - bytes.size() - header;
  bytes += tag;
  for (int i = 0; i < 4; ++i, length >>= 7U) bytes += static_cast<char>(0x80U | (length & 0x7FU));
  bytes += static_cast<char>(length);
  bytes.resize(size, 'x');
  return bytes;
}

// Makes `list` as long as `count` by copies of its first element.
template <class List>
void repeat(List* list, std::size_t count) {
  const auto first = list->Get(0);
  while (static_cast<std::size_t>(list->size()) < count) *list->Add() = first;
}

// The same for a list of numbers.
template <class List>
void fill(List* list, std::size_t count) {
  list->Resize(static_cast<int>(count), 1);
}

inline void make_valid(pb::RoomInfo* room) {
  room->set_number(1);
  room->set_group("g");
  room->set_mode("m");
  room->set_capacity(8);
}

inline void make_valid(pb::PausedMode* paused) {
  paused->set_mode("m");
  paused->set_reason("r");
}

inline pb::Frame valid_worker_state() {
  pb::Frame frame;
  auto* state = frame.mutable_worker_state();
  state->set_seat_root(std::string(32, 'x'));
  state->set_zone("z");
  state->set_address("a");
  state->add_modes("m");
  make_valid(state->add_paused());
  make_valid(state->add_rooms());
  return frame;
}

inline pb::Frame valid_rooms_changed() {
  pb::Frame frame;
  make_valid(frame.mutable_rooms_changed()->add_opened());
  frame.mutable_rooms_changed()->add_changed()->set_number(1);
  frame.mutable_rooms_changed()->mutable_modes()->add_known("m");
  make_valid(frame.mutable_rooms_changed()->mutable_modes()->add_paused());
  return frame;
}

inline pb::Frame valid_seat_reply() {
  pb::Frame frame;
  frame.mutable_seat_reply()->set_room(1);
  return frame;
}

inline pb::Frame valid_prepare_reply() {
  pb::Frame frame;
  frame.mutable_prepare_reply()->set_group("g");
  make_valid(frame.mutable_prepare_reply()->add_rooms());
  return frame;
}

inline pb::Frame valid_spawn_reply() {
  pb::Frame frame;
  make_valid(frame.mutable_spawn_reply()->mutable_room());
  return frame;
}

inline pb::Frame valid_seat_request() {
  pb::Frame frame;
  auto* claim = frame.mutable_seat_request()->add_claims();
  claim->set_player("p");
  claim->add_party("q");
  return frame;
}

inline pb::Frame valid_release_seats() {
  pb::Frame frame;
  frame.mutable_release_seats()->add_players("p");
  return frame;
}

inline pb::Frame valid_prepare_spawn() {
  pb::Frame frame;
  frame.mutable_prepare_spawn()->set_group("g");
  return frame;
}

inline pb::Frame valid_spawn_room() {
  pb::Frame frame;
  auto* spawn = frame.mutable_spawn_room();
  spawn->set_group("g");
  spawn->set_mode("m");
  spawn->set_capacity(8);
  spawn->add_claims()->set_player("p");
  return frame;
}

inline pb::Frame valid_lock_message() {
  pb::Frame frame;
  auto& message = *frame.mutable_lock_message();
  message.set_key("k");
  message.mutable_token()->set_counter(3);
  message.mutable_value()->mutable_stamp()->set_counter(2);
  message.mutable_value()->mutable_fence()->set_counter(1);
  return frame;
}

inline pb::Frame valid_mesh_hello() {
  pb::Frame frame;
  frame.mutable_mesh_hello()->add_outstanding()->set_key("k");
  frame.mutable_mesh_hello()->add_workers("w");
  return frame;
}

}  // namespace fixkeep::wire
