// Promises that every operation of the API keeps, checked from its description: credentials, scopes, unknown
// parameters and paging. Isolation between clients is in test/access/route-isolation.test.ts and the
// Idempotency-Key in test/records/idempotency-keys.test.ts, for every operation too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectiveScopes, isOperatorScope, SCOPES, type Scope } from '#access/permissions.ts'
import { type ApiRoute, listRoutes } from '../../scripts/documents.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { fillWorld } from '../support/isolation-world.ts'
import { newBrowser } from '../support/people.ts'
import { type Call, startTestService } from '../support/running-service.ts'
import { ENDPOINTS } from '../support/webhook-journeys.ts'

const UNLIMITED = 'client=0,simulate=0,address=0,initiate=0,login=0,rail=0'
const ENDLESS = 'streamEvents'
const PUBLISHED = 'getCollectionAccount' // The published contract ignores unknown parameters.

const bench = closeAfterTests(await startTestService({ env: { MANILLA_RATE_LIMITS: UNLIMITED } }))
const { make } = registerOf(bench)
const description = (await bench.call({ url: '/openapi.json', token: null })).json()
const routes = listRoutes(description)
const withToken = routes.filter(({ credentials }) => credentials === 'token')
const lists = routes.filter(({ path, method }) =>
  description.paths[path][method.toLowerCase()].parameters?.some(
    (parameter: { name: string }) => parameter.name === 'cursor',
  ),
)

const world = await fillWorld(bench, 'OWNER')
const owner = await newBrowser(bench, 'owner', world.clientId)
const PARAMETERS: Record<string, string> = {
  accountNumber: world.accountNumber,
  reference: world.paymentReference,
  id: world.creditId,
}
const OWN_PARAMETERS: Record<string, string> = {
  listLedgerTransfers: world.ledgerIds[0] as string,
  listSettlementLines: world.settlementReference,
}

const REQUIRED_QUERY: Record<string, string> = {
  listReconciledLines: '&bankCode=035&day=2026-11-14',
  listReconciledItems: '&bankCode=035&day=2026-11-14',
}

// Returns a call of the operation with a value for each parameter of its path: one for this operation, or
// else one for the parameter's name, or else `x`.
function callOf({ operationId, method, path }: ApiRoute, query = ''): Call {
  const url = path.replace(/\{(\w+)\}/g, (_, name) => {
    return OWN_PARAMETERS[operationId] ?? PARAMETERS[name] ?? 'x'
  })
  const required = query && (REQUIRED_QUERY[operationId] ?? '')
  return { method, url: url + query + required, ...(method === 'GET' ? {} : { body: {} }) }
}

// Calls the operations, and returns a fault for each answer that is not right.
async function faultsOf(
  chosen: readonly ApiRoute[],
  { query, token, call = bench.call }: { query?: string; token?: string | null; call?: Caller },
  isRight: (answer: Answer) => boolean,
): Promise<string[]> {
  const faults: string[] = []
  for (const route of chosen) {
    const answer = await call({ ...callOf(route, query), ...(token !== undefined && { token }) })
    if (isRight(answer)) continue
    faults.push(`${route.operationId}: ${answer.statusCode} ${answer.body.slice(0, 300)}`)
  }
  return faults
}

type Caller = (call: Call) => Promise<Answer>
type Answer = Awaited<ReturnType<typeof bench.call>>

const codeOf = (answer: Answer) => /"code":"(\w+)"/.exec(answer.body)?.[1]

test('without a token or session, no operation that needs one is answered', async () => {
  const forPeople = routes.filter(({ credentials }) => credentials === 'session')
  assert(withToken.length > 200 && forPeople.length > 30)
  const isRefused = (answer: Answer) =>
    answer.statusCode === 401 && codeOf(answer) === 'unauthorized'
  assert.deepEqual(await faultsOf(withToken, { token: null }, isRefused), [])
  assert.deepEqual(await faultsOf(withToken, { token: 'x.y.z' }, isRefused), [])
  const isUnknown = ({ statusCode }: Answer) => statusCode === 401
  assert.deepEqual(await faultsOf(forPeople, { token: null }, isUnknown), [])
})

test('a route loads no plugin of the framework', () => {
  const plugins = bench.service.app.printPlugins().trim().split('\n')
  assert(plugins.length < routes.length, `${plugins.length} plugins`)
})

test('every operation that takes a token names the one scope that it needs', () => {
  assert.deepEqual(
    withToken.filter(({ scope }) => scope === undefined),
    [],
  )
  assert.deepEqual(new Set(withToken.map(({ scope }) => scope)), new Set(SCOPES))
})

for (const scope of SCOPES) {
  const needing = withToken.filter((route) => route.scope === scope)
  const granting = SCOPES.filter((each) => effectiveScopes([each]).includes(scope))

  test(`${scope}: all other scopes do not open its operations, and it alone does`, async () => {
    const others = SCOPES.filter((each) => !granting.includes(each))
    const isRefused = (answer: Answer) =>
      answer.statusCode === 403 && codeOf(answer) === 'scope_missing'
    assert.deepEqual(await faultsOf(needing, { token: await tokenWith(others) }, isRefused), [])

    const ending = needing.filter(({ operationId }) => operationId !== ENDLESS)
    for (const each of granting) {
      const token = await tokenWith([each])
      const isLetIn = (answer: Answer) => answer.statusCode !== 403
      assert.deepEqual(await faultsOf(ending, { token }, isLetIn), [])
    }
  })
}

// Creates a client with only these scopes, and returns its token.
async function tokenWith(scopes: readonly Scope[]): Promise<string> {
  const isOperator = scopes.some(isOperatorScope)
  const { clientId, secret } = await make({ scopes, isOperator })
  return bench.login(clientId, secret)
}

test('a parameter that an operation does not have is refused by name', async () => {
  const reading = routes.filter(
    ({ operationId, method, path }) =>
      method === 'GET' && path.startsWith('/api/v1/') && operationId !== PUBLISHED,
  )
  assert(reading.length > 100)
  const isRefused = (answer: Answer) =>
    answer.statusCode === 400 && codeOf(answer) === 'invalid_request' && /"zzz"/.test(answer.body)
  const [ofPeople, ofAll] = [
    reading.filter(({ credentials }) => credentials === 'session'),
    reading.filter(({ credentials }) => credentials !== 'session'),
  ]
  assert(ofPeople.length > 0)
  assert.deepEqual(await faultsOf(ofAll, { query: '?zzz=1' }, isRefused), [])
  const session = { query: '?zzz=1', call: owner.call }
  assert.deepEqual(await faultsOf(ofPeople, session, isRefused), [])
})

// Users of the client with the objects see its lists; operators see theirs.
const isOperators = ({ scope }: ApiRoute) => scope !== undefined && isOperatorScope(scope)
const VIEWERS = [
  { chosen: lists.filter((list) => !isOperators(list)), call: owner.call },
  { chosen: lists.filter(isOperators), call: bench.call },
]

test('a page has 1 to 100 rows', async () => {
  assert(lists.length > 40)
  const isRefused = (answer: Answer) =>
    codeOf(answer) === 'invalid_request' && /"field":"limit"/.test(answer.body)
  for (const limit of ['0', '101', '-1', '1.5', 'x', '']) {
    for (const viewer of VIEWERS) {
      const query = `?limit=${limit}`
      assert.deepEqual(await faultsOf(viewer.chosen, { ...viewer, query }, isRefused), [])
    }
  }
})

test('a cursor of another list, of another client or made up is refused', async () => {
  const isRefused = (answer: Answer) =>
    answer.statusCode === 400 && codeOf(answer) === 'invalid_cursor'
  for (const { chosen, call } of VIEWERS) {
    const own = await cursorFrom(call)
    for (const cursor of [own, 'bm9ib2R5', 'x']) {
      const mustRefuse = ({ path }: ApiRoute) => cursor !== own || path !== ENDPOINTS
      const routes = chosen.filter(mustRefuse)
      const query = `?cursor=${cursor}`
      assert.deepEqual(await faultsOf(routes, { call, query }, isRefused), [])
    }
  }
  for (const [url, cursor] of Object.entries(world.cursors)) {
    const answer = await bench.call({ url: `${url}?limit=1&cursor=${cursor}` })
    assert(isRefused(answer), `${url}: ${answer.body}`)
  }
})

// Creates two rows, and returns the cursor after the first.
async function cursorFrom(call: Caller): Promise<string> {
  for (const name of ['one', 'two']) {
    await call({ url: ENDPOINTS, body: { url: `https://shop.example.com/${name}` } })
  }
  return (await call({ url: `${ENDPOINTS}?limit=1` })).json().nextCursor
}
