// Through no route can a caller see or change another client's objects, or learn that they exist. Each
// route is called with another client's object and with one that does not exist, and the answers must be
// identical. A new route fails here until it has a recipe for these calls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { EXEMPT_OPERATIONS, OF_ALL_CLIENTS } from '../support/isolation-exempt.ts'
import { PAGES } from '../support/isolation-pages.ts'
import { CREATING_RECIPES, RECIPES, type Recipe } from '../support/isolation-recipes.ts'
import { fillWorld, NOBODYS, type Things } from '../support/isolation-world.ts'
import { newBrowser, trySignIn } from '../support/people.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const alphas = await fillWorld(bench, 'ALPHA-SECRET')
const bravosToken = await bench.newClient('BRAVO')
await bench.newClient('CHARLIE')
const charlie = await newBrowser(bench, 'owner', 'CHARLIE')

// A caller that must not see Alpha’s objects: another client, or one of its users.
type Viewer = { name: string; call: (call: Call) => Promise<LightMyRequestResponse> }
// An operation of the API, with the ways to authenticate at it.
type Operation = { id: string; ways: string[]; tags: string[] }

const VIEWERS: (Viewer & { way: string; isOperator?: boolean })[] = [
  {
    name: 'another client',
    way: 'bearer',
    call: (call) => bench.call({ ...call, token: bravosToken }),
  },
  {
    name: 'an operator that is another client',
    way: 'bearer',
    isOperator: true,
    call: (call) => bench.call(call),
  },
  { name: 'an owner of another client', way: 'session', call: charlie.call },
]

const operations = await readOperations()

test('every route has a recipe, or a reason to have none', async () => {
  const known = [
    ...Object.keys(RECIPES),
    ...Object.keys(CREATING_RECIPES),
    ...Object.keys(EXEMPT_OPERATIONS),
  ]
  const ids = operations.map(({ id }) => id)

  assert.deepEqual([...known].sort(), [...ids].sort())
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  const documented = new Set(
    Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => nameOf(method, path)),
    ),
  )
  const unknown = routesOf(bench.service.app.printRoutes({ commonPrefix: false })).filter(
    (route) => !documented.has(route) && !PAGES.some((pattern) => pattern.test(route)),
  )
  assert.deepEqual(unknown, [])
})

const OPERATORS_TAGS = ['Operator', 'Accounting']

for (const viewer of VIEWERS) {
  // Selects the operations at which the viewer can authenticate. In the operator's own operations an operator
  // may see all clients, so these are left out for an operator.
  const reachable = operations.filter(({ id, ways, tags }) => {
    const isOperators =
      tags.some((tag) => OPERATORS_TAGS.includes(tag)) || OF_ALL_CLIENTS.includes(id)
    return ways.includes(viewer.way) && !(viewer.isOperator && isOperators)
  })

  test(`${viewer.name} cannot tell what is another’s from what does not exist`, async () => {
    const before = await alphasRows()
    const faults: string[] = []

    for (const { id } of reachable) {
      const recipe = (RECIPES as Record<string, Recipe>)[id]
      if (recipe) faults.push(...(await compareWithMissing(viewer, id, recipe)))
    }

    assert.deepEqual(faults, [])
    assert.equal(await alphasRows(), before)
  })

  test(`${viewer.name} makes its own, whatever of another’s it names`, async () => {
    const before = await alphasRows()
    const faults: string[] = []

    for (const { id } of reachable) {
      for (const call of CREATING_RECIPES[id]?.(alphas) ?? []) {
        const answer = await viewer.call(call)
        if (answer.statusCode !== 200) faults.push(`${id}: ${answer.statusCode} ${answer.body}`)
        if (answer.headers['idempotent-replayed']) faults.push(`${id}: replays another’s answer`)
        faults.push(...leakedValues(id, answer, JSON.stringify(call)))
      }
    }

    assert.deepEqual(faults, [])
    assert.equal(await alphasRows(), before)
  })
}

test('a failed sign-in gets the same answer for existing and unknown users', async () => {
  const logInWithWrongSecret = (clientId: string) =>
    bench.call({
      url: '/api/Account/login',
      body: { clientId, clientSecret: 'wrong' },
      token: null,
    })
  const requestTokenWithWrongSecret = (clientId: string) =>
    bench.call({
      method: 'POST',
      url: '/oauth/token',
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=wrong`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      token: null,
    })
  const signInWithWrongPassword = (email: string) =>
    trySignIn(bench, { email, password: 'wrong horse battery' })

  for (const [existing, unknown] of [
    [await logInWithWrongSecret(alphas.clientId), await logInWithWrongSecret(NOBODYS.clientId)],
    [
      await requestTokenWithWrongSecret(alphas.clientId),
      await requestTokenWithWrongSecret(NOBODYS.clientId),
    ],
    [
      await signInWithWrongPassword(alphas.userEmail),
      await signInWithWrongPassword(NOBODYS.userEmail),
    ],
  ] as const) {
    assert.equal(existing.statusCode, 401)
    assert.equal(comparableText(existing), comparableText(unknown))
  }
})

test('the walk notices a leak, a difference and a change', async () => {
  const own: Viewer = { name: 'the owner', call: (call) => callAsAlpha(call) }
  const { getCollectionAccount, listCredits, cancelAdvice } = RECIPES as Record<string, Recipe>

  for (const [id, recipe] of Object.entries({ getCollectionAccount, listCredits })) {
    const faults = await compareWithMissing(own, id, recipe as Recipe)
    assert(faults.some((fault) => fault.includes('tells')))
    assert(faults.some((fault) => fault.includes('differs')))
  }
  const before = await databaseText(bench)
  await compareWithMissing(own, 'cancelAdvice', cancelAdvice as Recipe)
  assert.notEqual(await databaseText(bench), before)
})

// Calls the API as an owner of Alpha, the client whose objects others must not see.
async function callAsAlpha(call: Call) {
  const owner = await newBrowser(bench, 'owner', alphas.clientId)
  return owner.call(call)
}

// Makes each call of a recipe with Alpha's objects and with objects that do not exist. The answers must be
// the same.
async function compareWithMissing(viewer: Viewer, id: string, recipe: Recipe): Promise<string[]> {
  const faults: string[] = []
  const callsToMissing = recipe(NOBODYS)
  for (const [at, call] of recipe(alphas).entries()) {
    const toExisting = await viewer.call(call)
    const toMissing = await viewer.call(callsToMissing[at] as Call)
    faults.push(...leakedValues(id, toExisting))
    const isSameStatus = toExisting.statusCode === toMissing.statusCode
    if (isSameStatus && comparableText(toExisting) === comparableText(toMissing)) continue
    const answers = [toExisting, toMissing].map(
      ({ statusCode, body }) => `${statusCode} ${body.slice(0, 200)}`,
    )
    faults.push(`${id} differs: ${JSON.stringify(call)}: ${answers.join(' | ')}`)
  }
  return faults
}

// Returns a fault for each of Alpha's values in an answer. Ignores values that the request itself contained,
// because the answer to a creation may show its input.
function leakedValues(id: string, answer: LightMyRequestResponse, sent = ''): string[] {
  const text = `${answer.body} ${JSON.stringify(answer.headers)}`
  return secretsOf(alphas)
    .filter((secret) => text.includes(secret) && !sent.includes(secret))
    .map((secret) => `${id} tells ${secret}: ${answer.body.slice(0, 200)}`)
}

// Returns Alpha's values that no other client may see. Short ids are left out, because they occur by chance.
function secretsOf(things: Things): string[] {
  const { cursors, creditId, itemId, requestId, ledgerIds, sequence, ...texts } = things
  return [...Object.values(texts), ...Object.values(cursors), 'Alpha', 'alpha-secret']
}

// Returns an answer as text without its request id, which differs each time.
function comparableText(answer: LightMyRequestResponse): string {
  const { 'x-request-id': requestId } = answer.headers
  const { etag, location, 'content-type': type } = answer.headers
  const body = answer.body.replaceAll(String(requestId), '')
  return JSON.stringify([answer.statusCode, type, etag, location, body])
}

// Returns the text of every row of Alpha, in every table with a client_id, to show that nothing changed. A
// row has no client_id if it is the client itself or one of its ledger accounts, so these are added.
async function alphasRows(): Promise<string> {
  const { rows } = await bench.db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where a.attname = 'client_id' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'clients' and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  assert(rows.length > 10)
  const own = `(select id from clients where client_id = '${alphas.clientId}')`
  const parts = rows.map(
    ({ name }) => `select '${name} ' || t::text as line from ${name} t where client_id = ${own}`,
  )
  const all = await bench.db.query<{ line: string }>(
    `${parts.join(' union all ')}
     union all select 'clients ' || t::text from clients t where id = ${own}
     union all select 'ledger ' || l::text from ledger_accounts l
                where owner = 'client:' || ${own}
                   or id in (select id from collection_accounts where client_id = ${own})
     order by 1`,
  )
  return all.rows.map(({ line }) => line).join('\n')
}

type Described = { operationId: string; security?: object[]; tags?: string[] }

// Lists the operations of the API's description with the ways to authenticate at each.
async function readOperations(): Promise<Operation[]> {
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  return Object.values<Record<string, Described>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, security = [], tags = [] }) => {
      const ways = security.flatMap((way) => Object.keys(way))
      // A user's session opens every operation that accepts the client's token, unless the operation is
      // open without any.
      const acceptsSession = ways.includes('bearer') && security.every((way) => 'bearer' in way)
      return { id: operationId, tags, ways: acceptsSession ? [...ways, 'session'] : ways }
    }),
  )
}

// Reads the routes that Fastify prints as a tree: four columns of indentation per level, and on each line a
// part of the path, with the methods if a route ends there.
function routesOf(tree: string): string[] {
  const path: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', , part = '', methods = ''] =
      /^((?:[│ ] {3})*)([├└]── )(.*?) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (part === '') return []
    path.length = indent.length / 4
    path.push(part)
    const usedMethods = methods.split(', ').filter((each) => each !== 'HEAD' && each !== 'OPTIONS')
    return usedMethods.map((method) => nameOf(method, path.join('')))
  })
}

// Returns the method and path of a route with `{}` for each parameter, so that Fastify’s paths and the
// paths of the description compare.
function nameOf(method: string, path: string): string {
  const plainPath = path.replace(/\{\w+\}|:[^/]+/g, '{}')
  return `${method.toUpperCase()} ${plainPath.toLowerCase()}`
}
