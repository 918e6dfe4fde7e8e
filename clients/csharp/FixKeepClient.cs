// SPDX-License-Identifier: MIT
// Asks the masters of FIX Keep for a seat. C# 7, for .NET, Mono and Unity. It needs
// FixKeepTickets.cs, Json.cs and a transport: WebRequestTransport.cs, or UnityTransport.cs.
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

  public sealed class HttpCall
  {
    public string Method, Path;
    public byte[] Body;  // null: none; otherwise JSON
    public Dictionary<string, string> Fields = new Dictionary<string, string>();
    public string Token;  // null or "": none
    public double AnswerMs;
  }

  public sealed class HttpAnswer
  {
    public int Status;
    public string RetryAfter = "";
    public string ETag = "";
    public string Body = "";
  }

  // How requests are made and time passes. Redirects are not followed.
  public interface ITransport
  {
    double NowMs { get; }
    Task Delay(int ms, CancellationToken cancel);

    // Throws whatever it likes where there is no answer, or one of more than mostBytes;
    // after timeoutMs, or if the caller cancels, it hangs up.
    Task<HttpAnswer> Send(Uri url, HttpCall call, int mostBytes, int timeoutMs,
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
      return new MatchSearch(wanted) { Asking = Ask(cancel) }.Run();
    }

    // The seat, as FindSeatAsync returns it. A ticket keeps the player's age where a connection
    // breaks or a master ends: for waits of more than a few seconds. onChange hears each new state:
    // waiting, matched, ready. It gets the answer about the ticket (docs/api.md, "Tickets"):
    // "state", "ticket", and where the master knows them "estimate" and "why". To go on after a
    // restart, store "ticket" and give it to ResumeAsync. The CancellationToken ends the ticket,
    // which takes up to five seconds. After TooLate the ticket is still valid; without ResumeAsync
    // it ends by itself.
    public Task<Dictionary<string, object>> FindSeatByTicketAsync(
      IDictionary<string, object> wanted, CancellationToken cancel = default(CancellationToken),
      Action<Dictionary<string, object>> onChange = null)
    {
      var body = Encoding.UTF8.GetBytes(Json.Write(wanted));
      return new TicketSearch(body, null, onChange) { Asking = Ask(cancel) }.Run();
    }

    // Goes on with a ticket that FindSeatByTicketAsync has told: the rest is as there.
    public Task<Dictionary<string, object>> ResumeAsync(
      string ticket, CancellationToken cancel = default(CancellationToken),
      Action<Dictionary<string, object>> onChange = null)
    {
      if (!TicketSearch.IsTicket(ticket)) throw new ArgumentException("this is no ticket");
      return new TicketSearch(null, ticket, onChange) { Asking = Ask(cancel) }.Run();
    }

    Asking Ask(CancellationToken cancel)
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
      return new Asking(order, transport, options, random, cancel);
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
      return new Uri(url.AbsoluteUri.TrimEnd('/') + "/");
    }
  }

  // Asks one master after the other for what a search wants.
  sealed class Asking
  {
    const int AnswerBytes = 64 * 1024;
    const double FirstPauseMs = 500, LongestPauseMs = 8000;
    static readonly string[] Elsewhere =
      { "not-ready", "stopping", "too-many-connections", "already-waiting" };

    readonly Uri[] order;
    readonly ITransport transport;
    readonly MatchOptions options;
    readonly Func<double> random;
    readonly CancellationToken cancel;
    readonly double[] ready;  // when each master may be asked again
    readonly double end;
    string token;
    int tries, next;
    MatchException last =
      new MatchException(MatchOutcome.TooLate, "", "no master was asked", 0);

    public Asking(Uri[] order, ITransport transport, MatchOptions options, Func<double> random,
                  CancellationToken cancel)
    {
      this.order = order;
      this.transport = transport;
      this.options = options;
      this.random = random;
      this.cancel = cancel;
      ready = new double[order.Length];
      end = transport.NowMs + options.LimitMs;
    }

    public double NowMs => transport.NowMs;

    public async Task<Dictionary<string, object>> Run(Search search)
    {
      token = options.Token == null ? null : Checked(await options.Token(false));
      var renewed = false;
      while (true)
      {
        var at = await AwaitAMaster();
        var call = search.Call(at);
        HttpAnswer answer = null;
        try
        {
          answer = await Send(at, call, end, cancel);
        }
        catch (Exception error)
        {
          PauseFor(at, true, "", order[at].Authority + ": " + error.Message, 0, "");
        }
        if (cancel.IsCancellationRequested) throw Cancelled();
        if (answer != null && answer.Status == 401 && options.Token != null && !renewed)
        {
          token = Checked(await options.Token(true));
          renewed = true;
          next = at;
          continue;
        }
        renewed = false;
        if (answer == null) continue;
        var found = Answers.ObjectOf(answer.Body);
        var taken = search.Take(at, answer, found);
        if (taken == null) Consider(at, answer, found);
        else if (taken != Search.GoOn) return taken;
      }
    }

    public Task<HttpAnswer> Send(int at, HttpCall call, double end, CancellationToken cancel)
    {
      call.Token = token;
      var ms = Math.Max(1, Math.Min(call.AnswerMs, end - transport.NowMs));
      var url = new Uri(order[at], call.Path);
      return transport.Send(url, call, AnswerBytes, (int)ms, cancel);
    }

    // Asks this master again: from that time on, or when it said.
    public void GoOn(int at, double fromMs, string after)
    {
      if (IsNumber(after)) fromMs = transport.NowMs + PauseAfter(after);
      for (var i = 0; i < ready.Length; ++i) ready[i] = Math.Max(ready[i], fromMs);
      next = at;
      tries = 0;
    }

    void Consider(int at, HttpAnswer answer, Dictionary<string, object> found)
    {
      var type = Answers.TypeOf(found);
      if (type == "")
      {
        // Somebody else speaks for this master, such as a balancer: another one may be
        // reached.
        var trouble = order[at].Authority + ": status " + answer.Status;
        PauseFor(at, true, "", trouble, 0, answer.RetryAfter);
        return;
      }
      var detail = Answers.TextOf(found, "detail");
      var elsewhere = Elsewhere.Contains(type);
      var status = answer.Status;
      if (!elsewhere && status != 408 && status != 429 && status < 500)
        throw new MatchException(MatchOutcome.Refused, type, detail, status);
      PauseFor(at, elsewhere, type, detail, status, answer.RetryAfter);
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
      var longest = FirstPauseMs * Math.Pow(2, Math.Min(tries++ / order.Length, 10));
      var pause = IsNumber(after)
        ? PauseAfter(after)
        : Math.Min(LongestPauseMs, longest) * (1 + random() / 2) / 1.5;
      var until = transport.NowMs + pause;
      for (var i = 0; i < ready.Length; ++i)
        if (i == at || !elsewhere) ready[i] = Math.Max(ready[i], until);
      last = new MatchException(MatchOutcome.TooLate, type, detail, status);
    }

    double PauseAfter(string after)
    {
      return Math.Max(int.Parse(after) * 1000.0, FirstPauseMs) * (1 + random() / 2);
    }

    static bool IsNumber(string after)
    {
      return after.Length > 0 && after.Length < 10 && after.All(c => c >= '0' && c <= '9');
    }

    public static MatchException Cancelled()
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
  }

  // What is asked of a master, and what its answer means.
  abstract class Search
  {
    public static readonly Dictionary<string, object> GoOn = new Dictionary<string, object>();
    public Asking Asking;

    public abstract HttpCall Call(int at);

    // The seat, or GoOn; null: the answer is not the wanted one.
    public abstract Dictionary<string, object> Take(int at, HttpAnswer answer,
                                                    Dictionary<string, object> found);
  }

  // One call of FindSeatAsync.
  sealed class MatchSearch : Search
  {
    const int DefaultAnswerMs = 35000;  // where the request has no wait_ms
    const int GraceMs = 5000;           // what an answer may take beyond wait_ms
    readonly HttpCall call;

    public MatchSearch(IDictionary<string, object> wanted)
    {
      var body = Encoding.UTF8.GetBytes(Json.Write(wanted));
      var answerMs = wanted.TryGetValue("wait_ms", out var wait)
        ? Convert.ToDouble(wait) + GraceMs
        : DefaultAnswerMs;
      call = new HttpCall { Method = "POST", Path = "v1/match", Body = body, AnswerMs = answerMs };
    }

    public Task<Dictionary<string, object>> Run() => Asking.Run(this);

    public override HttpCall Call(int at) => call;

    public override Dictionary<string, object> Take(int at, HttpAnswer answer,
                                                    Dictionary<string, object> found)
    {
      return answer.Status == 200 && Answers.IsSeat(found) ? found : null;
    }
  }

  static class Answers
  {
    const string Problem = "urn:fixkeep:error:";

    // Empty if it is no object: answers of balancers are anything.
    public static Dictionary<string, object> ObjectOf(string text)
    {
      return Json.Read(text) as Dictionary<string, object> ?? new Dictionary<string, object>();
    }

    public static string TextOf(Dictionary<string, object> answer, string name)
    {
      answer.TryGetValue(name, out var text);
      return text as string ?? "";
    }

    // Of a master's problem; "" where it is none.
    public static string TypeOf(Dictionary<string, object> answer)
    {
      var type = TextOf(answer, "type");
      return type.StartsWith(Problem, StringComparison.Ordinal) ? type.Substring(Problem.Length) : "";
    }

    public static bool IsSeat(Dictionary<string, object> answer)
    {
      foreach (var name in new[] { "room_id", "address", "seat_token" })
        if (!answer.TryGetValue(name, out var text) || !(text is string)) return false;
      answer.TryGetValue("port", out var port);
      return port is long number && number > 0 && number < 65536;
    }
  }
}
