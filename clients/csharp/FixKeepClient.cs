// SPDX-License-Identifier: MIT
// Asks the masters of FIX Keep for a seat. C# 7, for .NET, Mono and Unity; it needs Json.cs, and a
// transport: WebRequestTransport.cs, or UnityTransport.cs.
//
// MatchClient.FindSeatAsync asks one master after the other until one gives a seat, one refuses,
// the time is over, or the caller cancels. What it does with each answer is the same in all clients
// of FIX Keep, and stands in docs/clients.md; tests/clients/table.txt holds it to that.
//
// Thread rule: a MatchClient may be used by any number of threads; it goes on where its caller was
// (in Unity on the main thread). The CancellationToken hangs up. Bounds: MatchOptions.LimitMs of
// one call, with all its waits; 64 KiB of an answer. Errors: MatchException, whose Outcome says
// which; ArgumentException for wrong use. What Token throws goes through.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace FixKeep
{
  public enum MatchOutcome { Refused, TooLate, Cancelled }

  // There is no seat. Type is the master's (docs/api.md), "" where none has spoken.
  public sealed class MatchException : Exception
  {
    public readonly MatchOutcome Outcome;
    public readonly string Type, Detail;
    public readonly int Status;

    public MatchException(MatchOutcome outcome, string type, string detail, int status)
      : base(type == "" ? detail : type + ": " + detail)
    {
      Outcome = outcome;
      Type = type;
      Detail = detail;
      Status = status;
    }
  }

  public sealed class HttpAnswer
  {
    public int Status;
    public string RetryAfter = "";
    public string Body = "";
  }

  // How requests are made and time passes. Redirects are not followed.
  public interface ITransport
  {
    double NowMs { get; }
    Task Delay(int ms, CancellationToken cancel);

    // Throws whatever it likes where there is no answer, or one of more than mostBytes;
    // after timeoutMs, or if the caller cancels, it hangs up.
    Task<HttpAnswer> Post(Uri url, string token, byte[] body, int mostBytes, int timeoutMs,
                          CancellationToken cancel);
  }

  public sealed class MatchOptions
  {
    // Returns the bearer token; it is called again, with true, when a master says 401.
    public Func<bool, Task<string>> Token;
    public int LimitMs = 120000;
    // Masters are asked in the order in which they were given, not in one that is drawn.
    public bool KeepOrder;
    // Returns 0 <= x < 1; for tests.
    public Func<double> Random;
  }

  public sealed class MatchClient
  {
    static readonly Random Numbers = new Random(Guid.NewGuid().GetHashCode());
    readonly List<Uri> masters;
    readonly ITransport transport;
    readonly MatchOptions options;

    public MatchClient(IEnumerable<string> masters, ITransport transport,
                       MatchOptions options = null)
    {
      this.masters = masters.Select(EndpointOf).ToList();
      if (this.masters.Count == 0) throw new ArgumentException("there is no master to ask");
      this.transport = transport;
      this.options = options ?? new MatchOptions();
    }

    // The answer of POST /v1/match; wanted is the request, as docs/api.md has it.
    public Task<Dictionary<string, object>> FindSeatAsync(
      IDictionary<string, object> wanted, CancellationToken cancel = default(CancellationToken))
    {
      var order = masters.ToArray();
      var random = options.Random ?? Draw;
      for (var i = order.Length - 1; i > 0 && !options.KeepOrder; --i)
      {
        var j = (int)(random() * (i + 1));
        var drawn = order[j];
        order[j] = order[i];
        order[i] = drawn;
      }
      return new Search(order, transport, options, random, wanted, cancel).Run();
    }

    static double Draw()
    {
      lock (Numbers) return Numbers.NextDouble();
    }

    static Uri EndpointOf(string address)
    {
      var known = Uri.TryCreate(address, UriKind.Absolute, out var url);
      var web = known && (url.Scheme == "http" || url.Scheme == "https");
      if (!web || url.Query != "" || url.UserInfo != "")
        throw new ArgumentException("a master is http(s)://HOST:PORT, not " + address);
      return new Uri(url.AbsoluteUri.TrimEnd('/') + "/v1/match");
    }
  }

  // One call of FindSeatAsync.
  sealed class Search
  {
    const int DefaultAnswerMs = 35000;  // where the request has no wait_ms
    const int GraceMs = 5000;           // what an answer may take beyond wait_ms
    const int AnswerBytes = 64 * 1024;
    const double FirstPauseMs = 500, LongestPauseMs = 8000;
    const string Problem = "urn:fixkeep:error:";
    static readonly string[] Elsewhere = { "not-ready", "stopping", "too-many-connections" };

    readonly Uri[] order;
    readonly ITransport transport;
    readonly MatchOptions options;
    readonly Func<double> random;
    readonly byte[] body;
    readonly CancellationToken cancel;
    readonly double[] ready;  // when each master may be asked again
    readonly double end, answerMs;
    int tries, next;
    MatchException last =
      new MatchException(MatchOutcome.TooLate, "", "no master was asked", 0);

    public Search(Uri[] order, ITransport transport, MatchOptions options, Func<double> random,
                  IDictionary<string, object> wanted, CancellationToken cancel)
    {
      this.order = order;
      this.transport = transport;
      this.options = options;
      this.random = random;
      this.cancel = cancel;
      body = Encoding.UTF8.GetBytes(Json.Write(wanted));
      answerMs = wanted.TryGetValue("wait_ms", out var wait)
        ? Convert.ToDouble(wait) + GraceMs
        : DefaultAnswerMs;
      ready = new double[order.Length];
      end = transport.NowMs + options.LimitMs;
    }

    public async Task<Dictionary<string, object>> Run()
    {
      var token = options.Token == null ? null : Checked(await options.Token(false));
      var renewed = false;
      while (true)
      {
        var at = await AwaitAMaster();
        HttpAnswer answer = null;
        try
        {
          var ms = Math.Max(1, Math.Min(answerMs, end - transport.NowMs));
          answer = await transport.Post(order[at], token, body, AnswerBytes, (int)ms, cancel);
        }
        catch (Exception error)
        {
          PauseFor(at, true, "", order[at].Authority + ": " + error.Message, 0, "");
        }
        if (cancel.IsCancellationRequested) throw Cancelled();
        var found = answer == null ? null : ObjectOf(answer.Body);
        if (answer != null && answer.Status == 200 && IsSeat(found)) return found;
        if (answer != null && answer.Status == 401 && options.Token != null && !renewed)
        {
          token = Checked(await options.Token(true));
          renewed = true;
          next = at;
          continue;
        }
        renewed = false;
        if (answer != null) Consider(at, answer, found);
      }
    }

    void Consider(int at, HttpAnswer answer, Dictionary<string, object> found)
    {
      found.TryGetValue("type", out var said);
      var type = said as string;
      if (type == null || !type.StartsWith(Problem, StringComparison.Ordinal))
      {
        // Somebody else speaks for this master, such as a balancer: another one may be
        // reached.
        var trouble = order[at].Authority + ": status " + answer.Status;
        PauseFor(at, true, "", trouble, 0, answer.RetryAfter);
        return;
      }
      type = type.Substring(Problem.Length);
      found.TryGetValue("detail", out var why);
      var detail = why as string ?? "";
      var status = answer.Status;
      if (status != 408 && status != 429 && status < 500)
        throw new MatchException(MatchOutcome.Refused, type, detail, status);
      PauseFor(at, Elsewhere.Contains(type), type, detail, status, answer.RetryAfter);
    }

    // The next one that may be asked, once it may.
    async Task<int> AwaitAMaster()
    {
      var now = transport.NowMs;
      var at = next;
      for (var i = 1; i < order.Length && ready[at] > now; ++i)
      {
        var other = (next + i) % order.Length;
        if (ready[other] < ready[at]) at = other;
      }
      if (Math.Max(ready[at], now) >= end) throw last;
      if (cancel.IsCancellationRequested) throw Cancelled();
      try
      {
        if (ready[at] > now) await transport.Delay((int)Math.Ceiling(ready[at] - now), cancel);
      }
      catch (OperationCanceledException)
      {
        throw Cancelled();
      }
      next = (at + 1) % order.Length;
      return at;
    }

    void PauseFor(int at, bool elsewhere, string type, string detail, int status, string after)
    {
      var spread = 1 + random() / 2;
      var longest = FirstPauseMs * Math.Pow(2, Math.Min(tries++ / order.Length, 10));
      var pause = Math.Min(LongestPauseMs, longest) * spread / 1.5;
      if (after.Length > 0 && after.Length < 10 && after.All(c => c >= '0' && c <= '9'))
        pause = Math.Max(int.Parse(after) * 1000.0, FirstPauseMs) * spread;
      var until = transport.NowMs + pause;
      for (var i = 0; i < ready.Length; ++i)
        if (i == at || !elsewhere) ready[i] = Math.Max(ready[i], until);
      last = new MatchException(MatchOutcome.TooLate, type, detail, status);
    }

    static MatchException Cancelled()
    {
      return new MatchException(MatchOutcome.Cancelled, "", "cancelled", 0);
    }

    // A token that would end its line would say more than a token.
    static string Checked(string token)
    {
      Func<char, bool> fits =
        c => c < 128 && (char.IsLetterOrDigit(c) || "-._~+/=".IndexOf(c) >= 0);
      if (token != null && !token.All(fits))
        throw new ArgumentException("a token has letters, digits and -._~+/= alone (RFC 6750)");
      return token;
    }

    // Empty if it is no object: answers of balancers are anything.
    static Dictionary<string, object> ObjectOf(string text)
    {
      return Json.Read(text) as Dictionary<string, object> ?? new Dictionary<string, object>();
    }

    static bool IsSeat(Dictionary<string, object> answer)
    {
      foreach (var name in new[] { "room_id", "address", "seat_token" })
        if (!answer.TryGetValue(name, out var text) || !(text is string)) return false;
      answer.TryGetValue("port", out var port);
      return port is long number && number > 0 && number < 65536;
    }
  }
}
