// Copies the definitions of terms that the dashboard shows from docs/glossary.md into web/copy/en.ts, as a
// part of `npm run generate`. So each term has only one definition. test/docs/definitions.test.ts compares
// the two files.

const OPENING = '// definitions: written by npm run generate from docs/glossary.md'
const CLOSING = '// /definitions'
const LINE_MAX = 100
const PART_MAX = 90 // Leaves room in a line for indentation, quotation marks and the operator.

// The terms to copy: the key in the catalogue, and the term as the glossary writes it in bold.
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

// The terms of the glossary, each with its name on screens and its definition.
function readGlossary(glossary: string): Map<string, { name: string; text: string }> {
  const rows = [...glossary.matchAll(ROW)].map(
    ([, term = '', name = term, text = '']) =>
      [term, { name: capitalised(name), text: `${capitalised(plain(text))}.` }] as const,
  )
  return new Map(rows)
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

// Removes the Markdown of code and links, which screens do not show.
const plain = (text: string) => text.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')

// Returns the catalogue with the definitions between its markers written anew.
export function withDefinitions(catalogue: string, glossary: string): string {
  const definitions = readGlossary(glossary)
  // The source text of the catalogue's entry for each term.
  const entries = Object.entries(TERMS).map(([key, term]) => {
    const definition = definitions.get(term)
    if (!definition) throw new Error(`docs/glossary.md does not define ${term}`)
    const { name, text } = definition
    return `  ${key}: {\n${propertyLines('name', name)}${propertyLines('meaning', text)}  },\n`
  })
  const [before, rest] = catalogue.split(OPENING)
  const after = rest?.split(CLOSING)[1]
  if (before === undefined || after === undefined) throw new Error(`${OPENING} is missing`)
  const text = `export const definitionsStrings = {\n${entries.join('')}} as const\n`
  return `${before}${OPENING}\n${text}${CLOSING}${after}`
}

// The source text of a property, wrapped as the formatter wraps it: on one line, below its key, or in several
// parts.
function propertyLines(key: string, text: string): string {
  const quote = (part: string) => `'${part.replaceAll("'", '’')}'`
  const oneLine = `    ${key}: ${quote(text)},`
  if (oneLine.length <= LINE_MAX) return `${oneLine}\n`
  const below = `      ${quote(text)},`
  const parts = below.length <= LINE_MAX ? [text] : partsOf(text)
  return `    ${key}:\n      ${parts.map(quote).join(' +\n      ')},\n`
}

// Cuts a text between words into parts that fit into a line.
function partsOf(text: string): string[] {
  const parts: string[] = []
  for (const word of text.split(/(?<= )/)) {
    const longer = `${parts.at(-1) ?? ''}${word}`
    if (parts.length === 0 || longer.length > PART_MAX) parts.push(word)
    else parts[parts.length - 1] = longer
  }
  return parts
}
