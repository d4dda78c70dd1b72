// Measures the coefficients of capacity-model.ts on this machine, and compares the model's
// predictions with loads that it was not fitted to.

import { countTotalsRound } from '#reports/workers.ts'
import { type Coefficients, type Cost, type Demand, predict, slowdown } from './capacity-model.ts'
import type { BenchDatabase } from './database.ts'
import { credits, LOADS, type Load } from './rows.ts'
import { quantile, rateOf, type Slice } from './slice.ts'
import type { Target, Testbed } from './testbed.ts'

const QUIET = 0.2 // A share of one process's capacity so small that batches hold few credits.
const CHECKED = [0.35, 0.6]
const WARM_UP_SLICES = 2

// Costs per item under one load, each the median of its slices.
type Sample = Cost & { perSecond: number; batches: number; logBytes: number; storedBytes: number }
type Counts = { batches: number; logBytes: number; storedBytes: number }

export type Check = { load: string; part: string; predicted: number; measured: number }

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
  const service = shares(busy, quiet, 'service')
  const postgres = shares(busy, quiet, 'postgres')
  const log = shares(busy, quiet, 'logBytes')
  const credit = { service: service.item, postgres: postgres.item }
  return {
    clientCreditsPerSecondMax: Math.max(busy.perSecond, arrays.perSecond),
    credit,
    batch: { service: service.batch, postgres: postgres.batch },
    batchesPerSecondMax: mostBatches(quiet, credit),
    creditInArray: costOf(arrays),
    webhook: costOf(webhook),
    accountRead: costOf(read),
    pageView: { service: 2 * view.service, postgres: 2 * view.postgres }, // A list and the overview.
    logBytes: { credit: log.item, batch: log.batch, webhook: webhook.logBytes },
    storedBytes: { credit: busy.storedBytes, webhook: webhook.storedBytes },
  }
}

// Compares predictions with loads at rates between the fitted ones, and with two processes.
export async function check(bed: Testbed, of: Coefficients): Promise<Check[]> {
  const { perSecond: most } = await sample(bed, LOADS.cold as Load)
  const loads = CHECKED.map((share) => atRate(most * share))
  loads.push({ ...atRate(most * QUIET), target: 'twoProcesses' })
  const checks: Check[] = []
  for (const load of loads) {
    const found = await sample(bed, load)
    const processes = load.target === 'twoProcesses' ? 2 : 1
    const expected = predict({ ...NOTHING, creditsPerSecond: found.perSecond, processes }, of)
    const name = `${load.title}, ${processes} process${processes > 1 ? 'es' : ''}`
    for (const part of ['service', 'postgres'] as const) {
      const measured = (found[part] * found.perSecond) / 1e6
      checks.push({ load: name, part, predicted: expected.cores[part], measured })
    }
  }
  return checks
}

// Counts totals up to now, as a worker does continuously, so that the overview sums only the latest rows.
async function countTotals({ db }: BenchDatabase): Promise<void> {
  const round = countTotalsRound({ db })
  while ((await round(new AbortController().signal))?.more) {}
}

const NOTHING: Demand = {
  creditsPerSecond: 0,
  shareInArrays: 0,
  webhooksPerCredit: 0,
  readsPerSecond: 0,
  viewsPerSecond: 0,
  clients: 1,
}

function atRate(perSecond: number): Load {
  const title = `${Math.round(perSecond).toLocaleString('en')} credits a second`
  return credits(title, 'service', { perSecond })
}

const costOf = ({ service, postgres }: Sample): Cost => ({ service, postgres })

// Computes the costs of a batch and of a credit from two loads. A credit costs its item plus its part of a
// batch.
function shares(busy: Sample, quiet: Sample, part: 'service' | 'postgres' | 'logBytes') {
  const batch = Math.max(0, (quiet[part] - busy[part]) / (quiet.batches - busy.batches))
  return { batch, item: Math.max(0, busy[part] - batch * busy.batches) }
}

// Returns the largest number of batches per second, from: credits per batch = 1 + rate / most.
function mostBatches({ perSecond, batches }: Sample, credit: Cost): number {
  return perSecond / Math.max(1 / batches - 1, 0.01) / slowdown(perSecond, credit)
}

async function sample(bed: Testbed, load: Load): Promise<Sample> {
  console.error(`  ${load.title}`)
  const on = load.target && (await bed[load.target]())
  const runs: Sample[] = []
  const rounds = load.isOneLongSlice ? 1 : WARM_UP_SLICES + bed.options.slices
  for (let round = 0; round < rounds; round++) {
    await on?.database.settle()
    const before = on && (await count(on))
    const slice = (await load.run(bed, on as Target, new Map())) as Slice
    if (slice.failures.count > 0) throw new Error(`${load.title}: ${slice.failures.first}`)
    runs.push(perItem(slice, before, on && (await count(on))))
  }
  const counted = load.isOneLongSlice ? runs : runs.slice(WARM_UP_SLICES)
  const middle = (name: keyof Sample) =>
    quantile(
      counted.map((run) => run[name]),
      0.5,
    )
  return {
    service: middle('service'),
    postgres: middle('postgres'),
    perSecond: middle('perSecond'),
    ...{
      batches: middle('batches'),
      logBytes: middle('logBytes'),
      storedBytes: middle('storedBytes'),
    },
  }
}

function perItem(slice: Slice, before?: Counts, after?: Counts): Sample {
  const { acknowledged, items, cpu, written } = slice
  const each = (name: keyof Counts) =>
    before && after ? (after[name] - before[name]) / acknowledged : 0
  return {
    service: ((cpu?.service ?? Number.NaN) * 1e6) / items,
    postgres: ((cpu?.postgres ?? Number.NaN) * 1e6) / items,
    perSecond: rateOf(slice),
    batches: each('batches'),
    logBytes: written ? written.logBytes / items : each('logBytes'),
    storedBytes: written ? written.storedBytes / items : each('storedBytes'),
  }
}

async function count({ ports, database }: Target): Promise<Counts> {
  const batches = await Promise.all(ports.map(batchesOf))
  const written = await database.written()
  return { ...written, batches: batches.reduce((sum, each) => sum + each, 0) }
}

async function batchesOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const found = /^manilla_batch_items_count\{batch="credits"\} (\d+)$/m.exec(text)
  return Number(found?.[1] ?? 0)
}
