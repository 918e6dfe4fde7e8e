#include "worker/sdk/rest/json.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base/json_bounds.hpp"

namespace fixkeep::worker {
namespace {

using nlohmann::json;

SdkError no_json(const std::string& why) {
  return {SdkCode::invalid_argument, "the body is no JSON of this message: " + why};
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Returns whether the names are equal if case and underscores are ignored: "player_id" and
// "playerId" are accepted for playerID.
bool is_same_name(std::string_view left, std::string_view right) {
  const auto letters = [](std::string_view text) {
    std::string only;
    for (const char c : text) {
      if (c != '_') only += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return only;
  };
  return letters(left) == letters(right);
}

// Renames fields to the message's own names. The parser of Protocol Buffers accepts two names of a
// field. Clients also send the snake_case name, which is a third name for some of Agones' fields.
json with_known_names(const json& object, const google::protobuf::Descriptor& message) {
  json result = json::object();
  for (const auto& entry : object.items()) {
    std::string name = entry.key();
    for (int i = 0; i < message.field_count(); ++i) {
      const std::string& field = message.field(i)->name();
      if (is_same_name(field, name) && !object.contains(field)) name = field;
    }
    result[name] = entry.value();
  }
  return result;
}

// Returns what is wrong with a field's kind of value; empty if nothing is. The parser of Protocol
// Buffers would accept a single value for a list, and does not name a field with a wrong value.
std::string wrong_kind(const json& object, const google::protobuf::Descriptor& message) {
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const auto found = object.find(field.name());
    if (found == object.end() || found->is_null()) continue;
    if (field.is_repeated() && !found->is_array()) return '"' + field.name() + "\" must be a list";
    const bool is_text = field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING;
    if (is_text && !field.is_repeated() && !found->is_string()) {
      return '"' + field.name() + "\" must be a text; JSON in a text needs \\\" for each \"";
    }
  }
  return {};
}

}  // namespace

std::string to_json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  // Fails only if a text is not UTF-8. The two transports do not accept such a text.
  (void)google::protobuf::util::MessageToJsonString(message, &text, options);
  return text;
}

std::string to_json(const SdkError& error) {
  const nlohmann::ordered_json body{{"code", static_cast<int>(error.code)},
                                    {"message", error.message},
                                    {"details", json::array()}};
  // Replaces bytes that are not UTF-8: a message may quote a path, which can contain any bytes.
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

SdkResult<> read_json(std::string_view text, google::protobuf::Message& message) {
  if (is_blank(text)) return {};
  // The parser of Protocol Buffers accepts more than JSON (for example single quotes). It therefore
  // runs last.
  if (!is_within(text)) return no_json("it is too deep, or has too many values");
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return no_json("it is malformed");
  if (!parsed.is_object()) return no_json("it is no object");
  const json known = with_known_names(parsed, *message.GetDescriptor());
  if (const auto wrong = wrong_kind(known, *message.GetDescriptor()); !wrong.empty()) {
    return no_json(wrong);
  }
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage(known.dump(), &message, options);
  if (!status.ok()) return no_json(std::string{status.message()});
  return {};
}

SdkResult<std::size_t> count_objects(const std::string& text) {
  std::istringstream in{text};
  std::size_t count = 0;
  try {
    while ((in >> std::ws, in.peek()) != std::istringstream::traits_type::eof()) {
      json one;
      in >> one;
      if (!one.is_object()) return no_json("it is no object");
      ++count;
    }
  } catch (const json::exception&) { return no_json("it is malformed"); }
  return count;
}

SdkResult<std::vector<std::string>> fields_of(std::string_view text,
                                              const google::protobuf::Descriptor& message) {
  std::vector<std::string> fields;
  if (is_blank(text)) return fields;
  const json object = json::parse(text);
  for (const auto& entry : object.items()) {
    const auto* field = message.FindFieldByName(entry.key());
    if (field == nullptr) field = message.FindFieldByCamelcaseName(entry.key());
    if (field == nullptr) {
      return SdkError{SdkCode::invalid_argument, "could not find field \"" + entry.key() +
                                                     "\" in \"" + message.full_name() + "\""};
    }
    fields.push_back(field->name());
  }
  return fields;
}

}  // namespace fixkeep::worker
