// Drives the door of clients/csharp for tests/clients/doors.py, whose head says what it prints.

using System;
using System.Collections.Generic;
using FixKeep;

static class Driver
{
  static void Main()
  {
    var door = Door.OfEnvironment();
    var tokens = Environment.GetEnvironmentVariable("FIXKEEP_TOKENS");
    foreach (var token in (List<object>)Json.Read(tokens))
    {
      var told = new Dictionary<string, object> { ["player"] = door.Admit((string)token) };
      Console.WriteLine(Json.Write(told));
    }
    Console.WriteLine(Json.Write(new Dictionary<string, object> { ["left"] = door.Leave("ann") }));
  }
}
