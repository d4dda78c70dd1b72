// Settings of the log, /metrics and traces. The settings of traces have the names and meanings of
// OpenTelemetry.

import { SAMPLERS, type TracingSettings } from '#trace-context.ts'
import * as values from './setting-parsers.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type Observability = {
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly loggedShare: number // The logged share of successful requests.
  readonly metricsToken: string | undefined // Unset: /metrics is open in the sandbox, absent in live mode.
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
type Values = { [name in keyof Settings]?: NonNullable<ReturnType<Settings[name]>> }

export function readObservability(settings: Values): Observability {
  return {
    logLevel: settings.LOG_LEVEL ?? 'info',
    loggedShare: settings.MANILLA_LOG_REQUESTS ?? 0,
    metricsToken: settings.MANILLA_METRICS_TOKEN,
    tracing: readTracing(settings),
  }
}

function readTracing(settings: Values): TracingSettings | undefined {
  const base = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`)
  if (!url || settings.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: settings.OTEL_SERVICE_NAME ?? 'manilla',
    attributes: settings.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: settings.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    share: settings.OTEL_TRACES_SAMPLER_ARG ?? 1,
  }
}
