// pgbench's TPC-B-like transaction, on the same server as everything else: what a well-known
// one-transaction-per-request load reaches in raw SQL, with no HTTP before it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Measured } from './children.ts'
import { latencyOf } from './load.ts'
import { cpuBetween, readCpu } from './processes.ts'

const SCALE = 10
const CLIENTS = 8

type Where = { socketFolder: string; database: string; folder: string; postgresPid: number }

export function findPgbench(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'pgbench'))
  const installed = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse()
  return [...installed, ...onPath].find((path) => existsSync(path))
}

export async function fillPgbench(program: string, where: Where): Promise<void> {
  await run(start(program, where, ['-i', '-q', '-s', String(SCALE)]))
}

export async function runPgbench(
  program: string,
  where: Where,
  seconds: number,
): Promise<Measured> {
  const prefix = join(where.folder, 'pgbench-log')
  const child = start(program, where, [
    ...['-M', 'prepared', '-c', String(CLIENTS), '-j', '2', '-n'],
    ...['-T', String(seconds), '-l', `--log-prefix=${prefix}`],
  ])
  const cast = { postgres: where.postgresPid, generator: child.pid }
  const before = readCpu(cast)
  // It ends by itself; a moment before that its CPU time is still to be read.
  const reading = { cpu: before }
  const reader = setInterval(() => {
    reading.cpu = readCpu(cast)
  }, 250)
  const output = await run(child)
  clearInterval(reader)
  const perSecond = Number(/^tps = ([0-9.]+)/m.exec(output)?.[1])
  const items = Number(/^number of transactions actually processed: (\d+)/m.exec(output)?.[1])
  if (!(perSecond > 0)) throw new Error(`pgbench answered: ${output}`)
  return {
    acknowledged: items,
    failures: { count: 0, first: undefined },
    items,
    seconds: items / perSecond,
    perSecond,
    latency: latencyOf(readLatencies(prefix)),
    cpu: cpuBetween(before, reading.cpu),
  }
}

// Of the lines `client transaction microseconds script epoch epoch-microseconds`.
function readLatencies(prefix: string): Float32Array {
  const files = globSync(`${prefix}.*`)
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
  for (const file of files) rmSync(file)
  return Float32Array.from(lines, (line) => Number(line.split(' ')[2]) / 1000)
}

function start(program: string, { socketFolder, database }: Where, args: string[]): ChildProcess {
  const place = ['-h', socketFolder, '-p', '5432', '-U', 'manilla']
  return spawn(program, [...place, ...args, database], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(child: ChildProcess): Promise<string> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`pgbench ended with ${code}: ${output}`)
  return output
}
