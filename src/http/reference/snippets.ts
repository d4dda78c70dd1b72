// Renders the example of an operation as a curl command and as a call of the SDK. Tests run both unchanged
// (test/http/reference-examples.test.ts).

import { KEYS } from './example-values.ts'
import { type Components, type Content, type Entry, exampleOf, type Parameter } from './outline.ts'

export const TOKEN = '$TOKEN'

// Returns the example value of a parameter: its own, a known id of its resource, or one built from its
// schema.
function parameterValue(
  { name, in: place, schema, example }: Parameter,
  { path, operation }: Entry,
  components: Components,
): string {
  if (example !== undefined) return String(example)
  // A parameter of the path identifies the object, which KEYS has by the path before the parameter.
  const key = place === 'path' ? KEYS[path.split(`/{${name}}`)[0] as string] : undefined
  if (key) return key
  return String(exampleOf(schema, components, [path, operation.operationId, name]))
}

export type Example = {
  url: string // The path with its parameters filled in, and the required query.
  body?: { type: string; value: unknown }
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  authentication: 'token' | 'session' | 'none'
}

const READABLE = ['application/json', 'application/x-www-form-urlencoded']

// Builds the example request of an operation, with the path's parameters, the required query and the body.
export function exampleOfEntry(entry: Entry, components: Components): Example {
  const { path, operation } = entry
  const { parameters = [], requestBody, security = [] } = operation
  const valuesIn = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && (place === 'path' || parameter.required))
        .map((parameter) => [parameter.name, parameterValue(parameter, entry, components)]),
    )
  const [params, query] = [valuesIn('path'), valuesIn('query')]
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? name))
  const search = new URLSearchParams(query).toString()
  const type = bodyType(requestBody?.content)
  const value = type && bodyValue(requestBody?.content ?? {}, type)
  // A JSON body without fields is left out.
  const hasBody = type !== 'application/json' || !['null', '{}'].includes(JSON.stringify(value))
  const isForPeople = security.some((way) => 'session' in way)
  return {
    url: search ? `${filled}?${search}` : filled,
    ...(hasBody && type && { body: { type, value } }),
    params,
    query,
    authentication: isForPeople ? 'session' : security.length > 0 ? 'token' : 'none',
  }
}

// The type of body that the example uses: one that people can read, if the operation accepts any.
function bodyType(content: Content | undefined): string | undefined {
  const types = Object.keys(content ?? {})
  return READABLE.find((type) => types.includes(type)) ?? types[0]
}

// Returns the example of a body of this type: the first of several named examples, or the only one.
function bodyValue(content: Content, type: string): unknown {
  const { example, examples } = content[type] ?? {}
  return examples ? Object.values(examples)[0]?.value : example
}

const FORM = 'grant_type=client_credentials&client_id=MAN0000001&client_secret=sandbox-secret'
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

// Returns the curl command of an example. Its token, session and CSRF token are shell variables.
export function curlOf(
  { method }: Entry,
  base: string,
  { url, body, authentication }: Example,
): string {
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined) // curl infers the method.
  const isChange = method !== 'GET'
  const parts = [
    `curl${isImplied ? '' : ` -X ${method}`} ${shellQuoted(base + url)}`,
    ...(authentication === 'token' ? [`-H "authorization: Bearer ${TOKEN}"`] : []),
    ...(authentication === 'session' ? ['-b "$SESSION"'] : []),
    ...(authentication === 'session' && isChange ? ['-H "x-csrf-token: $CSRF"'] : []),
    ...(body ? bodyParts(body) : []),
  ]
  return parts.join(' \\\n  ')
}

// Returns the arguments of curl that send the body. A form is always the one of OAuth's token request (FORM).
function bodyParts({ type, value }: NonNullable<Example['body']>): string[] {
  if (type === 'application/json') {
    return [
      "-H 'content-type: application/json'",
      `-d ${shellQuoted(JSON.stringify(value, null, 2))}`,
    ]
  }
  if (type === 'application/x-www-form-urlencoded') return [`-d ${shellQuoted(FORM)}`]
  return [`-H 'content-type: ${type}'`, '--data-binary @file']
}

// The operations that have a method of their own in the SDK, with its arguments. All others are called with
// list() or request().
const SDK_METHODS: Readonly<Record<string, string>> = {
  createCollectionAccount: 'accounts.create(body)',
  createCollectionAccounts: 'accounts.createMany(body)',
  getCollectionAccount: 'accounts.get(accountNumber)',
  getCollectionAccountDetails: 'accounts.details(accountNumber)',
  listCollectionAccounts: 'accounts.list().page()',
  updateCollectionAccount: 'accounts.update(accountNumber, body)',
  listAccountTransactions: 'accounts.transactions(accountNumber).page()',
  exportAccountStatement: 'accounts.statement(accountNumber)',
  createAdvice: 'advices.create(body)',
  findAdvice: 'advices.get(reference)',
  listAdvices: 'advices.list().page()',
  extendAdvice: 'advices.extend(reference, body)',
  cancelAdviceByAnyReference: 'advices.cancel(reference)',
  initiateBankTransfer: 'payments.initiate(adviceReference, body)',
  listSupportedBanks: 'payments.banks()',
  getPayment: 'payments.get(reference)',
  listPayments: 'payments.list().page()',
  refundPayment: 'payments.refund(reference, body)',
  listPaymentRefunds: 'payments.refunds(reference).page()',
  requeryPayment: 'payments.requery(reference, body)',
  pushPayment: 'payments.resend(paymentReference)',
  getPaymentTimeline: 'payments.timeline(reference)',
  getCredit: 'credits.get(id)',
  listCredits: 'credits.list().page()',
  refundCredit: 'credits.refund(id, body)',
  getCreditTimeline: 'credits.timeline(id)',
  getEvent: 'events.get(id)',
  listEvents: 'events.list().page()',
  getSettlement: 'settlements.get(reference)',
  listSettlements: 'settlements.list().page()',
  listSettlementLines: 'settlements.lines(reference).page()',
  getUpcomingSettlement: 'settlements.upcoming()',
  closeSettlement: 'settlements.close(body)',
  approveSettlement: 'settlements.approve(reference, body)',
  cancelSettlement: 'settlements.cancel(reference)',
  sendSandboxTransfer: 'sandbox.transfer(body)',
  setSandboxPayoutOutcome: 'sandbox.payoutOutcome(body)',
  seedSandbox: 'sandbox.seed(body)',
  getSandboxSeed: 'sandbox.seeding()',
  resetSandbox: 'sandbox.reset()',
  getSandboxClock: 'sandbox.clock.get()',
  advanceSandboxClock: 'sandbox.clock.advance(body)',
  releaseSandboxClock: 'sandbox.clock.release()',
  getWebhookChaos: 'sandbox.chaos.get(id)',
  setWebhookChaos: 'sandbox.chaos.set(id, body)',
  deleteWebhookChaos: 'sandbox.chaos.stop(id)',
}

// Returns the call of the SDK for an operation, or undefined if the SDK does not support the operation: it
// logs in by itself, and supports neither sessions nor the API for banks. SDK_METHODS has calls such as
// `payments.get(reference)`, with the names of their arguments.
export function sdkOf({ method, path, operation }: Entry, example: Example): string | undefined {
  const { params, query, body, authentication } = example
  const isJson = !body || body.type === 'application/json'
  const answer = operation.responses['200']?.content ?? {}
  const sdkMethod = SDK_METHODS[operation.operationId]
  if (sdkMethod) return `await manilla.${sdkMethod.replace(/\b\w+(?=[,)])/g, argumentText)}`
  if (authentication !== 'token' || !isJson || !('application/json' in answer)) return undefined
  const isList = operation.parameters?.some(({ name }) => name === 'cursor')
  const input = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(Object.keys(query).length > 0 && { [isList ? 'filter' : 'query']: query }),
    ...(body && { body: body.value }),
  }
  const options = Object.keys(input).length > 0 ? `, ${typescriptLiteral(input)}` : ''
  return isList
    ? `await manilla.list('${path}'${options}).page()`
    : `await manilla.request('${method.toLowerCase()}', '${path}'${options})`

  // Replaces the name of an argument in SDK_METHODS by its value in the example.
  function argumentText(name: string): string {
    return name === 'body' ? typescriptLiteral(body?.value ?? {}) : `'${params[name] ?? name}'`
  }
}

// Formats a value as TypeScript: single quotes, and keys without quotation marks if they need none.
function typescriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/(?<!\\)"((?:[^"\\]|\\.)*)"/g, (whole, text: string) =>
      text.includes("'") || text.includes('\\') ? whole : `'${text}'`,
    )
}
