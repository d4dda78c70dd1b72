// What each folder may import: the layers of src/, and the capabilities of src/domain/ in the order
// in which they build on each other. test/tidy-rules.ts enforces both tables, and
// `npm run generate` writes the second into ARCHITECTURE.md, so neither can drift.

// The folders of src/, besides the loose files at its top, which every folder may import and which
// import no folder. src/main.ts and src/wiring.ts put the parts together and may import all.
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  config: ['banks'],
  db: [],
  embedded: ['db'],
  backup: ['embedded'],
  ledger: ['db'],
  banks: [],
  domain: ['config', 'db', 'ledger', 'banks'],
  workers: ['config', 'db', 'domain', 'banks', 'ledger'],
  http: ['config', 'db', 'domain', 'banks', 'ledger'],
  admin: ['config', 'db', 'domain', 'embedded', 'backup'],
}

type Capability = { holds: string; uses: readonly string[] }

export const CAPABILITIES: Readonly<Record<string, Capability>> = {
  records: { holds: 'outbox, alerts, audit log, idempotency, call rates', uses: [] },
  access: { holds: 'clients, users, sessions, roles, secrets', uses: ['records'] },
  routing: { holds: 'choosing the bank of payments and payouts that name none', uses: [] },
  fees: {
    holds: 'fee rules, computing and charging fees and VAT',
    uses: ['records', 'access'],
  },
  splits: {
    holds: 'subaccounts, splits, sharing what is booked',
    uses: ['records', 'access', 'fees'],
  },
  accounts: {
    holds: 'collection accounts, numbers, KYC, limits, payer rules',
    uses: ['records', 'access', 'splits'],
  },
  payouts: {
    holds: 'bank accounts, payouts and their sending, what is available',
    uses: ['records', 'access', 'routing', 'fees'],
  },
  payments: {
    holds: 'advices, payments, initiation, checkout',
    uses: ['records', 'access', 'routing', 'accounts', 'fees', 'splits'],
  },
  credits: {
    holds: 'taking, judging, reversing credits; closing payments; suspense items',
    uses: ['records', 'access', 'accounts', 'fees', 'splits', 'payments'],
  },
  refunds: {
    holds: 'refunding payments and credits; recovering and writing off what is owed',
    uses: ['records', 'access', 'payments', 'credits', 'payouts'],
  },
  requery: {
    holds: 'asking banks for money that came unheard; bank health',
    uses: ['records', 'access', 'routing', 'accounts', 'payments', 'credits'],
  },
  suspense: {
    holds: 'assigning and returning suspended money, maker-checker',
    uses: ['records', 'access', 'accounts', 'fees', 'splits', 'payouts', 'payments', 'credits'],
  },
  webhooks: {
    holds: 'events as rendered, endpoints, delivery',
    uses: ['records', 'access', 'accounts', 'payments', 'credits'],
  },
  settlement: {
    holds: 'closing, approving and cancelling settlements, schedules, reserves',
    uses: ['records', 'access', 'accounts', 'payouts'],
  },
  reconciliation: {
    holds: 'statements, matching, differences, the daily proof',
    uses: ['records', 'access', 'accounts', 'payouts', 'payments', 'credits'],
  },
  accounting: {
    holds: 'closing days, journal, trial balance, VAT, ageing',
    uses: ['records', 'access', 'reconciliation'],
  },
  integrity: { holds: 'checks of the books against the records', uses: ['records'] },
  proof: { holds: 'the books as files that anybody can verify', uses: [] },
  archive: {
    holds: 'moving finished credits of whole months to files',
    uses: ['records', 'proof'],
  },
  reports: {
    holds: 'overview, totals, balances, search, timelines',
    uses: [
      'records',
      'access',
      'routing',
      'accounts',
      'payouts',
      'payments',
      'credits',
      'refunds',
      'requery',
      'suspense',
      'webhooks',
      'settlement',
      'reconciliation',
    ],
  },
  privacy: {
    holds: 'erasure of personal data, data keys',
    uses: ['records', 'access', 'accounts', 'payments'],
  },
  sandbox: {
    holds: 'sandbox transfers, test clocks, seeds and resets, the sandbox’s bank, the demo user',
    uses: [
      'records',
      'access',
      'routing',
      'accounts',
      'payments',
      'credits',
      'payouts',
      'webhooks',
    ],
  },
}

export function capabilityTable(): string {
  const rows = Object.entries(CAPABILITIES).map(
    ([name, { holds, uses }]) => `| \`${name}\` | ${holds} | ${uses.join(', ') || '–'} |`,
  )
  return ['| capability | holds | uses |', '| --- | --- | --- |', ...rows].join('\n')
}

const OPENED = '<!-- capabilities: written by npm run generate -->'
const CLOSED = '<!-- /capabilities -->'

export function withCapabilities(document: string): string {
  const [before, rest] = document.split(OPENED)
  const after = rest?.split(CLOSED)[1]
  if (before === undefined || after === undefined) throw new Error(`${OPENED} is missing`)
  return `${before}${OPENED}\n\n${capabilityTable()}\n\n${CLOSED}${after}`
}
