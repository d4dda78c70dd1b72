// What the service tells of itself: its log, /metrics, and traces, whose settings have the names and the
// meaning that OpenTelemetry gives them.

import { SAMPLERS, type TracingSettings } from '#trace-context.ts'
import * as values from './setting-parsers.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type Observability = {
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly loggedShare: number // of the requests that went well
  readonly metricsToken: string | undefined // undefined: /metrics is open in the sandbox, absent in live mode
  readonly tracing: TracingSettings | undefined
}

export const OBSERVABILITY_SETTINGS = {
  MANILLA_METRICS_TOKEN: values.metricsToken,
  LOG_LEVEL: values.oneOf(LOG_LEVELS),
  MANILLA_LOG_REQUESTS: values.share,
  OTEL_EXPORTER_OTLP_ENDPOINT: values.webAddress,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: values.webAddress,
  OTEL_EXPORTER_OTLP_HEADERS: values.pairs,
  OTEL_SERVICE_NAME: values.serviceName,
  OTEL_RESOURCE_ATTRIBUTES: values.pairs,
  OTEL_TRACES_SAMPLER: values.oneOf(SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: values.share,
  OTEL_SDK_DISABLED: values.oneOf(['true', 'false']),
} as const

type Settings = typeof OBSERVABILITY_SETTINGS
type Given = { [name in keyof Settings]?: NonNullable<ReturnType<Settings[name]>> }

export function readObservability(given: Given): Observability {
  return {
    logLevel: given.LOG_LEVEL ?? 'info',
    loggedShare: given.MANILLA_LOG_REQUESTS ?? 0,
    metricsToken: given.MANILLA_METRICS_TOKEN,
    tracing: readTracing(given),
  }
}

// Undefined: no traces.
function readTracing(given: Given): TracingSettings | undefined {
  const base = given.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`)
  if (!url || given.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url,
    headers: given.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: given.OTEL_SERVICE_NAME ?? 'manilla',
    attributes: given.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: given.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    share: given.OTEL_TRACES_SAMPLER_ARG ?? 1,
  }
}
