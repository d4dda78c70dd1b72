// Isolation: through no route can another caller see, change or learn of the existence of a
// client's objects. Each route is called with another client's object and with one that does not
// exist, and the answers must be identical. A route without a recipe fails here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { OF_ALL_CLIENTS, WITHOUT } from '../support/isolation-exempt.ts'
import { PAGES } from '../support/isolation-pages.ts'
import { MAKING, RECIPES, type Recipe } from '../support/isolation-recipes.ts'
import { fillWorld, NOBODYS, type Things } from '../support/isolation-world.ts'
import { newBrowser, trySignIn } from '../support/people.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const alphas = await fillWorld(bench, 'ALPHA-SECRET')
const bravosToken = await bench.newClient('BRAVO')
await bench.newClient('CHARLIE')
const charlie = await newBrowser(bench, 'owner', 'CHARLIE')

type Viewer = { name: string; call: (call: Call) => Promise<LightMyRequestResponse> }
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
  const known = [...Object.keys(RECIPES), ...Object.keys(MAKING), ...Object.keys(WITHOUT)]
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
      if (recipe) faults.push(...(await compare(viewer, id, recipe)))
    }

    assert.deepEqual(faults, [])
    assert.equal(await alphasRows(), before)
  })

  test(`${viewer.name} makes its own, whatever of another’s it names`, async () => {
    const before = await alphasRows()
    const faults: string[] = []

    for (const { id } of reachable) {
      for (const call of MAKING[id]?.(alphas) ?? []) {
        const answer = await viewer.call(call)
        if (answer.statusCode !== 200) faults.push(`${id}: ${answer.statusCode} ${answer.body}`)
        if (answer.headers['idempotent-replayed']) faults.push(`${id}: replays another’s answer`)
        faults.push(...leaks(id, answer, JSON.stringify(call)))
      }
    }

    assert.deepEqual(faults, [])
    assert.equal(await alphasRows(), before)
  })
}

test('a sign-in that fails says the same of those who exist and those who do not', async () => {
  const logIn = (clientId: string) =>
    bench.call({
      url: '/api/Account/login',
      body: { clientId, clientSecret: 'wrong' },
      token: null,
    })
  const oauth = (clientId: string) =>
    bench.call({
      method: 'POST',
      url: '/oauth/token',
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=wrong`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      token: null,
    })
  const person = (email: string) => trySignIn(bench, { email, password: 'wrong horse battery' })

  for (const [real, made] of [
    [await logIn(alphas.clientId), await logIn(NOBODYS.clientId)],
    [await oauth(alphas.clientId), await oauth(NOBODYS.clientId)],
    [await person(alphas.userEmail), await person(NOBODYS.userEmail)],
  ] as const) {
    assert.equal(real.statusCode, 401)
    assert.equal(plain(real), plain(made))
  }
})

test('the walk notices a leak, a difference and a change', async () => {
  const own: Viewer = { name: 'the owner', call: (call) => alphasCall(call) }
  const { getCollectionAccount, listCredits, cancelAdvice } = RECIPES as Record<string, Recipe>

  for (const [id, recipe] of Object.entries({ getCollectionAccount, listCredits })) {
    const faults = await compare(own, id, recipe as Recipe)
    assert(faults.some((fault) => fault.includes('tells')))
    assert(faults.some((fault) => fault.includes('differs')))
  }
  const before = await databaseText(bench)
  await compare(own, 'cancelAdvice', cancelAdvice as Recipe)
  assert.notEqual(await databaseText(bench), before)
})

async function alphasCall(call: Call) {
  const owner = await newBrowser(bench, 'owner', alphas.clientId)
  return owner.call(call)
}

async function compare(viewer: Viewer, id: string, recipe: Recipe): Promise<string[]> {
  const faults: string[] = []
  const made = recipe(NOBODYS)
  for (const [at, call] of recipe(alphas).entries()) {
    const real = await viewer.call(call)
    const none = await viewer.call(made[at] as Call)
    faults.push(...leaks(id, real))
    if (real.statusCode === none.statusCode && plain(real) === plain(none)) continue
    const [one, other] = [real, none].map((each) => `${each.statusCode} ${each.body.slice(0, 200)}`)
    faults.push(`${id} differs: ${JSON.stringify(call)}: ${one} | ${other}`)
  }
  return faults
}

// Ignores text that the request itself contained. The answer to a creation may show its input.
function leaks(id: string, answer: LightMyRequestResponse, sent = ''): string[] {
  const text = `${answer.body} ${JSON.stringify(answer.headers)}`
  return secretsOf(alphas)
    .filter((secret) => text.includes(secret) && !sent.includes(secret))
    .map((secret) => `${id} tells ${secret}: ${answer.body.slice(0, 200)}`)
}

// Numbers as short as an id occur by chance.
function secretsOf(of: Things): string[] {
  const { cursors, creditId, itemId, requestId, ledgerIds, sequence, ...texts } = of
  return [...Object.values(texts), ...Object.values(cursors), 'Alpha', 'alpha-secret']
}

function plain(answer: LightMyRequestResponse): string {
  const { 'x-request-id': requestId } = answer.headers
  const { etag, location, 'content-type': type } = answer.headers
  const body = answer.body.replaceAll(String(requestId), '')
  return JSON.stringify([answer.statusCode, type, etag, location, body])
}

// Every row of the client, in every table with a client_id.
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

async function readOperations(): Promise<Operation[]> {
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  return Object.values<Record<string, Described>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, security = [], tags = [] }) => {
      const ways = security.flatMap((way) => Object.keys(way))
      // A user may call every operation that takes the client's token, except those that need none.
      const isPersons = ways.includes('bearer') && security.every((way) => 'bearer' in way)
      return { id: operationId, tags, ways: isPersons ? [...ways, 'session'] : ways }
    }),
  )
}

// The router prints a tree: four columns per level, each with the rest of the path and its methods.
function routesOf(tree: string): string[] {
  const path: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', , part = '', methods = ''] =
      /^((?:[│ ] {3})*)([├└]── )(.*?) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (part === '') return []
    path.length = indent.length / 4
    path.push(part)
    const known = methods.split(', ').filter((each) => each !== 'HEAD' && each !== 'OPTIONS')
    return known.map((method) => nameOf(method, path.join('')))
  })
}

function nameOf(method: string, path: string): string {
  const plainPath = path.replace(/\{\w+\}|:[^/]+/g, '{}')
  return `${method.toUpperCase()} ${plainPath.toLowerCase()}`
}
