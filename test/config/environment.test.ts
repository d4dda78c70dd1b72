// Settings come from the environment and from the file .env in the working folder. .env.example lists them
// all.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { ConfigProblem, loadConfig, readEnvironment, SETTINGS } from '#config/config.ts'
import { SECRETS } from '../support/settings.ts'
import { createTempFolder } from '../support/temp-folder.ts'

test('a .env file is read, and the real environment wins over it', () => {
  using folder = createTempFolder()
  writeFileSync(join(folder.path, '.env'), 'PORT=1\nHOST="::1" # here\n')

  const env = readEnvironment(folder.path, { PORT: '2' })

  assert.deepEqual(env, { PORT: '2', HOST: '::1' })
})

test('a missing .env file is fine; one that cannot be read is a problem', () => {
  using folder = createTempFolder()

  assert.deepEqual(readEnvironment(folder.path, { PORT: '2' }), { PORT: '2' })
  assert.throws(() => readEnvironment('/dev/null', {}), ConfigProblem)
})

test('an archive folder with an external database is refused: it would archive nothing', () => {
  const env = { ...SECRETS, DATABASE_URL: 'postgres://m@db/m', MANILLA_BACKUP_DIR: '/mnt/backups' }

  const problem =
    /^Invalid configuration:\n- MANILLA_BACKUP_DIR is for the embedded database[^\n]*$/
  assert.throws(() => loadConfig(env, 'serve'), { message: problem })
})

test('.env.example names exactly the settings there are, each with its default', () => {
  const text = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8')
  const uncommented = parseEnv(text.replaceAll(/^#(?=[A-Z_]+=)/gm, ''))

  const named = [...text.matchAll(/^#([A-Z_]+)=(.*)$/gm)]
  const withoutDefault = named.filter(([, , value]) => value === '').map(([, name]) => name)
  assert.deepEqual(
    named.map(([, name]) => name),
    Object.keys(SETTINGS),
  )
  assert.deepEqual(withoutDefault, [
    'MANILLA_WORKER_PORT',
    'MANILLA_TRUSTED_PROXIES',
    'MANILLA_RATE_LIMITS',
    'DATABASE_URL',
    'MANILLA_BACKUP_DIR',
    'DATABASE_REPLICA_URL',
    ...['MANILLA_TOKEN_SECRETS', 'MANILLA_DATA_KEYS', 'MANILLA_HASH_KEY'],
    ...['MANILLA_BANKS_FILE', 'MANILLA_CHART_FILE', 'MANILLA_STATEMENTS_FOLDER'],
    'MANILLA_STATEMENT_PROFILES',
    ...['MANILLA_IDENTITY_URL', 'MANILLA_IDENTITY_SECRET'],
    'MANILLA_LIMIT_PER_CREDIT',
    'MANILLA_LIMIT_PER_DAY',
    ...['MANILLA_SMTP_URL', 'MANILLA_MAIL_FROM'],
    ...['MANILLA_MESSAGE_GATEWAY_URL', 'MANILLA_MESSAGE_GATEWAY_SECRET'],
    'MANILLA_METRICS_TOKEN',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_RESOURCE_ATTRIBUTES',
  ])
  const files = {
    readText: () => assert.fail('no file is named'),
    findSecrets: () => SECRETS,
    makeSecrets: () => assert.fail('there are secrets already'),
  }
  assert.deepEqual(loadConfig(uncommented, undefined, files), loadConfig({}, undefined, files))
  assert.match(text, /^(?:(?:# .+\n)+\n)(?:# .+\n#[A-Z_]+=.*\n\n?)+$/)
})
