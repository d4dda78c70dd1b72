// Measures the coefficients of capacity-model.ts on this machine. Also compares the model's predictions
// with loads that were not used to measure the coefficients.

import { countTotalsRound } from '#reports/workers.ts'
import { type Coefficients, type Cost, type Demand, predict, slowdown } from './capacity-model.ts'
import type { BenchDatabase } from './database.ts'
import { credits, LOADS, type Load } from './rows.ts'
import { quantile, rateOf, type Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const QUIET = 0.2 // A share of one process's capacity so small that batches hold few credits.
const CHECKED = [0.35, 0.6] // Shares of the capacity at which check() tests the predictions.
const WARM_UP_SLICES = 2

// Costs per item under one load, each the median of its slices.
type Sample = Cost & { perSecond: number; batches: number; logBytes: number; storedBytes: number }
type Counts = { batches: number; logBytes: number; storedBytes: number }

export type Check = { load: string; part: string; predicted: number; measured: number }

// Runs each kind of load, and derives the coefficients from the CPU time and bytes that it costs. `busy` and
// `quiet` are the same load at full speed and at a low rate. Their batches differ in size, which tells the
// cost of a credit from that of its batch.
export async function calibrate(
  bed: Testbed,
): Promise<Omit<Coefficients, 'machine' | 'measuredOn'>> {
  const busy = await sample(bed, LOADS.cold as Load)
  const quiet = await sample(bed, atRate(busy.perSecond * QUIET))
  const arrays = await sample(bed, LOADS.arrays as Load)
  const read = await sample(bed, LOADS.get as Load)
  await countTotals((await bed.service()).database)
  const view = await sample(bed, LOADS.view as Load)
  const webhook = await sample(bed, LOADS.webhooks as Load)
  const service = costsPerBatchAndItem(busy, quiet, 'service')
  const postgres = costsPerBatchAndItem(busy, quiet, 'postgres')
  const log = costsPerBatchAndItem(busy, quiet, 'logBytes')
  const credit = { service: service.item, postgres: postgres.item }
  return {
    clientCreditsPerSecondMax: Math.max(busy.perSecond, arrays.perSecond),
    credit,
    batch: { service: service.batch, postgres: postgres.batch },
    batchesPerSecondMax: largestBatchRate(quiet, credit),
    creditInArray: costOf(arrays),
    webhook: costOf(webhook),
    accountRead: costOf(read),
    pageView: { service: 2 * view.service, postgres: 2 * view.postgres }, // A list and the overview.
    logBytes: { credit: log.item, batch: log.batch, webhook: webhook.logBytes },
    storedBytes: { credit: busy.storedBytes, webhook: webhook.storedBytes },
  }
}

// Compares predictions with measured loads: at rates between those that the coefficients were derived from
// (CHECKED), and with two processes.
export async function check(bed: Testbed, coefficients: Coefficients): Promise<Check[]> {
  const { perSecond: capacity } = await sample(bed, LOADS.cold as Load)
  const loads = CHECKED.map((share) => atRate(capacity * share))
  loads.push({ ...atRate(capacity * QUIET), target: 'twoProcesses' })
  const checks: Check[] = []
  for (const load of loads) {
    const measurement = await sample(bed, load)
    const { perSecond } = measurement
    const processes = load.target === 'twoProcesses' ? 2 : 1
    const demand = { ...NO_DEMAND, creditsPerSecond: perSecond, processes }
    const { cores } = predict(demand, coefficients)
    const name = `${load.title}, ${processes} process${processes > 1 ? 'es' : ''}`
    for (const part of ['service', 'postgres'] as const) {
      const measured = (measurement[part] * perSecond) / 1e6 // Microseconds per item to cores.
      checks.push({ load: name, part, predicted: cores[part], measured })
    }
  }
  return checks
}

// Counts totals up to now, as a worker does continuously, so that the overview sums only the latest rows.
async function countTotals({ db }: BenchDatabase): Promise<void> {
  const round = countTotalsRound({ db })
  while ((await round(new AbortController().signal))?.more) {}
}

const NO_DEMAND: Demand = {
  creditsPerSecond: 0,
  shareInArrays: 0,
  webhooksPerCredit: 0,
  readsPerSecond: 0,
  viewsPerSecond: 0,
  clients: 1,
}

// Returns a load of single credits at a fixed rate.
function atRate(perSecond: number): Load {
  const title = `${Math.round(perSecond).toLocaleString('en')} credits a second`
  return credits(title, 'service', { perSecond })
}

const costOf = ({ service, postgres }: Sample): Cost => ({ service, postgres })

// Splits the measured cost of a credit into its own cost and the cost of its batch, from two loads with
// different batch sizes. The measured cost of a credit is its own cost plus its part of a batch: the cost of
// a batch times `batches`, which counts the batches per credit.
function costsPerBatchAndItem(
  busy: Sample,
  quiet: Sample,
  part: 'service' | 'postgres' | 'logBytes',
) {
  const batch = Math.max(0, (quiet[part] - busy[part]) / (quiet.batches - busy.batches))
  return { batch, item: Math.max(0, busy[part] - batch * busy.batches) }
}

// Returns the largest number of batches per second, by the model's formula (capacity-model.ts): credits per
// batch = 1 + rate / largest batch rate. A sample has batches per credit, the inverse of credits per batch.
function largestBatchRate({ perSecond, batches }: Sample, credit: Cost): number {
  return perSecond / Math.max(1 / batches - 1, 0.01) / slowdown(perSecond, credit)
}

// Runs one load, and returns the median costs per item over its slices.
async function sample(bed: Testbed, load: Load): Promise<Sample> {
  console.error(`  ${load.title}`)
  const runTarget = load.target && (await bed[load.target]())
  const runs: Sample[] = []
  const rounds = load.isOneLongSlice ? 1 : WARM_UP_SLICES + bed.options.slices
  for (let round = 0; round < rounds; round++) {
    await runTarget?.database.settle()
    const before = runTarget && (await readCounts(runTarget))
    const slice = (await load.run(bed, runTarget as Target, new Map())) as Slice
    if (slice.failures.count > 0) throw new Error(`${load.title}: ${slice.failures.first}`)
    runs.push(perItem(slice, before, runTarget && (await readCounts(runTarget))))
  }
  const measuredRuns = load.isOneLongSlice ? runs : runs.slice(WARM_UP_SLICES)
  const median = (name: keyof Sample) =>
    quantile(
      measuredRuns.map((run) => run[name]),
      0.5,
    )
  return {
    service: median('service'),
    postgres: median('postgres'),
    perSecond: median('perSecond'),
    batches: median('batches'),
    logBytes: median('logBytes'),
    storedBytes: median('storedBytes'),
  }
}

// Divides what a slice cost by its items. The counts of batches and bytes include the warm-up, so they are
// divided by all acknowledged items.
function perItem(slice: Slice, before?: Counts, after?: Counts): Sample {
  const { acknowledged, items, cpu, written } = slice
  const perAcknowledged = (name: keyof Counts) =>
    before && after ? (after[name] - before[name]) / acknowledged : 0
  return {
    service: ((cpu?.service ?? Number.NaN) * 1e6) / items,
    postgres: ((cpu?.postgres ?? Number.NaN) * 1e6) / items,
    perSecond: rateOf(slice),
    batches: perAcknowledged('batches'),
    logBytes: written ? written.logBytes / items : perAcknowledged('logBytes'),
    storedBytes: written ? written.storedBytes / items : perAcknowledged('storedBytes'),
  }
}

// Reads the batches and bytes that were written since the services started.
async function readCounts({ ports, database }: Target): Promise<Counts> {
  const batches = await Promise.all(ports.map(batchesOf))
  const written = await database.written()
  return { ...written, batches: batches.reduce((sum, each) => sum + each, 0) }
}

// Reads the number of batches of credits from a service's metrics.
async function batchesOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const match = /^manilla_batch_items_count\{batch="credits"\} (\d+)$/m.exec(text)
  return Number(match?.[1] ?? 0)
}
