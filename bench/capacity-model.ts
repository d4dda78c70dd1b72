// Predicts the cores, batches, log, storage and connections that a load needs, from measured
// coefficients (capacity-calibration.ts). A process that receives r credits a second writes them in
// batches of 1 + r/b. Here b is the number of batches it can write in a second, which falls as
// credits take more of its time. A credit therefore costs its own share plus a share of its batch,
// which shrinks as the process gets busier.

import { CONNECTIONS_PER_PROCESS } from '#db/connections.ts'

export type Cost = { service: number; postgres: number } // µs of CPU

export type Coefficients = {
  machine: string
  measuredOn: string
  credit: Cost
  batch: Cost
  batchesPerSecondMax: number // The most that one process writes without other work.
  // A client's events are numbered without gaps, so its batches wait for one another.
  clientCreditsPerSecondMax: number
  creditInArray: Cost // The cost of a credit in a request with a hundred.
  webhook: Cost // The cost for the worker and for PostgreSQL.
  accountRead: Cost
  pageView: Cost // The dashboard's overview, with every call that it makes.
  logBytes: { credit: number; batch: number; webhook: number }
  storedBytes: { credit: number; webhook: number }
}

export type Demand = {
  creditsPerSecond: number
  shareInArrays: number // The share of credits that are sent in arrays, from 0 to 1.
  webhooksPerCredit: number
  readsPerSecond: number
  viewsPerSecond: number
  clients: number
  processes?: number // Default: as many as the load needs.
}

export type Prediction = {
  processes: number
  workers: number
  batchesPerSecond: number
  creditsPerBatch: number
  cores: { service: number; worker: number; postgres: number }
  logMbPerSecond: number
  storedGbPerDay: number
  connections: number
}

// The largest share of its time that a process may be busy. It has one thread for all requests, and above
// this share its queue grows faster than larger batches make up for.
const BUSY_MAX = 0.7
// The busier a process is, the fewer batches it writes per second: the rate falls with this power of the
// share of time in which the process is idle. The square fits measured loads within 10%.
const CROWDING = 2
const IDLE_MIN = 0.05
const DAY_SECONDS = 86_400
const US = 1e-6

// Predicts what a load needs. `costs` are the measured coefficients; its CPU times are in microseconds.
export function predict(demand: Demand, costs: Coefficients): Prediction {
  // These are rates per second. Batches are counted only for single credits, because the measured cost of a
  // credit in an array includes that of its batch.
  const singles = demand.creditsPerSecond * (1 - demand.shareInArrays)
  const inArrays = demand.creditsPerSecond * demand.shareInArrays
  const webhooks = demand.creditsPerSecond * demand.webhooksPerCredit
  const batches = (processes: number) => batchesPerSecond(singles, processes, costs)
  const cores = (part: keyof Cost, processes: number) =>
    (singles * costs.credit[part] +
      batches(processes) * costs.batch[part] +
      inArrays * costs.creditInArray[part] +
      demand.readsPerSecond * costs.accountRead[part] +
      demand.viewsPerSecond * costs.pageView[part]) *
    US
  const processes =
    demand.processes ?? fewest((count) => cores('service', count) / count <= BUSY_MAX)
  const workerCores = webhooks * costs.webhook.service * US
  const workers = fewest((count) => workerCores / count <= BUSY_MAX)
  const batchRate = batches(processes)
  return {
    processes,
    workers,
    batchesPerSecond: batchRate,
    creditsPerBatch: batchRate === 0 ? 0 : singles / batchRate,
    cores: {
      service: cores('service', processes),
      worker: workerCores,
      postgres: cores('postgres', processes) + webhooks * costs.webhook.postgres * US,
    },
    logMbPerSecond:
      (demand.creditsPerSecond * costs.logBytes.credit +
        batchRate * costs.logBytes.batch +
        webhooks * costs.logBytes.webhook) /
      1e6,
    storedGbPerDay:
      ((demand.creditsPerSecond * costs.storedBytes.credit + webhooks * costs.storedBytes.webhook) *
        DAY_SECONDS) /
      1e9,
    connections: (processes + workers) * CONNECTIONS_PER_PROCESS, // A worker opens as many as a process.
  }
}

type BatchCosts = Pick<Coefficients, 'credit' | 'batchesPerSecondMax'>

// Returns the batches that all processes together write: with r credits and b batches at most per process,
// each writes r / (1 + r/b).
export function batchesPerSecond(
  creditsPerSecond: number,
  processes: number,
  { credit, batchesPerSecondMax }: BatchCosts,
): number {
  const perProcess = creditsPerSecond / processes
  const batchRateMax = batchesPerSecondMax * slowdown(perProcess, credit)
  return (processes * perProcess) / (1 + perProcess / batchRateMax)
}

// Returns the share of its largest batch rate that a process still reaches while it receives credits at this
// rate.
export function slowdown(creditsPerSecond: number, { service }: Cost): number {
  return Math.max(1 - creditsPerSecond * service * US, IDLE_MIN) ** CROWDING
}

// Returns the least number of processes that is enough. The search ends, because each further process takes
// its share of the load, and a batch never costs less than one credit.
function fewest(isEnough: (count: number) => boolean): number {
  let count = 1
  while (!isEnough(count) && count < 10_000) count++
  return count
}
