#include "tests/unit/common/wire/random_messages.hpp"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <array>
#include <memory>
#include <vector>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "tests/support/any_message.hpp"
#include "typed.pb.h"

namespace fixkeep::wire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using Body = google::protobuf::Message;

// Of each alternative, in their order, the least that is valid.
constexpr std::array<const char*, message_types> least{
    R"(worker_state { seat_root: "01234567890123456789012345678901" zone: "z" address: "a" })",
    R"(rooms_changed { })",
    R"(seat_reply { room: 1 })",
    R"(prepare_reply { group: "g" })",
    R"(spawn_reply { room { number: 1 group: "g" mode: "m" capacity: 8 } })",
    R"(seats_released { })",
    R"(seat_request { })",
    R"(release_seats { })",
    R"(prepare_spawn { group: "g" })",
    R"(spawn_room { group: "g" mode: "m" capacity: 8 })",
    R"(keep_warm { })",
    R"(close_warm_room { pool: "*m" })",
    R"(lock_message { key: "k" })",
    R"(mesh_hello { })",
    R"(master_list { masters: 1 })",
    R"(gather { pool: "g" })",
    R"(claims_part { pool: "g" })",
    R"(claims_seated { pool: "g" worker: "w" room: 1 mode: "m" capacity: 1 })",
    R"(close_loan { pool: "g" })",
    R"(modes_known { hash: 7 })",
    R"(operator_call { target: "/" })",
    R"(operator_answer { status: 200 })"};

// Zero, the largest, or a number of any length.
std::uint64_t any_number(Random& random) {
  switch (random.below(4)) {
    case 0: return 0;
    case 1: return random.chance(0.5) ? largest_counter : ~std::uint64_t{0};
    default: return random.next() >> random.below(64);
  }
}

// Any bytes; UTF-8 only by chance. What is written into logs is printable.
std::string any_text(Random& random, bool printable) {
  std::string made(random.chance(0.1) ? 128 : 1 + random.below(12), '\0');
  for (auto& byte : made) {
    byte = static_cast<char>(printable ? ' ' + random.below(95) : random.below(256));
  }
  if (random.chance(0.1)) made.front() = '*';  // as the key of a pool
  return made;
}

void set_any(Random& random, Body& body, const FieldDescriptor* field) {
  const auto* all = body.GetReflection();
  const bool list = field->is_repeated();
  const auto type = field->cpp_type();
  if (type == FieldDescriptor::CPPTYPE_STRING) {
    auto text = any_text(random, field->name() == "request_id");
    list ? all->AddString(&body, field, std::move(text))
         : all->SetString(&body, field, std::move(text));
  } else if (type == FieldDescriptor::CPPTYPE_UINT32) {
    const auto number =
        static_cast<std::uint32_t>(random.chance(0.7) ? random.below(12) : any_number(random));
    list ? all->AddUInt32(&body, field, number) : all->SetUInt32(&body, field, number);
  } else if (type == FieldDescriptor::CPPTYPE_UINT64) {
    const auto number = any_number(random);
    list ? all->AddUInt64(&body, field, number) : all->SetUInt64(&body, field, number);
  } else {
    all->SetBool(&body, field, random.chance(0.5));
  }
}

// Changes one field somewhere in the body.
void change(Random& random, Body& body) {
  const auto* reflection = body.GetReflection();
  const auto* field = body.GetDescriptor()->field(static_cast<int>(
      random.below(static_cast<std::uint64_t>(body.GetDescriptor()->field_count()))));
  const bool list = field->is_repeated();
  const int size = list ? reflection->FieldSize(body, field) : 0;
  if (list && (size > 3 || random.chance(0.1))) return reflection->ClearField(&body, field);
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return set_any(random, body, field);
  if (!list) return change(random, *reflection->MutableMessage(&body, field));
  const bool another = size == 0 || random.chance(0.3);
  Body* const element =
      another ? reflection->AddMessage(&body, field)
              : reflection->MutableRepeatedMessage(
                    &body, field, static_cast<int>(random.below(static_cast<std::uint64_t>(size))));
  for (auto changes = another ? 8 : 1; changes > 0; --changes) change(random, *element);
}

// Many changes of the body, of which those stay that the whole is taken with.
template <class Whole>
void enrich(Random& random, Whole& whole, Body& (*body)(Whole&), bool (*taken)(const Whole&)) {
  Whole before;
  for (auto changes = 10 + random.below(60); changes > 0; --changes) {
    before.CopyFrom(whole);
    change(random, body(whole));
    if (!taken(whole)) whole.CopyFrom(before);
  }
}

void drop_half_trace(typed::Claim& claim) {
  const auto& trace = claim.trace();
  if (trace.span() == 0 || (trace.trace_high() == 0 && trace.trace_low() == 0)) claim.clear_trace();
}

// What is taken and means nothing: the room of an order that was refused, and half a trace.
void drop_what_nobody_reads(typed::Frame& frame) {
  if (frame.has_spawn_reply() && frame.spawn_reply().outcome() != 0) {
    frame.mutable_spawn_reply()->clear_room();
  }
  auto* const claims = frame.has_spawn_room()     ? frame.mutable_spawn_room()->mutable_claims()
                       : frame.has_seat_request() ? frame.mutable_seat_request()->mutable_claims()
                                                  : nullptr;
  for (int at = 0; claims != nullptr && at < claims->size(); ++at) drop_half_trace(claims->at(at));
  if (!frame.has_claims_part()) return;
  for (auto& lent : *frame.mutable_claims_part()->mutable_claims()) {
    drop_half_trace(*lent.mutable_claim());
  }
}

void add_unknown_field(Random& random, Body& body) {
  auto number = static_cast<int>(1 + random.below(24));
  while (body.GetDescriptor()->FindFieldByNumber(number) != nullptr) ++number;
  auto* const unknown = body.GetReflection()->MutableUnknownFields(&body);
  switch (random.below(3)) {
    case 0: return unknown->AddVarint(number, 1);
    case 1: return unknown->AddFixed64(number, 1);
    default: return unknown->AddLengthDelimited(number, "x");
  }
}

void add_unknown_fields(Random& random, Body& body) {
  add_unknown_field(random, body);
  const auto* all = body.GetReflection();
  std::vector<const FieldDescriptor*> present;
  all->ListFields(body, &present);
  for (const auto* field : present) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      add_unknown_fields(random, *all->MutableMessage(&body, field));
      continue;
    }
    for (int at = 0; at < all->FieldSize(body, field); ++at) {
      add_unknown_fields(random, *all->MutableRepeatedMessage(&body, field, at));
    }
  }
}

template <class Whole>
Whole parsed(const char* text) {
  Whole whole;
  FIXKEEP_ASSERT(google::protobuf::TextFormat::ParseFromString(text, &whole), text);
  return whole;
}

}  // namespace

std::string random_payload(Random& random, std::size_t type) {
  auto frame = parsed<typed::Frame>(least.at(type));
  enrich<typed::Frame>(
      random, frame,
      [](typed::Frame& whole) -> Body& {
        const auto* reflection = whole.GetReflection();
        const auto* body = whole.GetDescriptor()->oneof_decl(0);
        return *reflection->MutableMessage(&whole,
                                           reflection->GetOneofFieldDescriptor(whole, body));
      },
      [](const typed::Frame& whole) {
        return test::decode_any(whole.SerializeAsString()).has_value();
      });
  drop_what_nobody_reads(frame);
  return frame.SerializeAsString();
}

Message random_message(Random& random, std::size_t type) {
  return test::decode_any(random_payload(random, type)).value();
}

RoomHint random_hint(Random& random) {
  auto hints = parsed<typed::RoomHints>(R"(hints { worker: "w" mode: "m" number: 1 capacity: 8 })");
  enrich<typed::RoomHints>(
      random, hints, [](typed::RoomHints& whole) -> Body& { return *whole.mutable_hints(0); },
      [](const typed::RoomHints& whole) {
        return decode_hints(whole.SerializeAsString()).has_value();
      });
  return decode_hints(hints.SerializeAsString()).value().at(0);
}

std::string with_unknown_fields(Random& random, const std::string& payload) {
  typed::Frame frame;
  FIXKEEP_ASSERT(frame.ParseFromString(payload), "it is a frame");
  add_unknown_fields(random, frame);
  return frame.SerializeAsString();
}

std::string difference(const std::string& payload, const std::string& other) {
  typed::Frame one;
  typed::Frame two;
  FIXKEEP_ASSERT(one.ParseFromString(payload) && two.ParseFromString(other), "they are frames");
  std::string text;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_message_field_comparison(google::protobuf::util::MessageDifferencer::EQUIVALENT);
  differencer.ReportDifferencesToString(&text);
  (void)differencer.Compare(one, two);
  return text;
}

}  // namespace fixkeep::wire
