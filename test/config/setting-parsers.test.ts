// An invalid value of a setting is refused with one sentence that says which values are valid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTINGS } from '#config/config.ts'
import type { Parser } from '#config/setting-parsers.ts'

const KEY = Buffer.alloc(32, 'k').toString('base64')
const OTHER_KEY = Buffer.alloc(32, 'o').toString('base64')

for (const [name, value] of [
  ['MANILLA_TOKEN_SECRETS', `${KEY},`],
  ['MANILLA_TOKEN_SECRETS', `!${KEY}`],
  ['MANILLA_HASH_KEY', KEY.replace('=', '!=')],
  ['MANILLA_TOKEN_SECRETS', Buffer.alloc(31).toString('base64')],
  ['MANILLA_DATA_KEYS', KEY],
  ['MANILLA_DATA_KEYS', `256:${KEY}`],
  ['MANILLA_DATA_KEYS', `1:${KEY},01:${OTHER_KEY}`],
  ['MANILLA_DATA_KEYS', `1:${Buffer.alloc(33).toString('base64')}`],
  ['MANILLA_HASH_KEY', Buffer.alloc(33).toString('base64')],
  ['PORT', '8080.0'],
  ['PORT', '1e3'],
  ['MANILLA_METRICS_TOKEN', 'too-short'],
  ['MANILLA_METRICS_TOKEN', 'with a blank in it'],
  ['MANILLA_LOG_REQUESTS', '1.5'],
  ['MANILLA_LOG_REQUESTS', '1e-3'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0d%0ab: c'],
  ['OTEL_SERVICE_NAME', 'two words'],
  ['PORT', '٨٠٨٠'],
  ['HOST', '256.0.0.1'],
  ['MANILLA_LIMIT_PER_CREDIT', '0'],
  ['MANILLA_LIMIT_PER_CREDIT', '10.001'],
  ['MANILLA_LIMIT_PER_DAY', '1,000'],
  ['MANILLA_LIMIT_PER_DAY', '10000000000000.01'],
  ['PUBLIC_URL', 'ftp://pay.shop.ng'],
  ['PUBLIC_URL', 'https://user:word@pay.shop.ng'],
  ['PUBLIC_URL', 'https://pay.shop.ng/?'],
  ['PUBLIC_URL', 'https://pay.shop.ng/#top'],
  ['MANILLA_TRUSTED_PROXIES', '10.0.0.0/0'],
  ['MANILLA_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['MANILLA_TRUSTED_PROXIES', '10.0.0.1,'],
  ['MANILLA_TRUSTED_PROXIES', '10.0.0.0/255.0.0.0'],
  ['MANILLA_TRUSTED_PROXIES', 'fe80::1%eth0'],
  ['MANILLA_RATE_LIMITS', 'everything=1'],
  ['MANILLA_RATE_LIMITS', 'login=1,login=2'],
  ['MANILLA_RATE_LIMITS', 'login=-1'],
  ['MANILLA_RATE_LIMITS', 'login=60000001'],
  ['MANILLA_RATE_LIMITS', 'login=1,'],
  ['MANILLA_RATE_LIMITS', 'login'],
  ['DATABASE_URL', 'postgres://'],
  ['DATABASE_REPLICA_URL', 'postgres://m@a,b/manilla'],
  ['DATABASE_URL', '/var/run/postgresql'],
  ['DATABASE_URL', 'postgres://u@db/manilla?pooler=session'],
  ['DATABASE_REPLICA_URL', 'postgres://u@db/manilla?pooler=transaction'],
] as const) {
  test(`${name} refuses ${JSON.stringify(value)}`, () => {
    const sentences: string[] = []
    const parse: Parser<unknown> = SETTINGS[name]
    parse(value, (sentence) => sentences.push(sentence))

    assert.equal(sentences.length, 1)
    assert.match(sentences[0] ?? '', /\bmust be\b|\bmust look like\b|\brepeats\b/)
  })
}
