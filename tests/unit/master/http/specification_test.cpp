// docs/openapi.yaml, docs/api*.md and the refusals of the core say the same. That masters do what
// the former says is what scripts/openapi.sh looks at; that it names all routes, ApiTest.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "master/http/match/desk.hpp"

namespace fixkeep::master {

std::string_view specification() noexcept;

namespace {

using nlohmann::json;
using StatusAndType = std::pair<unsigned, std::string>;

constexpr std::string_view urn = "urn:fixkeep:error:";

std::string api_document() {
  std::string text;
  for (const auto* const name : {"docs/api.md", "docs/api-operators.md"}) {
    std::ifstream file{name};
    text.append(std::istreambuf_iterator<char>{file}, {});
  }
  return text;
}

const json& document() {
  static const json parsed = json::parse(specification());
  return parsed;
}

// The types that an answer of the specification has, each with its status; 0, it is any.
std::set<StatusAndType> errors_of(const json& response) {
  std::set<StatusAndType> errors;
  const auto& content = response.at("content");
  if (!content.contains("application/problem+json")) return errors;
  const auto& parts = content["application/problem+json"]["schema"]["allOf"];
  const auto& properties = parts.at(1).at("properties");
  const unsigned status =
      properties.contains("status") ? properties["status"]["const"].get<unsigned>() : 0;
  for (const std::string type : properties.at("type").at("enum")) {
    errors.emplace(status, type.substr(urn.size()));
  }
  return errors;
}

std::set<StatusAndType> errors_of(std::string_view path, const std::string& method) {
  std::set<StatusAndType> errors;
  for (const auto& response : document()["paths"][path][method]["responses"]) {
    if (!response.contains("$ref")) continue;  // it is no error
    const std::string name = response["$ref"];
    errors.merge(
        errors_of(document()["components"]["responses"][name.substr(name.rfind('/') + 1)]));
  }
  return errors;
}

TEST(Specification, has_every_call_that_the_document_has_and_no_other) {
  const std::string text = api_document();
  std::set<std::string> told;
  const std::regex call{R"((?:^|\| |## )`(GET|POST) (/[^`?]*))"};
  for (std::sregex_iterator at{text.begin(), text.end(), call}, end; at != end; ++at) {
    told.insert((*at)[1].str() + " " + (*at)[2].str());
  }
  told.erase("GET /");  // the dashboard is for people
  std::set<std::string> specified;
  for (const auto& [path, item] : document()["paths"].items()) {
    for (const auto* const method : {"get", "post"}) {
      if (item.contains(method)) specified.insert((*method == 'g' ? "GET " : "POST ") + path);
    }
  }
  EXPECT_EQ(told, specified);
}

TEST(Specification, has_every_error_of_the_tables_and_the_document_every_type) {
  const std::string text = api_document();
  std::set<StatusAndType> specified;
  for (const auto& response : document()["components"]["responses"]) {
    specified.merge(errors_of(response));
  }
  std::size_t rows = 0;
  const std::regex row{R"(\n\| (\d{3}) \| `([a-z-]+)` \|)"};
  for (std::sregex_iterator at{text.begin(), text.end(), row}, end; at != end; ++at, ++rows) {
    const auto status = static_cast<unsigned>(std::stoul((*at)[1].str()));
    const std::string type = (*at)[2].str();
    EXPECT_TRUE(specified.contains({status, type}) || specified.contains({0, type}))
        << status << " " << type;
  }
  EXPECT_GT(rows, 20U);
  for (const std::string type : document()["components"]["schemas"]["ProblemType"]["enum"]) {
    const auto name = "`" + type.substr(urn.size()) + "`";
    EXPECT_NE(text.find(name), std::string::npos) << name << " is not in docs/api*.md";
  }
}

TEST(Specification, has_every_refusal_of_a_match) {
  const auto specified = errors_of("/v1/match", "post");
  for (const auto reason :
       {Refusal::not_joined, Refusal::queue_full, Refusal::no_capacity, Refusal::boot_failed,
        Refusal::wait_timeout, Refusal::lock_timeout, Refusal::lock_unavailable,
        Refusal::too_many_rooms, Refusal::party_too_large, Refusal::already_seated,
        Refusal::stopping, Refusal::room_full, Refusal::room_closed, Refusal::worker_away}) {
    const auto answer = to_answer(Refused{.reason = reason}, CapacityLack::workers_full);
    EXPECT_TRUE(specified.contains({answer.status, std::string{type_of(reason)}}))
        << answer.status << " " << type_of(reason);
  }
}

}  // namespace
}  // namespace fixkeep::master
