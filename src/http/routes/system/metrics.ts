// GET /metrics, for Prometheus: what the processes of this service count, and figures of the database,
// which are read at most every FIGURES_MAX_AGE_MS, however many ask. Open in the sandbox; in live mode
// it takes MANILLA_METRICS_TOKEN, and does not exist without.

import type { FastifyPluginAsync } from 'fastify'
import { Gauge, Registry } from 'prom-client'
import { isSecretEqual } from '#banks/secret-equality.ts'
import { FIGURES, readFigure } from '#domain/reports/operating-figures.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'

const FIGURES_MAX_AGE_MS = 10_000

export const metricsRoutes: FastifyPluginAsync<Deps> = async (app, deps) => {
  const { mode, metricsToken, metrics, readMetrics } = deps
  if (mode === 'live' && metricsToken === undefined) return
  const figures = cachedFigures(deps)

  app.get(
    '/metrics',
    { config: { rate: 'none' }, schema: { hide: true } },
    async ({ headers }, reply) => {
      const isAllowed =
        metricsToken === undefined ||
        isSecretEqual(headers.authorization ?? '', `Bearer ${metricsToken}`)
      if (!isAllowed) throw new Refusal('unauthorized')
      const [counted, read] = await Promise.all([readMetrics(), figures()])
      reply.type(metrics.registry.contentType)
      return `${counted}\n${read}`
    },
  )
}

// One failing figure leaves out itself alone: the rest is needed most when something is wrong.
function cachedFigures({ probes, clock, log, banks }: Deps): () => Promise<string> {
  let [text, readAtMs] = [Promise.resolve(''), Number.NEGATIVE_INFINITY]
  const read = async () => {
    const registry = new Registry()
    for (const kind of FIGURES) {
      const { name, help, labels } = kind
      const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] })
      try {
        for (const { labels: of, value } of await readFigure(
          probes,
          { now: clock(), banks },
          kind,
        )) {
          gauge.set(of, value)
        }
      } catch (error) {
        log.warn({ err: error, figure: name }, 'figure not read')
        registry.removeSingleMetric(name)
      }
    }
    return registry.metrics()
  }
  return () => {
    const nowMs = performance.now()
    if (nowMs - readAtMs >= FIGURES_MAX_AGE_MS) [text, readAtMs] = [read(), nowMs]
    return text
  }
}
