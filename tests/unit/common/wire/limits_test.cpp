// Each limit of what masters say, and of frames: met, and exceeded by one.
#include "common/wire/limits.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/common/wire/valid_frames.hpp"

namespace fixkeep::wire {
namespace {

using std::size_t;

// --- frames --------------------------------------------------------------------------------------

std::string prefix_of(size_t length) {
  std::string prefix;
  for (int shift = 24; shift >= 0; shift -= 8) prefix += static_cast<char>(length >> shift & 0xFFU);
  return prefix;
}

TEST(FrameLimits, a_prefix_announces_up_to_frame_bytes) {
  for (const size_t length : {size_t{0}, size_t{1}, size_t{255}, size_t{256}, size_t{65'536},
                              limits::frame_bytes - 1, limits::frame_bytes}) {
    const auto announced = payload_length(prefix_of(length));
    ASSERT_TRUE(announced);
    EXPECT_EQ(*announced, length);
  }
  for (const size_t length :
       {limits::frame_bytes + 1, size_t{0x7FFFFFFF}, size_t{0x80000000}, size_t{0xFFFFFFFF}}) {
    EXPECT_EQ(payload_length(prefix_of(length)).error(), Errc::frame_too_large);
  }
}

TEST(FrameLimits, what_follows_the_prefix_is_not_read) {
  EXPECT_EQ(*payload_length(prefix_of(7) + "\xff\xff\xff\xff"), 7U);
}

TEST(FrameLimits, a_payload_has_up_to_frame_bytes) {
  const auto message = valid_lock_message().SerializeAsString();
  EXPECT_TRUE(decode(padded(message, limits::frame_bytes)));
  EXPECT_EQ(decode(padded(message, limits::frame_bytes + 1)).error(), Errc::malformed_message);
}

TEST(FrameLimits, a_frame_without_a_message_is_refused) {
  EXPECT_FALSE(accepted(pb::Frame{}));
}

// --- seats and rooms that masters ask for --------------------------------------------------------

TEST(OrderLimits, seat_request) {
  const auto valid = valid_seat_request();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_seat_request()->mutable_claims(0)->set_player(text);
  });
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_seat_request()->mutable_claims(0)->set_party(0, text);
  });
  expect_most(valid, limits::claims, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_seat_request()->mutable_claims(), count);
  });
  // The player is one of the party.
  expect_most(valid, limits::party - 1, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_seat_request()->mutable_claims(0)->mutable_party(), count);
  });
}

TEST(OrderLimits, release_seats) {
  const auto valid = valid_release_seats();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_release_seats()->set_players(0, text);
  });
  expect_most(valid, limits::capacity, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_release_seats()->mutable_players(), count);
  });
}

TEST(OrderLimits, prepare_spawn) {
  const auto valid = valid_prepare_spawn();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::group_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_prepare_spawn()->set_group(text);
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_prepare_spawn()->mutable_token()->set_master(narrow(master));
  });
}

TEST(OrderLimits, spawn_room) {
  const auto valid = valid_spawn_room();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::group_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_spawn_room()->set_group(text);
  });
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_spawn_room()->set_mode(text);
  });
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_spawn_room()->mutable_claims(0)->set_player(text);
  });
  expect_most(valid, limits::capacity, [](pb::Frame& frame, size_t seats) {
    frame.mutable_spawn_room()->set_capacity(narrow(seats));
  });
  expect_most(valid, limits::claims, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_spawn_room()->mutable_claims(), count);
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_spawn_room()->mutable_creation()->mutable_token()->set_master(narrow(master));
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_spawn_room()->mutable_basis()->set_master(narrow(master));
  });
  auto without_seats = valid;
  without_seats.mutable_spawn_room()->set_capacity(0);
  EXPECT_FALSE(accepted(without_seats));
}

// --- what a request is called --------------------------------------------------------------------

const RequestContext& context_in(const Message& message) {
  return std::get<SeatRequest>(message).claims.at(0).context;
}

// A claim whose context is `context`, as it arrives.
RequestContext arrived(const std::string& request_id, const pb::Trace& trace) {
  auto frame = valid_seat_request();
  frame.mutable_seat_request()->mutable_claims(0)->set_request_id(request_id);
  *frame.mutable_seat_request()->mutable_claims(0)->mutable_trace() = trace;
  const auto message = decode(frame.SerializeAsString());
  EXPECT_TRUE(message);
  return message ? context_in(*message) : RequestContext{};
}

pb::Trace some_trace() {
  pb::Trace trace;
  trace.set_trace_high(1);
  trace.set_trace_low(2);
  trace.set_span(3);
  trace.set_sampled(true);
  return trace;
}

TEST(RequestContextLimits, a_context_within_its_bounds_arrives) {
  for (const std::string& id : {std::string{"~ "}, std::string(limits::request_id_bytes, 'x')}) {
    const auto context = arrived(id, some_trace());
    EXPECT_EQ(context.request_id, id);
    EXPECT_EQ(context.trace, (TraceContext{{1, 2}, 3, true}));
  }
}

TEST(RequestContextLimits, what_is_out_of_bounds_is_dropped_and_the_claim_is_not) {
  for (const std::string& id :
       {std::string(limits::request_id_bytes + 1, 'x'), std::string{"a\nb"}, std::string{"\x7f"},
        std::string{"\xc3\xa9"}, std::string{"\0", 1}}) {
    const auto context = arrived(id, some_trace());
    EXPECT_EQ(context.request_id, "") << id;
    EXPECT_TRUE(context.trace) << "they do not depend on each other";
  }
  auto no_span = some_trace();
  no_span.set_span(0);
  EXPECT_EQ(arrived("r1", no_span), (RequestContext{"r1", {}}));
  auto no_trace = some_trace();
  no_trace.set_trace_high(0);
  EXPECT_TRUE(arrived("r1", no_trace).trace) << "one half may be zero";
  no_trace.set_trace_low(0);
  EXPECT_EQ(arrived("r1", no_trace), (RequestContext{"r1", {}}));
}

// --- warm rooms ----------------------------------------------------------------------------------

TEST(WarmPoolLimits, a_pool_has_a_key_that_no_group_of_players_can_have) {
  pb::Frame keep;
  pb::Frame close;
  for (const std::string key : {"*duel/8", "duel/8", "", "%2Aduel/8"}) {
    keep.mutable_keep_warm()->clear_pools();
    keep.mutable_keep_warm()->add_pools(key);
    close.mutable_close_warm_room()->set_pool(key);
    EXPECT_EQ(accepted(keep), key.starts_with('*')) << key;
    EXPECT_EQ(accepted(close), key.starts_with('*')) << key;
  }
}

TEST(WarmPoolLimits, keep_warm) {
  pb::Frame valid;
  valid.mutable_keep_warm()->add_pools("*duel/8");
  ASSERT_TRUE(accepted(valid));
  expect_most(valid, limits::modes, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_keep_warm()->mutable_pools(), count);
  });
  expect_most(valid, limits::group_bytes, [](pb::Frame& frame, size_t size) {
    frame.mutable_keep_warm()->set_pools(0, "*" + std::string(size - 1, 'x'));
  });
}

TEST(WarmPoolLimits, close_warm_room) {
  pb::Frame valid;
  valid.mutable_close_warm_room()->set_pool("*duel/8");
  ASSERT_TRUE(accepted(valid));
  expect_counter(valid, [](pb::Frame& frame, auto counter) {
    frame.mutable_close_warm_room()->mutable_basis()->set_counter(counter);
  });
  expect_counter(valid, [](pb::Frame& frame, auto counter) {
    frame.mutable_close_warm_room()->mutable_order()->mutable_token()->set_counter(counter);
  });
}

// --- calls of operators --------------------------------------------------------------------------

TEST(OperatorLimits, call) {
  pb::Frame valid;
  valid.mutable_operator_call()->set_target("/v1/drain");
  ASSERT_TRUE(accepted(valid));
  expect_most(valid, limits::call_target_bytes, [](pb::Frame& frame, size_t size) {
    frame.mutable_operator_call()->set_target(std::string(size, 'x'));
  });
  expect_most(valid, limits::call_body_bytes, [](pb::Frame& frame, size_t size) {
    frame.mutable_operator_call()->set_body(std::string(size, '\xff'));
  });
}

TEST(OperatorLimits, answer) {
  pb::Frame valid;
  valid.mutable_operator_answer()->set_status(202);
  ASSERT_TRUE(accepted(valid));
  expect_most(valid, limits::call_answer_bytes, [](pb::Frame& frame, size_t size) {
    frame.mutable_operator_answer()->set_body(std::string(size, 'x'));
  });
  expect_most(valid, static_cast<size_t>(last_answer_form), [](pb::Frame& frame, size_t form) {
    frame.mutable_operator_answer()->set_form(static_cast<std::uint32_t>(form));
  });
  for (const std::uint32_t status : {200U, 599U}) {
    valid.mutable_operator_answer()->set_status(status);
    EXPECT_TRUE(accepted(valid)) << status;
  }
  for (const std::uint32_t status : {0U, 100U, 199U, 600U, ~0U}) {
    valid.mutable_operator_answer()->set_status(status);
    EXPECT_FALSE(accepted(valid)) << status;
  }
}

// --- counters ------------------------------------------------------------------------------------

// One node that says 2^64-1 must not be able to end a group: whoever counts on from it would wrap.
TEST(CounterLimits, no_counter_of_a_master_is_beyond_the_largest) {
  const std::vector<std::pair<pb::Frame, std::function<void(pb::Frame&, std::uint64_t)>>> places{
      {valid_prepare_spawn(),
       [](auto& f, auto n) { f.mutable_prepare_spawn()->mutable_token()->set_counter(n); }},
      {valid_spawn_room(),
       [](auto& f, auto n) {
         f.mutable_spawn_room()->mutable_creation()->mutable_token()->set_counter(n);
       }},
      {valid_spawn_room(),
       [](auto& f, auto n) { f.mutable_spawn_room()->mutable_basis()->set_counter(n); }},
      {valid_lock_message(), [](auto& f, auto n) { f.mutable_lock_message()->set_round(n); }},
      {valid_lock_message(),
       [](auto& f, auto n) { f.mutable_lock_message()->mutable_token()->set_counter(n); }},
      {valid_lock_message(),
       [](auto& f, auto n) {
         f.mutable_lock_message()->mutable_token()->set_counter(n);
         f.mutable_lock_message()->mutable_value()->mutable_stamp()->set_counter(n);
       }},
      {valid_lock_message(),
       [](auto& f, auto n) {
         f.mutable_lock_message()->mutable_token()->set_counter(n);
         f.mutable_lock_message()->mutable_value()->mutable_stamp()->set_counter(n);
         f.mutable_lock_message()->mutable_value()->mutable_fence()->set_counter(n);
       }},
      {valid_mesh_hello(), [](auto& f, auto n) { f.mutable_mesh_hello()->set_highest_counter(n); }},
      {valid_mesh_hello(),
       [](auto& f, auto n) {
         f.mutable_mesh_hello()->mutable_outstanding(0)->mutable_token()->set_counter(n);
       }},
  };
  for (const auto& [valid, change] : places) expect_counter(valid, change);
}

// What a liar would say, so that the next holder takes an old order for a new one.
TEST(CounterLimits, no_value_is_later_than_its_message_and_no_fence_than_its_value) {
  pb::Frame frame = valid_lock_message();
  auto& message = *frame.mutable_lock_message();
  message.mutable_token()->set_counter(7);
  message.mutable_value()->mutable_stamp()->set_counter(7);
  message.mutable_value()->mutable_fence()->set_counter(7);
  EXPECT_TRUE(accepted(frame));
  message.mutable_value()->mutable_fence()->set_counter(8);
  EXPECT_FALSE(accepted(frame));
  message.mutable_value()->mutable_stamp()->set_counter(8);
  EXPECT_FALSE(accepted(frame));
  message.mutable_token()->set_counter(8);
  EXPECT_TRUE(accepted(frame));
}

TEST(CounterLimits, no_counter_of_a_worker_is_beyond_the_largest) {
  expect_counter(valid_worker_state(),
                 [](auto& f, auto n) { f.mutable_worker_state()->set_highest_counter(n); });
  expect_counter(valid_worker_state(), [](auto& f, auto n) {
    f.mutable_worker_state()->mutable_rooms(0)->mutable_creation()->mutable_token()->set_counter(n);
  });
  expect_counter(valid_prepare_reply(), [](auto& f, auto n) {
    f.mutable_prepare_reply()->mutable_highest()->set_counter(n);
  });
  expect_counter(valid_spawn_reply(), [](auto& f, auto n) {
    f.mutable_spawn_reply()->mutable_highest()->set_counter(n);
  });
}

}  // namespace
}  // namespace fixkeep::wire
