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
      door.FactsOf((string)token).TryGetValue("team", out var team);
      var player = door.Admit((string)token);
      var told = new Dictionary<string, object> { ["player"] = player, ["team"] = team };
      Console.WriteLine(Json.Write(told));
    }
    Console.WriteLine(Json.Write(new Dictionary<string, object> { ["left"] = door.Leave("ann") }));
  }
}
