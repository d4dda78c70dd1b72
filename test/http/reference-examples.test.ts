// The examples of the API reference work as printed: each curl command of a client's operation is sent to a
// sandbox with the client's token, and each call of the SDK must send the same request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { isOperatorScope, type Scope } from '#access/permissions.ts'
import { type Description, type Entry, sectionsOf } from '#http/reference/outline.ts'
import { Manilla } from '../../sdk/src/sdk.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAdvice, initiate } from '../support/fixtures.ts'
import { fillWorld } from '../support/isolation-world.ts'
import { pay } from '../support/refunding.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const description: Description = (await bench.call({ url: '/openapi.json', token: null })).json()
const sections = sectionsOf(description)
const pages = new Map<string, string>()
for (const { slug } of sections) {
  pages.set(slug, (await bench.call({ url: `/docs/${slug}`, token: null })).body)
}

// Examples that cannot succeed by themselves, each with the reason and the test that covers it.
const EXCEPTIONS: Readonly<Record<string, string>> = {
  streamEvents: 'endless: test/webhooks/event-stream.test.ts',
  getReplay: 'its endpoint is another than that of replayEvents: test/webhooks',
  getMessage: 'no message was sent: test/messages',
  getMessageContent: 'no message was sent: test/messages',
  unsuppressAddress: 'its id is known once an address is suppressed: test/messages',
  assignSuspense: 'the payer of a suspended transfer decides where it fits: test/suspense',
  returnSuspense: 'the item already has a request: test/suspense',
  closeSettlement: 'a cut-off must be later than the last one: test/settlement',
  cancelSettlement: 'the settlement was approved before: test/settlement',
  getVatInvoice: 'the operator issues it when the month is closed: test/accounting',
  printVatInvoice: 'the operator issues it when the month is closed: test/accounting',
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

// Returns the text of an operation's example on a page of the reference.
function exampleOn(slug: string, id: string, kind: 'curl' | 'sdk'): string | undefined {
  const page = pages.get(slug) ?? ''
  const start = page.indexOf(`id="${id}" aria-labelledby`)
  const own = page.slice(start, page.indexOf('</section>', start))
  const [, html] = new RegExp(`data-kind="${kind}"[^>]*><code>([\\s\\S]*?)</code>`).exec(own) ?? []
  return html
    ?.replace(/<[^>]+>/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] as string)
}

// Splits a command into words, as a shell does.
function wordsOf(command: string): string[] {
  const words: string[] = []
  const parts = /(?:'[^']*'|"[^"]*"|\\[^\n]|[^\s'"\\])+/g
  for (const [word] of command.replaceAll('\\\n', ' ').matchAll(parts)) {
    words.push(
      word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => {
        return single ?? double ?? escaped
      }),
    )
  }
  return words
}

type Request = Call & { url: string; headers: Record<string, string> }

// Reads a curl command as a request.
function parseCurl(command: string): Request {
  const [program, ...words] = wordsOf(command)
  assert.equal(program, 'curl')
  const request: Request = { url: '', headers: {} }
  while (words.length > 0) {
    const word = words.shift() as string
    if (word === '-X') request.method = words.shift() as NonNullable<Call['method']>
    else if (word === '-d') request.body = words.shift()
    else if (word === '-H') {
      const [name = '', value = ''] = (words.shift() as string).split(': ')
      request.headers[name] = value
    } else request.url = word.replace(/^http:\/\/localhost:\d+/, '')
  }
  if (request.body && !request.headers['content-type']) {
    request.headers['content-type'] = 'application/x-www-form-urlencoded'
  }
  return request
}

// Returns whether a client may call the operation: with its token, or without any.
function isForClients({ path, operation }: Entry): boolean {
  const { description: text = '', security = [] } = operation
  if (security.some((way) => 'session' in way) || path.startsWith('/rails/')) return false
  const [, scope] = /\*\*Scope:\*\* `([a-z:]+)`/.exec(text) ?? []
  return scope === undefined || !isOperatorScope(scope as Scope)
}

// The order in which the examples run: objects are created first and ended last, so that each example finds
// its object.
const LAST = /^(?:delete|deactivate|cancel)/
const CLOCK = /SandboxClock$|^seed/
const STAGES = [/^create/, /./, LAST, /^erase/, CLOCK, /^reset/]
// Returns the stage in which the example of an operation runs: the last stage whose pattern matches, or else
// stage 1, whose pattern `.` is for all others.
const placeOf = (id: string) => {
  const at = STAGES.findLastIndex((pattern) => pattern.test(id) && pattern.source !== '.')
  return at < 0 ? 1 : at
}
const entries = sections
  .flatMap(({ slug, entries: own }) =>
    own.filter(isForClients).map((entry) => ({ ...entry, slug, id: entry.operation.operationId })),
  )
  .sort((one, other) => placeOf(one.id) - placeOf(other.id))

const world = await fillWorld(bench, 'READER')
const { secret } = await registerOf(bench).act('READER', 'rotate-secret')
const token = await bench.login('READER', secret)
await pay(bench, world.accountNumber, '90000')

// The objects of this test by the path up to their key. They take the place of the key in an example's
// address.
const KEYS: Readonly<Record<string, string>> = {
  '/api/v1/accounts/static': world.accountNumber,
  '/Payment/advice': world.openAdvice,
  '/api/Transaction/byadvicereference': world.adviceReference,
  '/api/Transaction/bypaymentreference': world.paymentReference,
  '/api/WebHook/push': world.paymentReference,
  '/api/v1/payments': world.paymentReference,
  '/api/v1/advices': world.openAdvice,
  '/api/v1/credits': world.creditId,
  '/api/v1/suspense': world.itemId,
  '/api/v1/refunds': world.refundReference,
  '/api/v1/settlements': world.settlementReference,
  '/api/v1/bank-accounts': world.bankAccount,
  '/api/v1/payouts': world.payoutReference,
  '/api/v1/ledger/accounts': world.ledgerIds[0] as string,
  '/api/v1/webhook-endpoints': world.endpointId,
  '/sandbox/webhook-endpoints': world.endpointId,
  '/api/v1/events': world.eventId,
}

const newAdvice = async () => (await createAdvice(bench, {}, { token })).adviceReference as string
const newPayment = async () => initiate(bench, await newAdvice(), '035', token)

// Operations that end their object get a new one each.
const OWN_KEYS: Readonly<Record<string, () => Promise<string>>> = {
  initiateBankTransfer: newAdvice,
  extendAdvice: newAdvice,
  cancelAdvice: newAdvice,
  cancelAdviceByAnyReference: newAdvice,
  eraseAdvice: newAdvice,
  deleteLimitProfile: async () => 'alpha-second', // A profile that no account uses.
  refundPayment: async () => {
    const { bankAccount, paymentReference } = await newPayment()
    await pay(bench, bankAccount as string, '6000')
    return paymentReference as string
  },
  refundCredit: async () => (await pay(bench, world.accountNumber, '6000')).sessionId as string,
}

// Replaces the objects that a body or a query names by objects of this test.
async function withObjects(id: string, text: string): Promise<string> {
  const isTransfer = id === 'simulatePayment' || id === 'sendSandboxTransfer'
  const number = isTransfer ? ((await newPayment()).bankAccount as string) : ''
  return (isTransfer ? text.replace('1000000015', number) : text)
    .replaceAll('BAC000000000000017', world.bankAccount)
    .replace('019a85c2-6f3e-7b1d-8a55-0c4c9b7a1e23', world.endpointId)
    .replace(/(?<=\?adviceReference=)[\w-]+/, world.openAdvice)
}

test('each example of a client’s operation runs as it stands', async () => {
  const faults: string[] = []
  for (const { slug, id, path } of entries) {
    if (EXCEPTIONS[id]) continue
    const request = parseCurl((exampleOn(slug, id, 'curl') as string).replace('$TOKEN', token))
    const [object = '', rest] = path.split(/\/\{\w+\}/)
    const key = (await OWN_KEYS[id]?.()) ?? (rest === undefined ? undefined : KEYS[object])
    if (key) request.url = request.url.replace(new RegExp(`^(${object}/)[^/.?]+`), `$1${key}`)
    request.url = await withObjects(id, request.url)
    if (request.body) request.body = await withObjects(id, String(request.body))
    const answer = await bench.call({ ...request, token: null })
    if (answer.statusCode >= 300) {
      faults.push(`${id} ${request.url}: ${answer.statusCode} ${answer.body} ${request.body}`)
    }
  }

  assert.deepEqual(faults, [])
  assert(entries.length > 130, `${entries.length}`)
  const ids = entries.map(({ id }) => id)
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter((id) => !ids.includes(id)),
    [],
  )
})

test('each call of the SDK is the request that curl sends', async () => {
  let sent: Request | undefined
  const manilla = new Manilla({
    ...{ baseUrl: 'http://localhost:8080', clientId: 'READER', clientSecret: 'x' },
    fetch: async (url, { method = 'GET', body } = {}) => {
      const { pathname, search } = new URL(String(url))
      if (pathname === '/api/Account/login') {
        return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3600 })
      }
      const request = { method, url: pathname + search, headers: {} } as Request
      sent = body === undefined ? request : { ...request, body: JSON.parse(String(body)) }
      return Response.json({ data: [], hasMore: false, nextCursor: null })
    },
  })
  const Program = Object.getPrototypeOf(async () => {}).constructor
  const faults: object[] = []
  let count = 0
  for (const { slug, id } of entries) {
    const program = exampleOn(slug, id, 'sdk')
    if (program === undefined) continue
    count += 1
    sent = undefined
    await new Program('manilla', program)(manilla)
    const { method, url, body } = parseCurl(exampleOn(slug, id, 'curl') as string)
    const expected = {
      method: method ?? (body ? 'POST' : 'GET'),
      url,
      body: body ? JSON.parse(String(body)) : undefined,
    }
    const { headers: _, ...actual } = (sent ?? {}) as Request
    if (!isDeepStrictEqual({ body: undefined, ...actual }, expected)) {
      faults.push({ id, actual, expected })
    }
  }

  assert.deepEqual(faults, [])
  assert(count > 90, `${count}`)
})
