// `npm run soak -- --minutes 60 --rate 150`: a steady mix of all requests of clients, banks and payers,
// alongside connections that are cut or send garbage, and receivers that are sometimes down. Samples the
// resources of the processes throughout, and again after the load has stopped. Exits with 1 if any resource
// grows or is not freed.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { startCluster, startService } from './cluster.ts'
import { readOptions } from './options.ts'
import { machine, writeSection } from './report.ts'
import { MixedLoad } from './soak-load.ts'
import { startReceivers } from './soak-receivers.ts'
import { type Sample, Sampler } from './soak-samples.ts'
import { abuseConnections } from './soak-strangers.ts'
import { soakTable, soakVerdict } from './soak-verdict.ts'
import { Testbed } from './testbed.ts'

const ACCOUNTS = 20_000
const SAMPLE_MS = 5_000
const ROWS_SHOWN = 12
const ABUSES_PER_SECOND = 4
// The time between the end of the load and the last sample. By then, the service has closed a client's silent
// connection, which it does after a minute, and a pool's idle one, which it does after a minute and a half.
const QUIET_MS = 150_000
const UNLIMITED = { MANILLA_RATE_LIMITS: 'client=0,simulate=0,address=0,initiate=0,login=0,rail=0' }

// Runs the mixed load for the time of --minutes, samples the processes meanwhile and once all is quiet again,
// and prints the report. The exit code is 1 if anything grew or was lost.
async function main(): Promise<void> {
  const { minutes, rate, write } = readSoakOptions()
  await using cluster = await startCluster()
  await using bed = new Testbed({ ...readOptions(['--quick'], []), accounts: ACCOUNTS }, cluster)
  await bed.fill(cluster.connectionString, { accounts: ACCOUNTS })
  const database = await bed.newDatabase('service')
  const workerPort = await freePort()
  const warnings = join(cluster.folder, 'warnings.txt')
  const nodeArgs = [`--redirect-warnings=${warnings}`]
  const start = (role: 'api' | 'worker', settings: Record<string, string>) =>
    startService(cluster, database.connectionString, { role, nodeArgs, settings })
  await using receivers = await startReceivers(database)
  await using api = await start('api', UNLIMITED)
  await using _worker = await start('worker', { MANILLA_WORKER_PORT: String(workerPort) })
  const sampler = new Sampler({ api: api.port, worker: workerPort }, database)
  await sampler.whenReady()
  const before = await sampler.sample()
  const bookedBefore = await database.count('credits')

  const load = new MixedLoad({ port: api.port, accounts: ACCOUNTS, database })
  const samples: Sample[] = []
  // A signal ends the soak early. The report covers the samples so far.
  let endMs = performance.now() + minutes * 60_000
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (endMs = 0))
  load.run(rate)
  const abuse = abuseConnections(api.port, ABUSES_PER_SECOND)
  while (performance.now() < endMs) {
    await sleep(SAMPLE_MS)
    // On a busy machine a sample may fail. That alone is no finding.
    const sample = await sampler.sample().catch(() => undefined)
    if (!sample) continue
    samples.push(sample)
    if (samples.length % 60 === 0) console.error(soakTable(samples.slice(-1), 1))
  }
  abuse.stop()
  await load.stop()
  await sleep(QUIET_MS)
  const after = await sampler.sample()

  const problems = [
    ...load.failures,
    ...(await database.integrityProblems()),
    ...(existsSync(warnings) ? [readFileSync(warnings, 'utf8')] : []),
  ]
  const booked = (await database.count('credits')) - bookedBefore
  if (booked !== load.credits) problems.push(`${load.credits} acknowledged, ${booked} booked`)
  const verdict = soakVerdict({ samples, before, after })
  problems.push(...verdict.problems)
  const body = [
    `${samples.at(-1)?.minute.toFixed(0)} minutes at ${rate} requests a second; ${machine()}`,
    `${load.summary()}; ${abuse.summary()}; ${receivers.summary()}`,
    soakTable([before, ...samples, after], ROWS_SHOWN),
    verdict.lines.join('\n'),
    problems.length === 0
      ? '✓ nothing else was found'
      : problems.map((each) => `✗ ${each}`).join('\n'),
  ].join('\n\n')
  console.log(body)
  if (write) writeSection('soak', body)
  if (problems.length > 0) process.exitCode = 1
}

// Reads how many minutes the soak lasts, how many requests a second it sends (--rate), and whether the report
// is stored in its document (--write).
function readSoakOptions() {
  const options = {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '150' },
    write: { type: 'boolean', default: false },
  } as const
  const { minutes, rate, write } = parseArgs({ options }).values
  return { minutes: Number(minutes), rate: Number(rate), write }
}

await main()
