// Sends traces to an OpenTelemetry collector. Ended spans are queued, and sent in the background (OTLP,
// protobuf over HTTP). If more than 2,048 wait, further ones are dropped, so a slow or missing collector
// loses traces but never delays requests. wiring.ts loads this file only if traces are configured.

import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type {
  Attributes,
  RootOptions,
  Span,
  SpanOptions,
  Tracer,
  TracingSettings,
} from '#trace-context.ts'

const STOP_MAX_MS = 2_000
const SEND_MAX_MS = 10_000
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

type Options = TracingSettings & { onSent: (spans: number, isSent: boolean) => void }

// Creates a tracer that sends its spans to the configured collector.
export function openTelemetry({ onSent, ...settings }: Options): Tracer {
  const { url, headers, serviceName, attributes } = settings
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MAX_MS })
  const sampler = samplerOf(settings)
  const ids = new TraceIds()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...attributes, 'service.name': serviceName }),
    sampler,
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter: countingExporter(exporter, onSent) })],
  })
  const tracer = provider.getTracer('manilla')
  return {
    start: (name, options = {}) => startRoot({ tracer, sampler, ids }, name, options),
    stop: async () => {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, STOP_MAX_MS).unref())
      await Promise.race([provider.shutdown().catch(() => {}), timeout])
    },
  }
}

// Returns the sampler that a setting such as parentbased_traceidratio names. A parent-based sampler follows
// the caller's decision, and decides itself only for a request without a parent.
function samplerOf({ sampler, share }: TracingSettings): Sampler {
  const name = sampler.replace('parentbased_', '')
  const root =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'always_on'
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(share)
  return name === sampler ? root : new ParentBasedSampler({ root })
}

// Reports to `onSent` how many spans each attempt to send had, and whether it succeeded.
function countingExporter(exporter: SpanExporter, onSent: Options['onSent']): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        onSent(spans.length, result.error === undefined)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

// Parses the caller's traceparent header. Ignores an invalid one, as the standard requires.
function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags = '00'] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (!traceId || !spanId) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

// Generates random ids, but uses `next` as the next trace id if it is set.
class TraceIds extends RandomIdGenerator {
  next: string | undefined

  override generateTraceId(): string {
    const id = this.next ?? super.generateTraceId()
    this.next = undefined
    return id
  }
}

type Provider = { tracer: OtelTracer; sampler: Sampler; ids: TraceIds }

// Starts the first span of a trace in this process, or returns undefined if the trace is not sampled. Asks
// the sampler before creating a span: most requests are not sampled, and asking takes 5 µs, while creating
// and dropping a span takes 17 µs (with other work on all cores). With `isHeld`, the spans are sent only
// after a call of keep(): most rounds of a worker do nothing worth a trace.
function startRoot({ tracer, sampler, ids }: Provider, name: string, options: RootOptions) {
  const { parent, isHeld = false, ...spanOptions } = options
  const context = contextOf(parent)
  const parentTraceId = trace.getSpanContext(context)?.traceId
  const traceId = parentTraceId ?? ids.generateTraceId()
  const { decision } = sampler.shouldSample(context, traceId, name, SpanKind.INTERNAL, {}, [])
  if (decision === SamplingDecision.NOT_RECORD) return undefined
  if (!parentTraceId) ids.next = traceId // The sampler decided for this id.
  const span = tracer.startSpan(name, toOtel(spanOptions), context)
  return new TracedSpan({ tracer, span, context, held: isHeld ? new HeldSpans() : undefined })
}

function toOtel({ kind, attributes = {} }: SpanOptions) {
  return { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes }
}

// Holds the ended spans of a trace until it is known whether the trace is worth sending (keep).
class HeldSpans {
  #ended: (() => void)[] | undefined = []

  // Notes when the span ended. Only keep() passes the held spans to the exporter.
  end(span: OtelSpan): void {
    const endedAt = performance.now()
    if (this.#ended) this.#ended.push(() => span.end(endedAt))
    else span.end()
  }

  // Ends the held spans at the times that were noted. Later spans are no longer held.
  keep(): void {
    for (const end of this.#ended ?? []) end()
    this.#ended = undefined
  }
}

type SpanParts = {
  tracer: OtelTracer
  span: OtelSpan
  context: Context
  held: HeldSpans | undefined
}

class TracedSpan implements Span {
  readonly #parts: SpanParts

  constructor(parts: SpanParts) {
    this.#parts = parts
  }

  get traceId(): string {
    return this.#parts.span.spanContext().traceId
  }

  // The header that passes this trace on to other services.
  get traceparent(): string {
    const { traceId, spanId } = this.#parts.span.spanContext()
    return `00-${traceId}-${spanId}-01`
  }

  // Starts a child of this span.
  start(name: string, options: SpanOptions = {}): Span {
    const { tracer, span, context: outer, held } = this.#parts
    const context = trace.setSpan(outer, span)
    return new TracedSpan({
      tracer,
      span: tracer.startSpan(name, toOtel(options), context),
      context,
      held,
    })
  }

  // Links this span to another one, for example of another caller of the same batch.
  link(other: Span): void {
    if (!(other instanceof TracedSpan)) return
    this.#parts.span.addLink({ context: other.#parts.span.spanContext() })
  }

  set(attributes: Attributes): void {
    this.#parts.span.setAttributes(attributes)
  }

  keep(): void {
    this.#parts.held?.keep()
  }

  // Ends the span. Records only the code or class of a failure, because its message may quote personal data.
  end(failure?: unknown): void {
    const { span, held } = this.#parts
    if (failure !== undefined) {
      const { code, name } = failure as { code?: unknown; name?: unknown }
      span.setAttribute('error.type', String(code ?? name ?? 'unknown'))
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    if (held) held.end(span)
    else span.end()
  }
}
