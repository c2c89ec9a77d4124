import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  propagation,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';

const TRACER = 'factmill';

export type SpanOptions = Readonly<{
  /** Ids, counts and sizes only; never text. */
  attributes?: Attributes;
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** A W3C traceparent to continue; the active span otherwise. */
  traceparent?: string | null | undefined;
}>;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Null until a provider is registered: unused spans would cost a twentieth of a request's work. */
function registeredTracer(): Tracer | null {
  const provider = trace.getTracerProvider();
  if (provider instanceof ProxyTracerProvider) return provider.getDelegateTracer(TRACER) ?? null;
  return provider.getTracer(TRACER);
}

/** Runs `work` in a span that ends with it. An error marks the span by its code, not by its message. */
export function withSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const tracer = registeredTracer();
  if (tracer === null) return work(NO_SPAN);
  const parent = options.traceparent ? fromTraceparent(options.traceparent) : context.active();
  return tracer.startActiveSpan(
    name,
    { kind: KINDS[options.kind ?? 'internal'], attributes: options.attributes ?? {} },
    parent,
    async (span) => {
      try {
        return await work(span);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
        span.setStatus({ code: SpanStatusCode.ERROR, message: code });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/** The W3C traceparent of the active span, or null without tracing. */
export function currentTraceparent(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'] ?? null;
}

/** Trace headers for a request to another service. */
export function traceHeaders(): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

function fromTraceparent(traceparent: string): Context {
  return propagation.extract(context.active(), { traceparent });
}
