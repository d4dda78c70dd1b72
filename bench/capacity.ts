// `npm run capacity`: what to run for a load, predicted from measured coefficients.
//   -- --credits-per-second 2000 --clients 500 [--webhooks-per-credit 1] [--share-in-arrays 0]
//      [--reads-per-second 0] [--views-per-second 0]
//   -- --table [--write]      the table of docs/scaling.md
//   -- --calibrate            measures the coefficients on this machine (some minutes, idle cores)
//   -- --check                holds predictions against loads; exits with 1 when one is off by > 20%

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { calibrate, check } from './capacity-calibration.ts'
import { type Coefficients, type Demand, type Prediction, predict } from './capacity-model.ts'
import { startCluster } from './cluster.ts'
import { readOptions } from './options.ts'
import { machine, writeSection } from './report.ts'
import { Testbed } from './testbed.ts'

const COEFFICIENTS = join(import.meta.dirname, 'coefficients.json')
const TOLERANCE = 0.2
const RATES = [10, 100, 1_000, 5_000, 20_000, 100_000]
const WEBHOOKS_PER_CREDIT = 1
const CLIENTS_PER_RATE = 0.05 // A client for every twenty credits a second.

const HEAD = [
  ...['credits a second', 'HTTP processes', 'their cores', 'workers', 'their cores'],
  ...['PostgreSQL cores', 'commits a second', 'log MB/s', 'connections', 'GB a day'],
  'what breaks next',
]

const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const
const flag = { type: 'boolean', default: false } as const

const { values } = parseArgs({
  options: {
    'credits-per-second': number(0),
    'share-in-arrays': number(0),
    'webhooks-per-credit': number(WEBHOOKS_PER_CREDIT),
    'reads-per-second': number(0),
    'views-per-second': number(0),
    clients: number(1),
    table: flag,
    write: flag,
    calibrate: flag,
    check: flag,
    quick: flag,
  },
})

if (values.calibrate) await onTestbed(measureCoefficients)
else if (values.check) await onTestbed(checkPredictions)
else if (values.table) printTable()
else console.log(describe(readDemand()).join('\n'))

function readDemand(): Demand {
  const read = (name: keyof typeof values, most = 1e9) => {
    const value = Number(values[name])
    if (Number.isFinite(value) && value >= 0 && value <= most) return value
    console.error(`--${name} takes a number from 0 to ${most.toLocaleString('en')}.`)
    process.exit(2)
  }
  return {
    creditsPerSecond: read('credits-per-second'),
    shareInArrays: read('share-in-arrays', 1),
    webhooksPerCredit: read('webhooks-per-credit'),
    readsPerSecond: read('reads-per-second'),
    viewsPerSecond: read('views-per-second'),
    clients: Math.max(1, read('clients')),
  }
}

function coefficients(): Coefficients {
  return JSON.parse(readFileSync(COEFFICIENTS, 'utf8'))
}

function describe(demand: Demand): string[] {
  const of = coefficients()
  const found = predict(demand, of)
  const { cores, processes, workers, connections } = found
  const [log, batches] = [round(found.logMbPerSecond), round(found.batchesPerSecond)]
  return [
    `HTTP processes    ${processes} (${round(cores.service)} cores busy)`,
    `worker processes  ${workers} (${round(cores.worker)} cores busy)`,
    `PostgreSQL        ${round(cores.postgres)} cores busy, ${log} MB of log a second`,
    `commits           ${batches} a second, of ${round(found.creditsPerBatch)} credits each`,
    `connections       ${connections}`,
    `storage           ${round(found.storedGbPerDay)} GB a day`,
    ...limits(demand, found, of).map((limit) => `! ${limit}`),
    `Measured on ${of.measuredOn}: ${of.machine}. Leave a third of every core idle.`,
  ]
}

// Names the limit that is reached first.
function limits(demand: Demand, found: Prediction, of: Coefficients): string[] {
  const perClient = demand.creditsPerSecond / demand.clients
  const most = of.clientCreditsPerSecondMax
  return [
    ...(perClient > most
      ? [`a client takes ${round(most)} credits a second at most: its events are numbered in turn`]
      : []),
    ...(found.connections > 500
      ? [`${found.connections} connections: put a pooler in front of PostgreSQL`]
      : []),
    ...(found.cores.postgres > 32
      ? ['more than one PostgreSQL server of 48 cores: split clients over installations']
      : []),
    ...(found.logMbPerSecond > 200 ? ['the log outgrows an ordinary disk: use local NVMe'] : []),
  ]
}

function printTable(): void {
  const of = coefficients()
  const rows = RATES.map((creditsPerSecond) => {
    const clients = Math.max(1, creditsPerSecond * CLIENTS_PER_RATE)
    const views = { readsPerSecond: creditsPerSecond / 10, viewsPerSecond: creditsPerSecond / 100 }
    const demand = { creditsPerSecond, shareInArrays: 0, webhooksPerCredit: 1, ...views, clients }
    const found = predict(demand, of)
    const cells = [
      ...[creditsPerSecond.toLocaleString('en'), found.processes, round(found.cores.service)],
      ...[found.workers, round(found.cores.worker), round(found.cores.postgres)],
      ...[round(found.batchesPerSecond), round(found.logMbPerSecond), found.connections],
      ...[round(found.storedGbPerDay), limits(demand, found, of).join('; ') || '–'],
    ]
    return `| ${cells.join(' | ')} |`
  })
  const body = [`| ${HEAD.join(' | ')} |`, `|${' -: |'.repeat(HEAD.length)}`, ...rows].join('\n')
  console.log(body)
  if (values.write) writeSection('capacity', `${of.machine}\n\n${body}`)
}

async function measureCoefficients(bed: Testbed): Promise<void> {
  const measuredOn = new Date().toISOString().slice(0, 10)
  const found: Coefficients = { machine: machine(), measuredOn, ...(await calibrate(bed)) }
  const text = JSON.stringify(
    found,
    (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value),
    2,
  )
  console.log(text)
  writeFileSync(COEFFICIENTS, `${text}\n`)
}

async function checkPredictions(bed: Testbed): Promise<void> {
  for (const { load, part, predicted, measured } of await check(bed, coefficients())) {
    const off = predicted / measured - 1
    const isWithin = Math.abs(off) <= TOLERANCE
    if (!isWithin) process.exitCode = 1
    const [expected, found] = [predicted.toFixed(2), measured.toFixed(2)]
    const sign = isWithin ? '✓' : '✗'
    console.log(`${sign} ${load}: ${part} ${expected} cores predicted, ${found} measured`)
  }
}

async function onTestbed(run: (bed: Testbed) => Promise<void>): Promise<void> {
  await using cluster = await startCluster()
  await using bed = new Testbed(readOptions(values.quick ? ['--quick'] : [], []), cluster)
  await bed.fill(cluster.connectionString, { accounts: bed.options.accounts })
  await run(bed)
}

function round(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
