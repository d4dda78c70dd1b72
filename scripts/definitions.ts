// The definitions that the dashboard shows, copied from docs/glossary.md into web/copy/en.ts by
// `npm run generate`, so that a term has one definition. test/docs/definitions.test.ts compares them.

const OPENING = '// definitions: written by npm run generate from docs/glossary.md'
const CLOSING = '// /definitions'
const LINE_MAX = 100
const PART_MAX = 90 // With its indentation, quotation marks and operator, a part is within the line.

// The key in the catalogue of each term, as the glossary writes it in bold.
const TERMS: Readonly<Record<string, string>> = {
  gross: 'Gross',
  reversed: 'Reversed by banks',
  returned: 'Returned from suspense',
  refunded: 'Refunded to payers',
  suspended: 'Moved to suspense',
  fees: 'Fees and VAT',
  net: 'Net',
  successRate: 'Success rate',
  inSuspense: 'In suspense',
  failingWebhooks: 'Failing webhooks',
  available: 'Available',
  pending: 'Pending',
  reserved: 'Reserved',
  inTransit: 'In transit',
  subaccounts: 'Subaccounts',
  receivable: 'Owed by you',
  held: 'Held by the operator',
  forfeited: 'Forfeited',
  settlementGross: 'Credits settled',
  settlementNet: 'Settlement amount',
  settlementRefunds: 'Refunds drawn',
  settlementCarried: 'Carried over',
  timing: 'Timing differences',
  adjustingEntry: 'adjusting entry',
  adjustment: 'adjustment',
  advice: 'advice',
  alert: 'alert',
  amountPolicy: 'amount policy',
  attempt: 'attempt',
  auditLog: 'audit log',
  bankAccount: 'bank account',
  bankHealth: 'bank health',
  branding: 'branding',
  case: 'case',
  client: 'client',
  collectionAccount: 'collection account',
  credit: 'credit',
  cutOff: 'cut-off',
  dailyProof: 'daily proof',
  delivery: 'delivery',
  difference: 'difference',
  event: 'event',
  feeRule: 'fee rule',
  hold: 'hold',
  kycTier: 'KYC tier',
  ledgerAccount: 'ledger account',
  limitProfile: 'limit profile',
  makerChecker: 'maker-checker',
  payerRule: 'payer rule',
  payment: 'payment',
  payout: 'payout',
  railItem: 'rail item',
  reconcilingItem: 'reconciling item',
  refund: 'refund',
  reserve: 'reserve',
  return: 'return',
  reversal: 'reversal',
  role: 'role',
  sandboxTransfer: 'sandbox transfer',
  scope: 'scope',
  screening: 'screening',
  sessionId: 'session id',
  settlement: 'settlement',
  signingSecret: 'signing secret',
  split: 'split',
  statement: 'statement',
  suppressionList: 'suppression list',
  suspenseItem: 'suspense item',
  testClock: 'test clock',
  transfer: 'transfer',
  webhookEndpoint: 'webhook endpoint',
}

const ROW = /^\| \*\*([^*]+)\*\*(?: \(on screens: ([^)]+)\))? \| (.+?) \|/gm

// Each term of the glossary with its name on screens and its definition.
function readGlossary(glossary: string): Map<string, { name: string; text: string }> {
  const rows = [...glossary.matchAll(ROW)].map(
    ([, term = '', name = term, text = '']) =>
      [term, { name: capitalised(name), text: `${capitalised(plain(text))}.` }] as const,
  )
  return new Map(rows)
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

// Screens show neither code nor links.
const plain = (text: string) => text.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')

export function withDefinitions(catalogue: string, glossary: string): string {
  const known = readGlossary(glossary)
  const entries = Object.entries(TERMS).map(([key, term]) => {
    const found = known.get(term)
    if (!found) throw new Error(`docs/glossary.md does not define ${term}`)
    return `  ${key}: {\n${line('name', found.name)}${line('meaning', found.text)}  },\n`
  })
  const [before, rest] = catalogue.split(OPENING)
  const after = rest?.split(CLOSING)[1]
  if (before === undefined || after === undefined) throw new Error(`${OPENING} is missing`)
  const text = `export const definitionsStrings = {\n${entries.join('')}} as const\n`
  return `${before}${OPENING}\n${text}${CLOSING}${after}`
}

// One property, wrapped as the formatter wraps it: on one line, below its key, or in parts.
function line(key: string, text: string): string {
  const quote = (part: string) => `'${part.replaceAll("'", '’')}'`
  const whole = `    ${key}: ${quote(text)},`
  if (whole.length <= LINE_MAX) return `${whole}\n`
  const below = `      ${quote(text)},`
  const parts = below.length <= LINE_MAX ? [text] : partsOf(text)
  return `    ${key}:\n      ${parts.map(quote).join(' +\n      ')},\n`
}

function partsOf(text: string): string[] {
  const parts: string[] = []
  for (const word of text.split(/(?<= )/)) {
    const longer = `${parts.at(-1) ?? ''}${word}`
    if (parts.length === 0 || longer.length > PART_MAX) parts.push(word)
    else parts[parts.length - 1] = longer
  }
  return parts
}
