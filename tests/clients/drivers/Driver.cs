// Drives clients/csharp for tests/clients/run.py, whose head says what FIXKEEP_CALL has.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using FixKeep;

static class Driver
{
  static Dictionary<string, object> call;
  static List<string> tokens;

  static Task<string> Token(bool renew)
  {
    var token = tokens[0];
    if (tokens.Count > 1) tokens.RemoveAt(0);
    return Task.FromResult(token);
  }

  static Task<Dictionary<string, object>> Seat(MatchClient client, CancellationToken cancel,
                                               List<object> told)
  {
    if (call.TryGetValue("resume", out var ticket))
      return client.ResumeAsync((string)ticket, cancel, told.Add);
    var wanted = (Dictionary<string, object>)call["wanted"];
    return call.ContainsKey("ticket")
      ? client.FindSeatByTicketAsync(wanted, cancel, told.Add)
      : client.FindSeatAsync(wanted, cancel);
  }

  static Dictionary<string, object> Outcome(CancellationToken cancel, List<object> told)
  {
    var masters = ((List<object>)call["masters"]).Cast<string>();
    var options = new MatchOptions
    {
      LimitMs = (int)(long)call["limit_ms"],
      KeepOrder = (bool)call["keep_order"],
    };
    if (call.TryGetValue("random", out var drawn)) options.Random = () => Convert.ToDouble(drawn);
    if (tokens != null) options.Token = Token;
    try
    {
      var client = new MatchClient(masters, new WebRequestTransport(), options);
      var seat = Seat(client, cancel, told).GetAwaiter().GetResult();
      return new Dictionary<string, object> { ["outcome"] = "seat", ["seat"] = seat };
    }
    catch (MatchException error)
    {
      var names = new Dictionary<MatchOutcome, string>
      {
        [MatchOutcome.Refused] = "refused",
        [MatchOutcome.TooLate] = "too-late",
        [MatchOutcome.Cancelled] = "cancelled",
      };
      return new Dictionary<string, object>
      {
        ["outcome"] = names[error.Outcome],
        ["type"] = error.Type,
        ["detail"] = error.Detail,
        ["status"] = error.Status,
      };
    }
    catch (ArgumentException error)
    {
      var why = error.Message;
      return new Dictionary<string, object> { ["outcome"] = "wrong-use", ["detail"] = why };
    }
  }

  static void Main()
  {
    var said = Environment.GetEnvironmentVariable("FIXKEEP_CALL");
    call = (Dictionary<string, object>)Json.Read(said);
    if (call.TryGetValue("tokens", out var given))
      tokens = ((List<object>)given).Cast<string>().ToList();
    var cancel = new CancellationTokenSource();
    if (call.TryGetValue("cancel_file", out var file))
    {
      var watch = new Thread(() =>
      {
        while (!File.Exists((string)file)) Thread.Sleep(20);
        cancel.Cancel();
      }) { IsBackground = true };
      watch.Start();
    }
    for (var i = 0L; i < (long)call["calls"]; ++i)
    {
      var clock = Stopwatch.StartNew();
      var heard = new List<object>();
      var told = Outcome(cancel.Token, heard);
      told["told"] = heard;
      told["took_ms"] = clock.Elapsed.TotalMilliseconds;
      Console.WriteLine(Json.Write(told));
    }
    if (call.TryGetValue("linger_ms", out var linger)) Thread.Sleep((int)(long)linger);
    Environment.Exit(0);
  }
}
