// Traces over OpenTelemetry. Spans are queued (at most 2,048; the rest are dropped) and sent to the
// collector in the background (OTLP, protobuf over HTTP). A slow or missing collector costs traces,
// never requests. wiring.ts loads this file if traces are configured.

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

export function openTelemetry({ onSent, ...settings }: Options): Tracer {
  const { url, headers, serviceName, attributes } = settings
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MAX_MS })
  const sampler = samplerOf(settings)
  const ids = new Ids()
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

// An invalid traceparent is ignored, as the standard requires.
function contextOf(parent: string | undefined): Context {
  const [, traceId, spanId, flags = '00'] = TRACEPARENT.exec(parent ?? '') ?? []
  if (!traceId || !spanId) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

// Generates random ids. If `next` is set, it is the next trace id.
class Ids extends RandomIdGenerator {
  next: string | undefined

  override generateTraceId(): string {
    const id = this.next ?? super.generateTraceId()
    this.next = undefined
    return id
  }
}

type Roots = { tracer: OtelTracer; sampler: Sampler; ids: Ids }

// Checks the sampler before it creates a span. Nearly all requests are not sampled, and the check takes 5 µs,
// while creating and dropping a span takes 17 µs (with other work on all cores).
function startRoot({ tracer, sampler, ids }: Roots, name: string, options: RootOptions) {
  const { parent, isHeld = false, ...rest } = options
  const context = contextOf(parent)
  const parentTraceId = trace.getSpanContext(context)?.traceId
  const traceId = parentTraceId ?? ids.generateTraceId()
  const { decision } = sampler.shouldSample(context, traceId, name, SpanKind.INTERNAL, {}, [])
  if (decision === SamplingDecision.NOT_RECORD) return undefined
  if (!parentTraceId) ids.next = traceId
  const span = tracer.startSpan(name, toOtel(rest), context)
  return new TracedSpan({ tracer, span, context, held: isHeld ? new HeldSpans() : undefined })
}

function toOtel({ kind, attributes = {} }: SpanOptions) {
  return { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes }
}

// Holds ended spans until the code decides whether to send them.
class HeldSpans {
  #ended: (() => void)[] | undefined = []

  end(span: OtelSpan): void {
    const at = performance.now()
    if (this.#ended) this.#ended.push(() => span.end(at))
    else span.end()
  }

  keep(): void {
    for (const end of this.#ended ?? []) end()
    this.#ended = undefined
  }
}

type Parts = { tracer: OtelTracer; span: OtelSpan; context: Context; held: HeldSpans | undefined }

class TracedSpan implements Span {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get traceId(): string {
    return this.#parts.span.spanContext().traceId
  }

  get traceparent(): string {
    const { traceId, spanId } = this.#parts.span.spanContext()
    return `00-${traceId}-${spanId}-01`
  }

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

  // Records only the failure's code or class, because messages quote values.
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
