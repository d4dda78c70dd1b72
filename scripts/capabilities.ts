// Which folders each folder of src/ may import. LAYERS is about the shared folders; CAPABILITIES is about the
// rooms, the folders with one capability each, in the order in which they build on each other.
// test/tidy-imports.ts enforces both tables, and `npm run generate` writes the second into ARCHITECTURE.md.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

// Each shared folder with the folders that it may import; 'rooms' stands for all rooms. In addition, every
// folder may import the files directly in src/, which themselves import no folder. src/main.ts,
// src/wiring.ts, src/http/app.ts and src/workers/run-workers.ts put the parts together and may import
// everything.
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  observability: [],
  db: ['observability'],
  'hot-path': ['db'],
  ledger: ['db', 'hot-path'],
  banks: [],
  config: ['banks', 'db'],
  embedded: ['db'],
  backup: ['embedded'],
  workers: ['config', 'db', 'hot-path', 'ledger', 'banks', 'observability', 'rooms'],
  http: ['config', 'db', 'ledger', 'banks', 'observability', 'rooms'],
  admin: ['config', 'db', 'embedded', 'backup', 'rooms'],
}

// The shared folders that every room may import. In addition, routes and views of a room may import
// src/http/, and its workers may import src/workers/.
export const ROOM_LAYERS: readonly string[] = [
  'config',
  'db',
  'hot-path',
  'ledger',
  'banks',
  'observability',
]

type Capability = { holds: string; uses: readonly string[] }

export const CAPABILITIES: Readonly<Record<string, Capability>> = {
  records: { holds: 'outbox, alerts, audit log, idempotency, call rates', uses: [] },
  messages: {
    holds: 'messages to people by email, SMS and WhatsApp: queueing, sending, the suppression list',
    uses: ['records'],
  },
  access: {
    holds: 'clients, users and who granted them access, sessions, saved views, roles, secrets',
    uses: ['records', 'messages'],
  },
  approvals: {
    holds: 'maker-checker: who may decide, the states of requests, the setting',
    uses: ['records', 'access'],
  },
  fees: {
    holds: 'fee rules, computing and charging fees and VAT',
    uses: ['records', 'access'],
  },
  splits: {
    holds: 'subaccounts, splits, sharing what is booked',
    uses: ['records', 'access', 'fees'],
  },
  identity: {
    holds: 'verifying BVN and NIN, KYC tiers',
    uses: ['records'],
  },
  accounts: {
    holds: 'collection accounts, dynamic accounts, numbers, limits, payer rules',
    uses: ['records', 'access', 'identity', 'splits'],
  },
  routing: {
    holds: 'choosing the bank of payments and payouts that name none',
    uses: ['accounts'],
  },
  holds: {
    holds: 'money of a client that an operator stopped; its release and forfeiture',
    uses: ['records', 'access', 'approvals'],
  },
  payouts: {
    holds: 'bank accounts, payouts and their sending, what is available',
    uses: ['records', 'access', 'approvals', 'routing', 'fees', 'holds'],
  },
  payments: {
    holds: 'advices, payments, initiation, checkout',
    uses: ['records', 'access', 'routing', 'accounts', 'fees', 'splits'],
  },
  credits: {
    holds:
      'taking, judging, reversing credits; closing payments, also when they expire; suspense items',
    uses: ['records', 'access', 'routing', 'accounts', 'fees', 'splits', 'payments'],
  },
  refunds: {
    holds: 'refunding payments and credits',
    uses: ['records', 'access', 'approvals', 'holds', 'payments', 'credits', 'payouts'],
  },
  settlement: {
    holds: 'closing, approving and cancelling settlements, schedules, reserves',
    uses: ['records', 'access', 'approvals', 'accounts', 'holds', 'payouts'],
  },
  cases: {
    holds: 'reports of fraud: parties, evidence, deadlines, outcome; their export and erasure',
    uses: ['records', 'access', 'approvals', 'credits', 'settlement'],
  },
  screening: {
    holds: 'rules and lists that stop credits and payouts; their decisions, tests and replays',
    uses: [
      'records',
      'access',
      'approvals',
      'accounts',
      'holds',
      'payouts',
      'payments',
      'credits',
      'cases',
    ],
  },
  requery: {
    holds: 'asking banks for money that came unheard; bank health',
    uses: ['records', 'access', 'routing', 'accounts', 'payments', 'credits'],
  },
  suspense: {
    holds: 'assigning and returning suspended money',
    uses: [
      'records',
      'access',
      'approvals',
      'accounts',
      'fees',
      'splits',
      'holds',
      'screening',
      'payouts',
      'payments',
      'credits',
    ],
  },
  webhooks: {
    holds: 'events as rendered, endpoints, deliveries and their attempts',
    uses: ['records', 'access', 'splits', 'accounts', 'payments', 'credits'],
  },
  chat: {
    holds: 'alerts and waiting approvals in the operators’ chat',
    uses: ['records', 'webhooks'],
  },
  notices: {
    holds: 'which messages payers, merchants and operators get, read from events and requests',
    uses: ['records', 'messages', 'settlement', 'webhooks'],
  },
  schedules: {
    holds: 'scheduled reports: the exports that users get a link to, for each period',
    uses: ['records', 'messages', 'access'],
  },
  reconciliation: {
    holds: 'statements, matching, differences, the daily proof',
    uses: ['records', 'access', 'approvals', 'accounts', 'payouts', 'payments', 'credits'],
  },
  proof: { holds: 'the books as files that anybody can verify', uses: [] },
  accounting: {
    holds: 'closing days and months, journal, trial balance, tax, ageing; adjusting what is owed',
    uses: [
      'records',
      'access',
      'approvals',
      'fees',
      'accounts',
      'payouts',
      'credits',
      'settlement',
      'reconciliation',
      'proof',
    ],
  },
  integrity: { holds: 'checks of the books against the records', uses: ['records'] },
  reports: {
    holds: 'overview, totals, balances, search, timelines',
    uses: [
      'records',
      'access',
      'approvals',
      'holds',
      'splits',
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
      'screening',
      'reconciliation',
      'accounting',
    ],
  },
  privacy: {
    holds: 'erasure of personal data, data keys',
    uses: ['records', 'access', 'accounts', 'payments'],
  },
  sandbox: {
    holds: 'sandbox transfers, the test clock, seeds and resets, the sandbox’s bank, the demo user',
    uses: [
      'records',
      'access',
      'routing',
      'accounts',
      'payments',
      'credits',
      'payouts',
      'webhooks',
      'identity',
    ],
  },
}

const ROOT = join(import.meta.dirname, '..')

// The files that many rooms have, under these names.
const CANONICAL = /^(?:.+-)?(?:routes|views|workers|queries|states)\.ts$/

// The files that only this room has, by name, without their ending.
function filesOf(room: string): string {
  return readdirSync(join(ROOT, 'src', room))
    .filter((name) => name.endsWith('.ts') && !CANONICAL.test(name))
    .map((name) => name.slice(0, -'.ts'.length))
    .sort()
    .join(', ')
}

// The table of ARCHITECTURE.md: for each capability, its contents, its files and the capabilities that it may
// import.
export function capabilityTable(): string {
  const rows = Object.entries(CAPABILITIES).map(
    ([name, { holds, uses }]) =>
      `| \`${name}\` | ${holds} | ${filesOf(name) || '–'} | ${uses.join(', ') || '–'} |`,
  )
  return [
    '| capability | holds | its own files | uses |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const OPENING = '<!-- capabilities: written by npm run generate -->'
const CLOSING = '<!-- /capabilities -->'

// Returns ARCHITECTURE.md with the table between its markers written anew.
export function withCapabilities(document: string): string {
  const [before, rest] = document.split(OPENING)
  const after = rest?.split(CLOSING)[1]
  if (before === undefined || after === undefined) throw new Error(`${OPENING} is missing`)
  return `${before}${OPENING}\n\n${capabilityTable()}\n\n${CLOSING}${after}`
}
