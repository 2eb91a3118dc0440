/** A collector of OpenTelemetry that keeps what it is sent. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Names of metrics. */
  readonly metrics: ReadonlySet<string>;
  readonly headers: readonly IncomingHttpHeaders[];
}

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON
type Json = any;

/** `status`: of every answer. */
export async function startOtlpReceiver(status = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    headers.push(request.headers);
    const body: Json = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      const service = attributesOf(resource)["service.name"] as string;
      for (const span of scopeSpans.flatMap((scope: Json) => scope.spans)) spans.push({ ...span, service, attributes: attributesOf(span) });
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { name } of scopeMetrics.flatMap((scope: Json) => scope.metrics)) metrics.add(name);
    response.writeHead(status, { "content-type": "application/json" });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function attributesOf({ attributes }: Json): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }: Json) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]));
}
