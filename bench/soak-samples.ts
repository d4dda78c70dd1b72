// Samples the resources of a service's processes from their own /metrics, and their connections
// from PostgreSQL.

import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchDatabase } from './database.ts'

const SAMPLE_MAX_MS = 30_000
const READY_TRIES = 300
const READY_PAUSE_MS = 100
const MB = 1024 * 1024

export type ProcessSample = {
  rssMb: number
  heapMb: number
  files: number // Includes sockets.
  sockets: number
  timers: number
  resources: number // Everything that keeps an event loop busy.
}
export type Sample = {
  minute: number
  api: ProcessSample
  worker: ProcessSample
  connections: number // Connections to PostgreSQL, without the bench's own.
  backlog: number // Undelivered webhooks.
}

type Ports = { api: number; worker: number }

export class Sampler {
  readonly #ports: Ports
  readonly #database: BenchDatabase
  readonly #fromMs = performance.now()

  constructor(ports: Ports, database: BenchDatabase) {
    this.#ports = ports
    this.#database = database
  }

  async whenReady(): Promise<void> {
    for (const port of Object.values(this.#ports)) {
      for (let tries = 0; !(await isReady(port)); tries++) {
        if (tries > READY_TRIES) throw new Error(`nobody answers on port ${port}`)
        await sleep(READY_PAUSE_MS)
      }
    }
  }

  async sample(): Promise<Sample> {
    const [api, worker] = await Promise.all([
      readSample(this.#ports.api),
      readSample(this.#ports.worker),
    ])
    const { rows } = await this.#database.db.query<{ connections: bigint; backlog: bigint }>(
      `select (select count(*) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()) as connections,
              (select count(*) from deliveries where state = 'pending') as backlog`,
    )
    return {
      minute: (performance.now() - this.#fromMs) / 60_000,
      api,
      worker,
      connections: Number(rows[0]?.connections),
      backlog: Number(rows[0]?.backlog),
    }
  }
}

// Whether the process on this port answers /ready with success. A process that refuses connections has not
// started yet, and is not ready.
async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}

// Samples the process on this port. Throws if the process does not answer within SAMPLE_MAX_MS.
async function readSample(port: number): Promise<ProcessSample> {
  const signal = AbortSignal.timeout(SAMPLE_MAX_MS)
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal })
  const text = await answer.text()
  return parseSample(text)
}

// Reads one process's sample from the text of its /metrics.
export function parseSample(text: string): ProcessSample {
  const value = (name: string) =>
    Number(new RegExp(`^${name} ([0-9.e+]+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const resources = (type: string) =>
    Number(
      new RegExp(`^nodejs_active_resources\\{type="${type}"\\} ([0-9]+)$`, 'm').exec(text)?.[1] ??
        0,
    )
  return {
    rssMb: value('process_resident_memory_bytes') / MB,
    heapMb: value('nodejs_heap_size_used_bytes') / MB,
    files: value('process_open_fds'),
    sockets: resources('TCPSocketWrap') + resources('PipeWrap'),
    timers: resources('Timeout'),
    resources: value('nodejs_active_resources_total'),
  }
}
