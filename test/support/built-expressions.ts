// Records the regular expressions that the service builds at run time, each with the place that builds it.
// Runs as a worker thread, since it replaces RegExp before it loads the modules named in `workerData`, and
// then calls the functions that build an expression only when they are called.

import { relative } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

export type BuiltExpression = { source: string; flags: string; place: string }

const ROOT = `${import.meta.dirname}/../..`
const built = new Map<string, BuiltExpression>()

function record(expression: RegExp): RegExp {
  const caller = (new Error().stack ?? '').split('\n')[3] ?? ''
  const [, path = '', line = ''] = /file:\/\/(.+?):([0-9]+):[0-9]+\)?$/.exec(caller) ?? []
  const place = `${relative(ROOT, path)}:${line}`
  if (!place.startsWith('src/')) return expression // A package builds it.
  const { source, flags } = expression
  built.set(`${place} ${expression}`, { source, flags, place })
  return expression
}

globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, values) => record(new target(...(values as [string]))),
  apply: (target, _, values) => record(target(...(values as [string]))),
})

for (const path of workerData as readonly string[]) await import(`${ROOT}/${path}`)

const { loadProfiles } = await import('#banks/statements/csv-profile.ts')
const { CsvLines } = await import('#banks/statements/csv-lines.ts')
for (const { profile } of loadProfiles().profiles.values()) new CsvLines(profile, {})
const { readPhrase } = await import('#reports/search-phrase.ts')
for (const text of ['today', 'last monday', '3 March 2026', 'March 3', '2026-03-03', 'credits']) {
  readPhrase(text, new Date())
}

parentPort?.postMessage([...built.values()])
