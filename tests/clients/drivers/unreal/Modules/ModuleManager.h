#pragma once

class FDefaultModuleImpl {};

// The real one makes the function that loads the module.
#define IMPLEMENT_MODULE(Class, Name) \
  static_assert(sizeof(Class) > 0, "the class of the module " #Name);
