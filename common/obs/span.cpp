#include "common/obs/span.hpp"

#include <nlohmann/json.hpp>

namespace fixkeep::obs {
namespace {

using Json = nlohmann::ordered_json;

constexpr int status_error = 2;

// 64-bit numbers become texts, as in the JSON form of Protocol Buffers.
Json value_of(const Span::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return {{"stringValue", *text}};
  return {{"intValue", std::to_string(std::get<std::int64_t>(value))}};
}

Json attribute(const std::string& key, const Span::Value& value) {
  return {{"key", key}, {"value", value_of(value)}};
}

std::string nanoseconds(SpanTime time) {
  return std::to_string(time.time_since_epoch().count());
}

Json to_json(const Span& span) {
  Json json{{"traceId", to_string(span.trace)}, {"spanId", span_text(span.id)}};
  if (span.parent != 0) json["parentSpanId"] = span_text(span.parent);
  json["name"] = span.name;
  json["kind"] = static_cast<int>(span.kind);
  json["startTimeUnixNano"] = nanoseconds(span.begin);
  json["endTimeUnixNano"] = nanoseconds(span.end);
  json["attributes"] = Json::array();
  for (const auto& [key, value] : span.attributes) {
    json["attributes"].push_back(attribute(key, value));
  }
  json["status"] = Json::object();
  if (span.failed) json["status"]["code"] = status_error;
  return json;
}

}  // namespace

std::string to_otlp_json(const SpanSource& source, std::span<const Span> spans) {
  Json list = Json::array();
  for (const Span& span : spans) list.push_back(to_json(span));
  const Json resource{{"attributes", Json::array({attribute("service.name", source.service),
                                                  attribute("service.namespace", source.cluster),
                                                  attribute("service.instance.id", source.instance),
                                                  attribute("service.version", source.version)})}};
  const Json scope{{"name", "fixkeep"}, {"version", source.version}};
  Json of_scope = Json::object();
  of_scope["scope"] = scope;
  of_scope["spans"] = std::move(list);
  Json of_resource = Json::object();
  of_resource["resource"] = resource;
  of_resource["scopeSpans"] = Json::array();
  of_resource["scopeSpans"].push_back(std::move(of_scope));
  Json request = Json::object();
  request["resourceSpans"] = Json::array();
  request["resourceSpans"].push_back(std::move(of_resource));
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fixkeep::obs
