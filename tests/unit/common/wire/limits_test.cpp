// Each limit of each field that crosses a link, found by trying (limits.txt), and those of frames.
#include "common/wire/limits.hpp"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/wire/codec.hpp"
#include "tests/support/any_message.hpp"
#include "tests/support/scripts.hpp"
#include "typed.pb.h"

namespace fixkeep::wire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using std::size_t;
using Body = google::protobuf::Message;

// Serialised bytes made `size` long by a field, number 100, that nobody knows.
std::string padded(std::string bytes, size_t size) {
  constexpr std::string_view tag{"\xA2\x06"};  // 100 << 3 | 2
  constexpr size_t header = 7;  // the tag, and a length that takes five bytes whatever it is
  size_t length = size - bytes.size() - header;
  bytes += tag;
  for (int i = 0; i < 4; ++i, length >>= 7U) bytes += static_cast<char>(0x80U | (length & 0x7FU));
  bytes += static_cast<char>(length);
  bytes.resize(size, 'x');
  return bytes;
}

template <class Bytes>
bool taken(const Result<Bytes>& decoded) {
  if (!decoded) { EXPECT_EQ(decoded.error(), Errc::malformed_message); }
  return decoded.has_value();
}

// The least and the most of what is accepted around a number that is.
std::string range(std::uint64_t valid, std::uint64_t most,
                  const std::function<bool(std::uint64_t)>& accepts) {
  const auto search = [&](std::uint64_t good, std::uint64_t bad) {  // the last good one
    while (good > bad ? good - bad > 1 : bad - good > 1) {
      const auto middle = good / 2 + bad / 2 + (good & bad & 1U);
      (accepts(middle) ? good : bad) = middle;
    }
    return good;
  };
  const auto low = accepts(0) ? 0 : search(valid, 0);
  std::uint64_t high = valid;  // far numbers are tried last, since as many elements take long
  std::uint64_t beyond = valid;
  while (beyond < most && accepts(beyond)) {
    high = beyond;
    beyond = beyond > most / 2 ? most : 2 * beyond + 1;
  }
  if (beyond == most && accepts(most)) {
    high = most;
  } else {
    high = search(high, beyond);
  }
  if (low == 0 && high == most) return "any";
  const auto most_of_counters = std::uint64_t{1} << 62U;
  return std::to_string(low) + ".." + (high == most_of_counters ? "2^62" : std::to_string(high));
}

class Limits : public support::ScriptDriver {
 public:
  std::string run(std::string_view line) override {
    support::Words words{line};
    const auto what = words.next();
    typed::Frame frame;
    typed::RoomHints hints;
    Body& whole = what == "hints" ? static_cast<Body&>(hints) : frame;
    if (!google::protobuf::TextFormat::ParseFromString(words.rest(), &whole))
      return "no such field";
    const auto accepts = [&] {
      const auto bytes = whole.SerializeAsString();
      return what == "hints" ? taken(decode_hints(bytes)) : taken(test::decode_any(bytes));
    };
    if (what == "accepts") return accepts() ? "yes" : "no";
    if (!accepts()) return "it is refused";
    found_.clear();
    look(whole, "", accepts);
    return found_;
  }

 private:
  // Adds what is found of all fields that are set, or may be.
  void look(Body& body, const std::string& path, const std::function<bool()>& accepts) {
    const auto* reflection = body.GetReflection();
    for (int index = 0; index < body.GetDescriptor()->field_count(); ++index) {
      const auto* field = body.GetDescriptor()->field(index);
      const auto name = path + (path.empty() ? "" : ".") + field->name();
      if (field->is_repeated()) {
        if (reflection->FieldSize(body, field) > 0) look_at_list(body, field, name, accepts);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        if (!reflection->HasField(body, field)) continue;
        look(*reflection->MutableMessage(&body, field), name, accepts);
      } else if (field->containing_oneof() == nullptr || reflection->HasField(body, field)) {
        look_at_value(body, field, name, accepts);
      }
    }
  }

  void look_at_value(Body& body, const FieldDescriptor* field, const std::string& name,
                     const std::function<bool()>& accepts) {
    const auto* reflection = body.GetReflection();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const auto valid = reflection->GetString(body, field);
      note(name, range(valid.size(), most_bytes, [&](std::uint64_t size) {
                   auto text = valid;
                   text.resize(size, 'x');
                   reflection->SetString(&body, field, text);
                   return accepts();
                 }) + " bytes");
      reflection->SetString(&body, field, valid);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
      const auto valid = reflection->GetUInt32(body, field);
      note(name, range(valid, std::numeric_limits<std::uint32_t>::max(), [&](std::uint64_t number) {
             reflection->SetUInt32(&body, field, static_cast<std::uint32_t>(number));
             return accepts();
           }));
      reflection->SetUInt32(&body, field, valid);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      const auto valid = reflection->GetUInt64(body, field);
      note(name, range(valid, std::numeric_limits<std::uint64_t>::max(), [&](std::uint64_t number) {
             reflection->SetUInt64(&body, field, number);
             return accepts();
           }));
      reflection->SetUInt64(&body, field, valid);
    }
  }

  // Its length, made by copies of the first element or by numbers that grow; and that element.
  void look_at_list(Body& body, const FieldDescriptor* field, const std::string& name,
                    const std::function<bool()>& accepts) {
    const auto* reflection = body.GetReflection();
    const std::unique_ptr<Body> valid{body.New()};
    valid->CopyFrom(body);
    const auto count = [&](std::uint64_t length) {
      const auto size = static_cast<std::uint64_t>(reflection->FieldSize(body, field));
      for (auto left = size; left > length; --left) reflection->RemoveLast(&body, field);
      for (auto at = size; at < length; ++at) add(body, *valid, field, at);
      return accepts();
    };
    note(name, range(1, most_elements, count) + " times");
    body.CopyFrom(*valid);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      look(*reflection->MutableRepeatedMessage(&body, field, 0), name, accepts);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const auto text = reflection->GetRepeatedString(body, field, 0);
      note(name, range(text.size(), most_bytes, [&](std::uint64_t size) {
                   auto other = text;
                   other.resize(size, 'x');
                   reflection->SetRepeatedString(&body, field, 0, other);
                   return accepts();
                 }) + " bytes");
      reflection->SetRepeatedString(&body, field, 0, text);
    }
  }

  static void add(Body& body, const Body& valid, const FieldDescriptor* field, std::uint64_t at) {
    const auto* reflection = body.GetReflection();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const auto& first = reflection->GetRepeatedMessage(valid, field, 0);
      reflection->AddMessage(&body, field)->CopyFrom(first);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection->AddString(&body, field, reflection->GetRepeatedString(valid, field, 0));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
      const auto first = reflection->GetRepeatedUInt32(valid, field, 0);
      reflection->AddUInt32(&body, field, first + static_cast<std::uint32_t>(at));
    } else {
      reflection->AddUInt64(&body, field, at + 1);
    }
  }

  void note(const std::string& path, const std::string& said) {
    if (said.starts_with("any")) return;
    const auto name = path.substr(path.find('.') + 1);
    const auto line = found_.size() - (found_.rfind('\n') + 1);
    if (!found_.empty()) found_ += line + name.size() + said.size() > 92 ? ";\n" : "; ";
    found_ += name + " " + said;
  }

  static constexpr std::uint64_t most_bytes = 1U << 20U;
  static constexpr std::uint64_t most_elements = 1U << 17U;
  std::string found_;
};

const bool limits_of_fields = support::register_scripts("tests/unit/common/wire/limits.txt",
                                                        [] { return std::make_unique<Limits>(); });

std::string prefix_of(size_t length) {
  std::string prefix;
  for (int shift = 24; shift >= 0; shift -= 8) prefix += static_cast<char>(length >> shift & 0xFFU);
  return prefix;
}

TEST(FrameLimits, a_prefix_announces_up_to_frame_bytes) {
  for (const size_t length : {size_t{0}, size_t{1}, size_t{255}, size_t{256}, size_t{65'536},
                              limits::frame_bytes - 1, limits::frame_bytes}) {
    const auto announced = payload_length(prefix_of(length) + "\xff\xff");
    ASSERT_TRUE(announced);
    EXPECT_EQ(*announced, length);
  }
  for (const size_t length :
       {limits::frame_bytes + 1, size_t{0x7FFFFFFF}, size_t{0x80000000}, size_t{0xFFFFFFFF}}) {
    EXPECT_EQ(payload_length(prefix_of(length)).error(), Errc::frame_too_large);
  }
}

TEST(FrameLimits, a_payload_has_up_to_frame_bytes) {
  typed::Frame frame;
  frame.mutable_lock_message()->set_key("k");
  const auto message = frame.SerializeAsString();
  EXPECT_TRUE(test::decode_any(padded(message, limits::frame_bytes)));
  EXPECT_EQ(test::decode_any(padded(message, limits::frame_bytes + 1)).error(),
            Errc::malformed_message);
  EXPECT_TRUE(decode_hints(padded("", limits::lock_value_bytes)));
  EXPECT_FALSE(decode_hints(padded("", limits::lock_value_bytes + 1)));
}

// A claim whose context is `context`, as it arrives.
RequestContext arrived(const std::string& request_id, const std::array<std::uint64_t, 3>& trace) {
  typed::Frame frame;
  auto* claim = frame.mutable_seat_request()->add_claims();
  claim->set_player("p");
  claim->set_request_id(request_id);
  claim->mutable_trace()->set_trace_high(trace[0]);
  claim->mutable_trace()->set_trace_low(trace[1]);
  claim->mutable_trace()->set_span(trace[2]);
  claim->mutable_trace()->set_sampled(true);
  const auto message = decode<ToWorker>(frame.SerializeAsString()).value();
  return std::get<SeatRequest>(std::get<Order>(message)).claims.at(0).context;
}

TEST(RequestContextLimits, what_is_out_of_bounds_is_dropped_and_the_claim_is_not) {
  const TraceContext trace{{1, 2}, 3, true};
  for (const std::string& id : {std::string{"~ "}, std::string(limits::request_id_bytes, 'x')}) {
    EXPECT_EQ(arrived(id, {1, 2, 3}), (RequestContext{id, trace}));
  }
  for (const std::string& id :
       {std::string(limits::request_id_bytes + 1, 'x'), std::string{"a\nb"}, std::string{"\x7f"},
        std::string{"\xc3\xa9"}, std::string{"\0", 1}}) {
    EXPECT_EQ(arrived(id, {1, 2, 3}), (RequestContext{"", trace})) << id;
  }
  EXPECT_EQ(arrived("r1", {1, 2, 0}), (RequestContext{"r1", {}}));
  EXPECT_TRUE(arrived("r1", {0, 2, 3}).trace) << "one half may be zero";
  EXPECT_EQ(arrived("r1", {0, 0, 3}), (RequestContext{"r1", {}}));
}

TEST(MeshLimits, the_largest_part_of_a_hello_is_a_frame) {
  constexpr FencingToken most{limits::counter, MasterId{0xFFFF}};
  const lock::LockMessage asked{GroupKey{std::string(limits::group_bytes, 'k')},
                                0xFF,
                                limits::counter,
                                most,
                                {most, most, true, std::string(limits::lock_value_bytes, 'x')}};
  lock::MeshHello hello{{lock::limits::outstanding, asked},
                        {lock::limits::workers, WorkerId{std::string(limits::id_bytes, 'w')}},
                        true,
                        limits::counter};
  for (size_t left = lock::limits::masters; left > 0; --left) {
    hello.masters.emplace_back(static_cast<std::uint16_t>(0x10000 - left));
  }
  std::string frame;
  append_frame(hello, frame);
  const auto back = decode<BetweenMasters>(std::string_view{frame}.substr(prefix_bytes));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<lock::MeshHello>(std::get<lock::MeshMessage>(*back)), hello);
}

}  // namespace
}  // namespace fixkeep::wire
