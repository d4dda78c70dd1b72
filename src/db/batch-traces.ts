// Traces of batches. Each traced caller has a span of its own from its request to the commit, so that its
// trace says how long it waited; the first of them has the writing, which the others link to.

import { currentSpan, type Span, withinShared, withoutSpan } from '#trace-context.ts'

type Entry = { items: readonly unknown[]; span: Span | undefined }

export function startWaiting(name: string | undefined, items: number): Span | undefined {
  if (name === undefined) return undefined
  return currentSpan()?.start(`batch ${name}`, { attributes: { 'manilla.items': items } })
}

// A batch that nobody traces must not run within whatever trace happened to start it.
export function traceBatch<T>(entries: readonly Entry[], work: () => Promise<T>): Promise<T> {
  for (const { span } of entries) if (span) return traced(entries, span, work)
  return withoutSpan(work)
}

async function traced<T>(
  entries: readonly Entry[],
  first: Span,
  work: () => Promise<T>,
): Promise<T> {
  const writing = first.start('write', { attributes: { 'manilla.items': countItems(entries) } })
  const items = new Map<unknown, Span>()
  for (const { span, items: own } of entries) {
    if (!span) continue
    if (span !== first) span.link(writing)
    if (span !== first) writing.link(span)
    for (const item of own) items.set(item, span)
  }
  try {
    return await withinShared(writing, items, work)
  } finally {
    writing.end()
    for (const { span } of entries) span?.end()
  }
}

function countItems(entries: readonly Entry[]): number {
  return entries.reduce((sum, { items }) => sum + items.length, 0)
}
