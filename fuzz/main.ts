// `npm run fuzz -- [--requests 100000] [--seed S] [--at N]`: sends hostile requests to every
// operation of a real service, and hostile bytes to its port; fuzzer.ts defines the faults. `--at`
// replays one episode of a seed. A signal ends the run early. Exits with 1 when it found anything.

import { parseArgs } from 'node:util'
import { checkIntegrity } from '#integrity/checks.ts'
import { Episodes } from './episodes.ts'
import { Findings } from './findings.ts'
import { startFuzzedService } from './fuzzed-service.ts'
import { Memory } from './memory.ts'
import { RAW_ABUSES, rawFaults } from './raw-abuse.ts'
import { prepareFuzzer } from './targets.ts'

const LANES = 12 // Episodes that run at the same time.
const REPORT_EVERY = 1_000
const ERRORS_SHOWN = 10
const DELIBERATE = /"code":"(?:try_again|busy)"/

// Fuzzes a new service with episodes and raw sockets, checks its books, and prints everything that it found.
// With --at, repeats only one episode.
async function main(): Promise<void> {
  const options = readFuzzOptions()
  await using service = await startFuzzedService()
  const { fuzzer, targets } = await prepareFuzzer(service.bench, service.door)
  const [findings, memory] = [new Findings(), new Memory(service.address)]
  const fromMs = performance.now()
  const parts = { service, fuzzer, findings, memory }
  const episodes = await runEpisodes(parts, new Episodes(options.seed, targets), options)
  const seconds = (performance.now() - fromMs) / 1000
  const abuses = options.at === undefined ? Object.keys(RAW_ABUSES) : []
  for (const name of abuses) {
    for (const fault of await rawFaults(service.address, name)) findings.note(name, fault)
  }

  const errors = service.errors.filter((line) => !DELIBERATE.test(line))
  const problems = [
    ...(service.hasEnded() ? ['the service ended'] : []),
    ...errors.slice(0, ERRORS_SHOWN),
    ...(await checkIntegrity(service.db)).map((each) => JSON.stringify(each)),
    ...(options.at === undefined ? memory.problems() : []),
    ...findings.lines(),
  ]
  const { requests, seen, kinds, statuses } = fuzzer
  const rate = (requests / seconds).toFixed(0)
  const succeeded = targets.filter((target) => seen.get(target)?.has(200)).length
  console.log(
    `seed ${options.seed}: ${requests} requests in ${seconds.toFixed(0)} s, ${rate} a second`,
  )
  console.log(`${episodes} episodes; ${succeeded} of ${targets.length} operations succeeded`)
  console.log(`kinds: ${tally(kinds)}\nstatuses: ${tally(statuses)}\n${memory.summary()}`)
  console.log(`raw sockets: ${abuses.length} kinds of abuse`)
  const found = problems.map((each) => `✗ ${each}`).join('\n')
  console.log(found === '' ? '✓ nothing was found' : found)
  if (problems.length > 0) process.exitCode = 1
}

type Parts = {
  service: { hasEnded(): boolean }
  fuzzer: Awaited<ReturnType<typeof prepareFuzzer>>['fuzzer']
  findings: Findings
  memory: Memory
}
type Options = ReturnType<typeof readFuzzOptions>

// Runs episodes in parallel until enough requests were sent, or only the episode `at`. Returns the number of
// episodes.
async function runEpisodes(
  { service, fuzzer, findings, memory }: Parts,
  episodes: Episodes,
  { requests, seed, at }: Options,
): Promise<number> {
  let [next, isStopped, reportAt] = [at ?? 0, false, REPORT_EVERY]
  const stop = () => {
    isStopped = true
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  // The walks, which cover every operation, always run to the end.
  const isDone = () =>
    at === undefined ? fuzzer.requests >= requests && next >= episodes.walks : next > at
  const isOver = () => isStopped || service.hasEnded() || findings.areEnough || isDone()
  // Runs one episode after another; several lanes share the numbers of the episodes.
  const lane = async () => {
    while (!isOver()) {
      const number = next++
      const { faults, steps } = await episodes.run(fuzzer, number)
      const where = `--seed ${seed} --at ${number} (${steps} steps)`
      for (const fault of faults) findings.note(where, fault)
      await memory.sampleAfter(fuzzer.requests)
      if (fuzzer.requests < reportAt) continue
      reportAt = fuzzer.requests + REPORT_EVERY
      console.error(`  ${fuzzer.requests} requests, ${findings.count} found, ${memory.last()}`)
    }
  }
  await Promise.all(Array.from({ length: at === undefined ? LANES : 1 }, lane))
  return next - (at ?? 0)
}

// Lists each key with its count, the largest count first.
function tally(counts: ReadonlyMap<string | number, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.map(([key, count]) => `${key} ${count}`).join(', ')
}

// Reads the options. Without --seed, a seed is drawn; without --at, all episodes run.
function readFuzzOptions() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { requests: text, seed: text, at: text } })
  return {
    requests: Number(values.requests ?? 100_000),
    seed: Number(values.seed ?? Math.floor(Math.random() * 2 ** 31)),
    at: values.at === undefined ? undefined : Number(values.at),
  }
}

await main()
