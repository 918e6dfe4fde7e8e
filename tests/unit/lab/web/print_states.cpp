// Prints the state of each world whose text is a line of the standard input. Tests compare the page
// with it.
#include <iostream>
#include <string>

#include "lab/web/plan.hpp"
#include "lab/web/world.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    fixkeep::lab_web::Plan plan;
    if (const auto mistake = fixkeep::lab_web::read_plan(line, plan); !mistake.empty()) {
      std::cerr << mistake << '\n';
      return 2;
    }
    fixkeep::lab_web::World world{plan};
    world.step_to(plan.steps);
    std::cout << world.state_json() << '\n';
  }
  return 0;
}
