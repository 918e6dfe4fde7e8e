// Drives the door of clients/cpp for tests/clients/doors.py, whose head says what it prints.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <fixkeep_door.hpp>
#include <iostream>

int main() {
  namespace json = boost::json;
  const auto door = fixkeep::client::Door::of_environment();
  const auto tokens = json::parse(std::getenv("FIXKEEP_TOKENS"));
  for (const auto& token : tokens.as_array()) {
    const auto player = door.admit(std::string{token.as_string()});
    const json::value told = player ? json::value(*player) : json::value(nullptr);
    const auto facts = door.facts_of(std::string{token.as_string()});
    const json::value team = facts.contains("team") ? json::value(facts.at("team")) : json::value();
    std::cout << json::serialize(json::object{{"player", told}, {"team", team}}) << std::endl;
  }
  std::cout << json::serialize(json::object{{"left", door.leave("ann")}}) << std::endl;
}
