// `npm run mutations`: breaks the money code on purpose, one mutation at a time, in a copy of the repository,
// and runs the simulation tests. A mutation that they do not notice shows a hole in the tests.
//
// Whether a race goes wrong is chance, so a mutation that survives is tried again with other seeds.
//   npm run mutations -- lock     only those with "lock" in their name

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from '../test/support/server.ts'
import { MUTATIONS, type Mutation } from './known-mutations.ts'

const ROOT = join(import.meta.dirname, '..')
const COPIED = ['src', 'db', 'test', 'package.json']
const ATTEMPTS_MAX = 4
const AT_ONCE = 2
// Enough steps to meet each mutation many times; `npm run check` runs the whole simulation.
const SIZE = { STEPS: '2500', RACES: '120' }
// The output must show that the simulation failed, and not that the mutated file could not be parsed.
const NOTICED = /AssertionError|differ from the model|no order explains/

type Verdict = { name: string; isCaught: boolean; message: string }

const pattern = process.argv[2] ?? ''
const queue = MUTATIONS.filter(({ name }) => name.includes(pattern))
const server = await startTestServer()
const original = mkdtempSync(join(tmpdir(), 'manilla-mutations-'))
try {
  // Copies the tree first: it may change during the run.
  for (const name of COPIED) cpSync(join(ROOT, name), join(original, name), { recursive: true })
  const unbroken = await runSimulation(undefined, 'money-in', 1)
  if (!unbroken.hasPassed) throw new Error(`the simulation fails as it is:\n${unbroken.output}`)
  const verdicts: Verdict[] = []
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = queue.shift(); next; next = queue.shift())
        verdicts.push(await tryMutation(next))
    }),
  )
  const survivors = verdicts.filter(({ isCaught }) => !isCaught)
  console.log(`${verdicts.length - survivors.length} of ${verdicts.length} mutations were caught`)
  process.exitCode = survivors.length === 0 && verdicts.length > 0 ? 0 : 1
} finally {
  await server.stop()
  rmSync(original, { recursive: true, force: true })
}

// Runs the simulation with a mutation, which breaks one line of the service on purpose, until the simulation
// fails, with another seed each time. A mutation that survives all runs shows a gap in the simulation.
async function tryMutation(mutation: Mutation): Promise<Verdict> {
  const { name, test } = mutation
  for (let seed = 1; seed <= ATTEMPTS_MAX; seed++) {
    const { hasPassed, output } = await runSimulation(mutation, test, seed)
    if (hasPassed) continue
    const isCaught = NOTICED.test(output)
    const lines = output.split('\n')
    const line = lines.find((outputLine) => NOTICED.test(outputLine)) ?? output.slice(-500)
    const message = line.trim().slice(0, 100)
    console.log(`${isCaught ? '✔' : '✖'} ${name} (${test}, seed ${seed}): ${message}`)
    return { name, isCaught, message }
  }
  console.log(`✖ ${name}: survived ${ATTEMPTS_MAX} runs`)
  return { name, isCaught: false, message: '' }
}

// Runs a simulation test in a fresh copy of the repository, with the mutation if there is one.
async function runSimulation(mutation: Mutation | undefined, test: string, seed: number) {
  const folder = mkdtempSync(join(tmpdir(), 'manilla-mutation-'))
  try {
    cpSync(original, folder, { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    if (mutation) mutate(join(folder, mutation.file), mutation)
    const runner = spawn(process.execPath, ['--test', `test/simulation/${test}.test.ts`], {
      cwd: folder,
      env: {
        ...process.env,
        ...SIZE,
        SEED: `${seed}`,
        TEST_DATABASE_URL: server.templateUrl,
        NODE_COMPILE_CACHE: join(server.folder, 'compile-cache'),
      },
    })
    let output = ''
    runner.stdout.on('data', (chunk) => (output += chunk))
    runner.stderr.on('data', (chunk) => (output += chunk))
    const [code] = (await once(runner, 'close')) as [number | null]
    return { hasPassed: code === 0, output }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

// Throws if the text to replace does not occur exactly once, so that a mutation that no longer applies is
// noticed.
function mutate(path: string, { name, from, to }: Mutation): void {
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${name}: not found once in ${path}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
}
