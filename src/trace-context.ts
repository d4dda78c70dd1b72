// What is being traced: the span that the running work belongs to, carried by the asynchronous context.
// Off, and for whatever is not sampled, there is none, and asking costs some nanoseconds. Nothing here
// knows of OpenTelemetry (open-telemetry.ts), which is loaded only where traces are wanted.
//
// Attributes name what was done, never whom it concerned: no names, account numbers, addresses of payers
// or secrets. Identifiers of ours (client, request, event) are all there is to find the records by.

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
  readonly attributes: Readonly<Record<string, string>> // Of the resource.
  readonly sampler: (typeof SAMPLERS)[number]
  readonly share: number // Of the ratio samplers.
}

export type Attributes = Readonly<Record<string, string | number | boolean>>
export type SpanOptions = { kind?: 'server' | 'client'; attributes?: Attributes }

export type Span = {
  readonly traceId: string
  readonly traceparent: string // As sent to others: W3C Trace Context.
  start(name: string, options?: SpanOptions): Span // Within this one.
  link(other: Span): void
  set(attributes: Attributes): void
  keep(): void // Of one that is sent only if it was worth it.
  end(failure?: unknown): void
}

// `parent`: a traceparent, of somebody else or of earlier. `isHeld`: sent only if kept.
export type RootOptions = SpanOptions & { parent?: string | undefined; isHeld?: boolean }

export type Tracer = {
  start(name: string, options?: RootOptions): Span | undefined // Undefined: not sampled.
  stop(): Promise<void> // Once all that is left is sent, or soon.
}

// `items`: where several callers share the work, the span of each item and of what became of it.
type Scope = { span: Span; items?: Map<unknown, Span> }

const current = new AsyncLocalStorage<Scope | undefined>()

export function currentSpan(): Span | undefined {
  return current.getStore()?.span
}

export function within<T>(span: Span | undefined, work: () => T): T {
  return span ? current.run({ span }, work) : work()
}

export function withoutSpan<T>(work: () => T): T {
  return current.getStore() ? current.run(undefined, work) : work()
}

// For work that several callers share.
export function withinShared<T>(span: Span, items: Map<unknown, Span>, work: () => T): T {
  return current.run({ span, items }, work)
}

export async function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  const scope = current.getStore()
  if (!scope) return work()
  const span = scope.span.start(name)
  try {
    const answer = await current.run({ ...scope, span }, work)
    span.end()
    return answer
  } catch (error) {
    span.end(error)
    throw error
  }
}

// What became of shared items, by a name that `spanOf` is asked with later.
export function nameTraced(items: readonly unknown[], nameAt: (place: number) => string): void {
  const spans = current.getStore()?.items
  if (!spans) return
  for (const [place, item] of items.entries()) {
    const span = spans.get(item)
    if (span) spans.set(nameAt(place), span)
  }
}

// Of shared work, the span of whichever of these names is known; else that of the work.
export function spanOf(names: readonly string[]): Span | undefined {
  const scope = current.getStore()
  if (!scope?.items) return scope?.span
  for (const name of names) {
    const span = scope.items.get(name)
    if (span) return span
  }
  return undefined
}
