// Traces of requests, batches, deliveries and rounds (docs/observability.md), if a collector is
// configured. Otherwise OpenTelemetry is not loaded.

import type { Logger } from '#log.ts'
import type { Tracer, TracingSettings } from '#trace-context.ts'
import type { Metrics } from './metrics.ts'

const COMPLAIN_EVERY_MS = 60_000

export async function startTracing(
  settings: TracingSettings | undefined,
  { metrics, log }: { metrics: Metrics; log: Logger },
): Promise<Tracer | undefined> {
  if (!settings) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  let complainedMs = Number.NEGATIVE_INFINITY
  const onSent = (spans: number, isSent: boolean) => {
    metrics.spans.inc({ result: isSent ? 'sent' : 'lost' }, spans)
    if (isSent || performance.now() - complainedMs < COMPLAIN_EVERY_MS) return
    complainedMs = performance.now()
    log.warn({ spans }, 'traces not taken by the collector')
  }
  return openTelemetry({ ...settings, onSent })
}
