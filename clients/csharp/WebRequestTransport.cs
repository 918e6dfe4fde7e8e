// SPDX-License-Identifier: MIT
// Requests by HttpWebRequest, which .NET, Mono and Unity (but for WebGL) have. Each has a
// connection of its own, so that its end is what the master sees. How long a connection may take to
// come up is the runtime's, within the time of the answer.

using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace FixKeep
{
  public sealed class WebRequestTransport : ITransport
  {
    readonly Stopwatch clock = Stopwatch.StartNew();

    public double NowMs => clock.Elapsed.TotalMilliseconds;

    public Task Delay(int ms, CancellationToken cancel) => Task.Delay(ms, cancel);

    public async Task<HttpAnswer> Send(Uri url, HttpCall call, int mostBytes, int timeoutMs,
                                       CancellationToken cancel)
    {
      var request = WebRequest.CreateHttp(url);
      request.Method = call.Method;
      request.Accept = "application/json";
      request.AllowAutoRedirect = request.KeepAlive = false;
      request.ServicePoint.Expect100Continue = false;
      request.ServicePoint.ConnectionLimit = 64;
      request.MaximumResponseHeadersLength = 64;
      request.Proxy = null;
      foreach (var field in call.Fields) request.Headers[field.Key] = field.Value;
      if (!string.IsNullOrEmpty(call.Token))
        request.Headers["Authorization"] = "Bearer " + call.Token;
      using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel))
      {
        ending.CancelAfter(timeoutMs);
        var ended = new TaskCompletionSource<HttpAnswer>();
        using (ending.Token.Register(() => { request.Abort(); ended.TrySetCanceled(); }))
        {
          // Not only Abort, since a request that stands still may not notice it.
          var asked = Ask(request, call.Body, mostBytes);
          var first = await Task.WhenAny(asked, ended.Task);
          // What nobody waits for any more ends with an exception that nobody misses.
          _ = asked.ContinueWith(task => task.Exception, TaskContinuationOptions.OnlyOnFaulted);
          return await first;
        }
      }
    }

    static async Task<HttpAnswer> Ask(HttpWebRequest request, byte[] body, int mostBytes)
    {
      if (body != null)
      {
        request.ContentType = "application/json";
        request.ContentLength = body.Length;
        using (var stream = await request.GetRequestStreamAsync().ConfigureAwait(false))
          await stream.WriteAsync(body, 0, body.Length).ConfigureAwait(false);
      }
      try
      {
        WebResponse response;
        try
        {
          response = await request.GetResponseAsync().ConfigureAwait(false);
        }
        catch (WebException error) when (error.Response != null)
        {
          response = error.Response;  // of a status that is not 200
        }
        using (response)
        using (var source = response.GetResponseStream())
        {
          var read = new MemoryStream();
          var part = new byte[8192];
          while (true)
          {
            var count = await source.ReadAsync(part, 0, part.Length).ConfigureAwait(false);
            if (count <= 0) break;
            read.Write(part, 0, count);
            if (read.Length > mostBytes) throw new IOException("the answer is too long");
          }
          return new HttpAnswer
          {
            Status = (int)((HttpWebResponse)response).StatusCode,
            RetryAfter = response.Headers["Retry-After"] ?? "",
            ETag = response.Headers["ETag"] ?? "",
            Body = new UTF8Encoding(false, true).GetString(read.ToArray()),
          };
        }
      }
      finally
      {
        request.Abort();  // lets go of what was not read
      }
    }
  }
}
