// `npm run capacity`: what to run for a load, predicted from measured coefficients.
//   -- --credits-per-second 2000 --clients 500 [--webhooks-per-credit 1] [--share-in-arrays 0]
//      [--reads-per-second 0] [--views-per-second 0]
//   -- --table [--write]      the table of docs/scaling.md
//   -- --calibrate            measures the coefficients on this machine (some minutes, idle cores)
//   -- --check                compares predictions with measured loads; exits with 1 if one is off by > 20%

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

// Reads the load from the command line. Ends the program if an option is no number in its range.
function readDemand(): Demand {
  // Returns an option as a number. Ends the program unless the number is from 0 to `max`.
  const read = (name: keyof typeof values, max = 1e9) => {
    const value = Number(values[name])
    if (Number.isFinite(value) && value >= 0 && value <= max) return value
    console.error(`--${name} takes a number from 0 to ${max.toLocaleString('en')}.`)
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

function readCoefficients(): Coefficients {
  return JSON.parse(readFileSync(COEFFICIENTS, 'utf8'))
}

// Returns the lines to print for a load: what it needs, and a line for each limit that it exceeds.
function describe(demand: Demand): string[] {
  const coefficients = readCoefficients()
  const prediction = predict(demand, coefficients)
  const { cores, processes, workers, connections } = prediction
  const [log, batches] = [round(prediction.logMbPerSecond), round(prediction.batchesPerSecond)]
  return [
    `HTTP processes    ${processes} (${round(cores.service)} cores busy)`,
    `worker processes  ${workers} (${round(cores.worker)} cores busy)`,
    `PostgreSQL        ${round(cores.postgres)} cores busy, ${log} MB of log a second`,
    `commits           ${batches} a second, of ${round(prediction.creditsPerBatch)} credits each`,
    `connections       ${connections}`,
    `storage           ${round(prediction.storedGbPerDay)} GB a day`,
    ...exceededLimits(demand, prediction, coefficients).map((limit) => `! ${limit}`),
    `Measured on ${coefficients.measuredOn}: ${coefficients.machine}. Leave a third of every core idle.`,
  ]
}

// Names each limit that this load exceeds, with the advice for it.
function exceededLimits(
  demand: Demand,
  prediction: Prediction,
  { clientCreditsPerSecondMax: clientMax }: Coefficients,
): string[] {
  const perClient = demand.creditsPerSecond / demand.clients
  return [
    ...(perClient > clientMax
      ? [
          `a client takes ${round(clientMax)} credits a second at most: its events are numbered in turn`,
        ]
      : []),
    ...(prediction.connections > 500
      ? [`${prediction.connections} connections: put a pooler in front of PostgreSQL`]
      : []),
    ...(prediction.cores.postgres > 32
      ? ['more than one PostgreSQL server of 48 cores: split clients over installations']
      : []),
    ...(prediction.logMbPerSecond > 200
      ? ['the log outgrows an ordinary disk: use local NVMe']
      : []),
  ]
}

// Prints the table of docs/scaling.md: the prediction for each rate of RATES, in the columns of HEAD. With
// --write, replaces the table in the document.
function printTable(): void {
  const coefficients = readCoefficients()
  // One line for each rate. Reads and views grow with the rate: a tenth and a hundredth of it.
  const rows = RATES.map((creditsPerSecond) => {
    const clients = Math.max(1, creditsPerSecond * CLIENTS_PER_RATE)
    const views = { readsPerSecond: creditsPerSecond / 10, viewsPerSecond: creditsPerSecond / 100 }
    const demand = { creditsPerSecond, shareInArrays: 0, webhooksPerCredit: 1, ...views, clients }
    const prediction = predict(demand, coefficients)
    const { cores, connections } = prediction
    const exceeded = exceededLimits(demand, prediction, coefficients)
    const cells = [
      ...[creditsPerSecond.toLocaleString('en'), prediction.processes, round(cores.service)],
      ...[prediction.workers, round(cores.worker), round(cores.postgres)],
      ...[round(prediction.batchesPerSecond), round(prediction.logMbPerSecond), connections],
      ...[round(prediction.storedGbPerDay), exceeded.join('; ') || '–'],
    ]
    return `| ${cells.join(' | ')} |`
  })
  const body = [`| ${HEAD.join(' | ')} |`, `|${' -: |'.repeat(HEAD.length)}`, ...rows].join('\n')
  console.log(body)
  if (values.write) writeSection('capacity', `${coefficients.machine}\n\n${body}`)
}

// Measures the coefficients on this machine and stores them, rounded to three digits.
async function measureCoefficients(bed: Testbed): Promise<void> {
  const measuredOn = new Date().toISOString().slice(0, 10)
  const coefficients: Coefficients = {
    machine: machine(),
    measuredOn,
    ...(await calibrate(bed)),
  }
  const text = JSON.stringify(
    coefficients,
    (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value),
    2,
  )
  console.log(text)
  writeFileSync(COEFFICIENTS, `${text}\n`)
}

// Prints each prediction beside the measured load. A difference above TOLERANCE sets the exit code.
async function checkPredictions(bed: Testbed): Promise<void> {
  for (const { load, part, predicted, measured } of await check(bed, readCoefficients())) {
    const off = predicted / measured - 1
    const isWithin = Math.abs(off) <= TOLERANCE
    if (!isWithin) process.exitCode = 1
    const sign = isWithin ? '✓' : '✗'
    const cores = `${predicted.toFixed(2)} cores predicted, ${measured.toFixed(2)} measured`
    console.log(`${sign} ${load}: ${part} ${cores}`)
  }
}

// Starts a database and a testbed with accounts, runs the function, and stops everything.
async function onTestbed(run: (bed: Testbed) => Promise<void>): Promise<void> {
  await using cluster = await startCluster()
  await using bed = new Testbed(readOptions(values.quick ? ['--quick'] : [], []), cluster)
  await bed.fill(cluster.connectionString, { accounts: bed.options.accounts })
  await run(bed)
}

// Formats a number with about three digits.
function round(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
