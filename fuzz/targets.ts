// Prepares a fuzzing run: fills the service with objects, and lists every operation with the values that its
// parameters can refer to.

import { newBrowser } from '../test/support/people.ts'
import type { Bench } from '../test/support/running-service.ts'
import { AnswerChecks } from './answer-checks.ts'
import { Credentials, OTHER } from './credentials.ts'
import type { Door } from './doors.ts'
import { Fuzzer } from './fuzzer.ts'
import { type Description, inlineBodies, listTargets, type Target } from './operations.ts'
import type { Known } from './right-values.ts'
import { seedWorld } from './seed-world.ts'

// Paths whose objects are listed at another path.
const LISTED_AT: Record<string, string> = {
  '/api/v1/operator/reconciliation': '/api/v1/operator/reconciliation/differences',
}
const TELLING_LENGTH_MIN = 10

// Fills the service with objects of one client, creates a second client, which must not see them, and builds
// the fuzzer and the list of its targets.
export async function prepareFuzzer(bench: Bench, door: Door) {
  const seeded = await seedWorld(bench)
  await bench.newClient(OTHER)
  const description: Description = inlineBodies((await bench.call({ url: '/openapi.json' })).json())
  const targets = await Promise.all(
    listTargets(description).map((target) => withKnown(bench, { description, seeded }, target)),
  )
  const checks = new AnswerChecks(description, await namesInside(bench))
  const secrets = secretsOf(seeded)
  const fuzzer = new Fuzzer({ door, checks, secrets, credentials: new Credentials(bench) })
  return { fuzzer, targets, seeded }
}

type World = { description: Description; seeded: Known }

// Adds the ids for an operation's path parameter. A parameter that follows the path of a list is an id of
// that list, so the ids are read from it: `/payouts/{reference}` takes those of `/payouts`.
async function withKnown(
  bench: Bench,
  { description, seeded }: World,
  target: Omit<Target, 'known'>,
): Promise<Target> {
  const [, address = '', name = ''] = /^([^{]+)\/\{(\w+)\}/.exec(target.path) ?? []
  const list = LISTED_AT[address] ?? address
  // The seeded references are those of advices and payments, so any other list's own are read from it.
  const isSeeded = seeded[name] !== undefined && name !== 'reference'
  if (isSeeded || !description.paths[list]?.get) return { ...target, known: seeded }
  const needsSession = 'session' in (description.paths[list].get.security?.[0] ?? {})
  const viewer = needsSession ? await newBrowser(bench, 'owner') : bench
  const answer = await viewer.call({ url: list })
  const rows: Record<string, unknown>[] = answer.json().data
  const hasField = rows.some((row) => row[name] !== undefined)
  if (!hasField && seeded[name]) return { ...target, known: seeded }
  const ids = rows.map((row) => String(row[name] ?? row.id))
  return { ...target, known: { ...seeded, [name]: ids } }
}

// Returns values that only the client with the seeded objects may read, and that are long enough to be
// unique.
function secretsOf({
  accountNumber = [],
  reference = [],
  originalSessionId = [],
}: Known): string[] {
  return [...accountNumber, ...reference, ...originalSessionId].filter(
    (text) => text.length >= TELLING_LENGTH_MIN,
  )
}

// Returns the names of the database's tables, columns and constraints, which no refusal may reveal.
async function namesInside({ db }: Pick<Bench, 'db'>): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
     union select conname from pg_constraint where connamespace = 'public'::regnamespace
     union select attname from pg_attribute join pg_class on pg_class.oid = attrelid
            where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0`,
  )
  return rows.map(({ name }) => name)
}
