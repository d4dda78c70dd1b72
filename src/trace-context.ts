// The current span, carried by the asynchronous context. Without tracing or sampling there is no span, and
// looking it up takes some nanoseconds. This file does not depend on OpenTelemetry
// (observability/open-telemetry.ts), which is loaded only if traces are configured.
//
// Attributes describe the operation and contain no personal data: no names, account numbers, payers'
// addresses or secrets. Our own ids (client, request, event) identify the records.

import { AsyncLocalStorage } from 'node:async_hooks'

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type TracingSettings = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>> // Attributes of the OpenTelemetry resource.
  readonly sampler: (typeof SAMPLERS)[number]
  readonly share: number // The share of traces that a ratio sampler keeps, from 0 to 1.
}

export type Attributes = Readonly<Record<string, string | number | boolean>>
export type SpanOptions = { kind?: 'server' | 'client'; attributes?: Attributes }

export type Span = {
  readonly traceId: string
  readonly traceparent: string // W3C Trace Context, as sent to others.
  start(name: string, options?: SpanOptions): Span // A child span.
  link(other: Span): void
  set(attributes: Attributes): void
  keep(): void // Marks a held span to be sent.
  end(failure?: unknown): void
}

// `parent` is a traceparent. A held span is sent only if keep() is called.
export type RootOptions = SpanOptions & { parent?: string | undefined; isHeld?: boolean }

export type Tracer = {
  start(name: string, options?: RootOptions): Span | undefined // Undefined if not sampled.
  stop(): Promise<void> // Sends the remaining spans, within a time limit.
}

// `items` is set for work that several callers share. It maps each item, and the name of its result, to the
// item's span.
type Scope = { span: Span; items?: Map<unknown, Span> }

const current = new AsyncLocalStorage<Scope | undefined>()

export function currentSpan(): Span | undefined {
  return current.getStore()?.span
}

// Runs `work` with the span as the current one.
export function within<T>(span: Span | undefined, work: () => T): T {
  return span ? current.run({ span }, work) : work()
}

// Runs work that does not belong to the caller's span, such as a batch that serves many callers.
export function withoutSpan<T>(work: () => T): T {
  return current.getStore() ? current.run(undefined, work) : work()
}

// Runs work that several callers share, such as a batch. `items` maps each item to the span of its caller.
export function withinShared<T>(span: Span, items: Map<unknown, Span>, work: () => T): T {
  return current.run({ span, items }, work)
}

// Runs `work` in a child of the current span, if there is one.
export async function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  const scope = current.getStore()
  if (!scope) return work()
  const span = scope.span.start(name)
  try {
    const result = await current.run({ ...scope, span }, work)
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}

// Gives each item of a shared batch a second name, such as the id of the credit that was made from it, so
// that `spanOf` finds the item's span by that name. `nameAt` returns the name of the item at a position.
export function nameTraced(items: readonly unknown[], nameAt: (place: number) => string): void {
  const spans = current.getStore()?.items
  if (!spans) return
  for (const [place, item] of items.entries()) {
    const span = spans.get(item)
    if (span) spans.set(nameAt(place), span)
  }
}

// Returns the span of the request that caused a new event. `names` name the event's credit and payment,
// such as `credit:42` (traceNames in records/events.ts).
//
// In a batch that several callers share, returns the span that nameTraced() has stored under the first of the
// names that it knows. If it knows none, for example because the caller's request is not traced, returns
// undefined. Outside such a batch, returns the current span, which is undefined if nothing is traced.
export function spanOf(names: readonly string[]): Span | undefined {
  const scope = current.getStore()
  if (!scope?.items) return scope?.span
  for (const name of names) {
    const span = scope.items.get(name)
    if (span) return span
  }
  return undefined
}
