// The format of a proof export: the key that signs it, its files, and the fields of their lines.

import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { Sealer } from '#seal.ts'

// The fixed bytes before the 32 bytes of an Ed25519 key in DER (RFC 8410).
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX_BYTES = 12

// `publicKey` and the signature are in hex.
export type ProofKey = { publicKey: string; sign(bytes: string): string }

// The Ed25519 key is derived from the hash key, which is never rotated (docs/decisions/0008). So there is no
// further secret to keep, and an auditor pins the public key once. PRIVATE_PREFIX and the first
// PUBLIC_PREFIX_BYTES are the fixed bytes before a key in DER.
export function proofKey(sealer: Sealer): ProofKey {
  const seed = sealer.hash('proof key', 'ed25519')
  const der = Buffer.concat([PRIVATE_PREFIX, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: spki.subarray(PUBLIC_PREFIX_BYTES).toString('hex'),
    sign: (bytes) => sign(null, Buffer.from(bytes), key).toString('hex'),
  }
}

// The files of a proof export, with the fields and the order of their lines. docs/proof.md specifies them,
// and verifier/verify_proof.py reads them, so a change needs a new version of the format.
//
// The files contain no personal data: no names, narrations or account numbers, and no references that a payer
// can choose.

export const PROOF_FORMAT = 'manilla-proof/1'

type Field = readonly [name: string, sql: string]

export type ProofFile = {
  name: string
  fields: readonly Field[]
  from: string
  order: string // Ids ascend, so that a reader detects a repeated id without storing all of them.
  sums: readonly string[] // Fields whose totals the manifest states.
}

// A time in UTC, with microseconds.
const timeField = (name: string, column: string): Field => [
  name,
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
]

// SQL expression: the kind of object that caused the transfer `t`. CAUSE_ID is that object's id.
const CAUSE = `
  case when t.credit_id is not null then 'credit' when t.payout_id is not null then 'payout'
       when t.settlement_id is not null then 'settlement'
       when t.adjustment_id is not null then 'adjustment'
       when t.difference_id is not null then 'difference'
       when t.hold_id is not null then 'hold' else '' end`

const CAUSE_ID = `
  coalesce(t.credit_id, t.payout_id, t.settlement_id, t.adjustment_id, t.difference_id, t.hold_id, 0)`

const TOTALS = [
  ['gross', 's.gross_kobo'],
  ['fees', 's.fees_kobo'],
  ['vat', 's.vat_kobo'],
  ['reversed', 's.reversed_kobo'],
  ['refunds', 's.refunds_kobo'],
  ['paidOut', 's.paid_out_kobo'],
  ['recovered', 's.recovered_kobo'],
  ['reserved', 's.reserved_kobo'],
  ['released', 's.released_kobo'],
  ['carried', 's.carried_kobo'],
  ['net', 's.net_kobo'],
] as const

export const PROOF_FILES: readonly ProofFile[] = [
  {
    name: 'accounts.ndjson',
    fields: [
      ['id', 'a.id'],
      ['kind', 'a.kind'],
      ['owner', 'a.owner'],
      ['currency', 'a.currency'],
      timeField('openedAt', 'a.opened_at'),
    ],
    from: 'ledger_accounts a',
    order: 'a.id',
    sums: [],
  },
  {
    name: 'credits.ndjson',
    fields: [
      ['id', 'c.id'],
      ['bank', 'c.bank_code'],
      ['currency', 'c.currency'],
      ['amount', 'c.amount_kobo'],
      ['charges', 'c.fee_kobo + c.vat_kobo + c.duty_kobo'],
      ['reversed', 'coalesce(r.kobo, 0)'],
      ['returned', 'coalesce(b.kobo, 0)'],
      ['outcome', 'c.outcome'],
      timeField('receivedAt', 'c.received_at'),
    ],
    from: `credits c
      left join (select credit_id, sum(amount_kobo) as kobo from reversals group by credit_id) as r
        on r.credit_id = c.id
      left join (select i.credit_id, sum(p.amount_kobo) as kobo
                   from returns p join suspense_items i on i.id = p.item_id
                  where p.status = 'confirmed' group by i.credit_id) as b
        on b.credit_id = c.id`,
    order: 'c.id',
    sums: ['amount', 'charges', 'reversed', 'returned'],
  },
  {
    name: 'payouts.ndjson',
    fields: [
      ['id', 'p.id'],
      ['reference', 'p.reference'],
      ['purpose', 'p.purpose'],
      ['status', 'p.status'],
      ['bank', 'p.bank_code'],
      ['currency', 'p.currency'],
      ['amount', 'p.amount_kobo'],
      ['fee', 'p.fee_kobo + p.vat_kobo'],
      ['cost', 'p.cost_kobo + p.cost_vat_kobo'],
      ['settlement', 'p.settlement_id'],
      timeField('requestedAt', 'p.requested_at'),
    ],
    from: 'payouts p',
    order: 'p.id',
    sums: ['amount', 'fee', 'cost'],
  },
  {
    name: 'settlements.ndjson',
    fields: [
      ['id', 's.id'],
      ['reference', 's.reference'],
      ['client', 's.client_id'],
      ['currency', 's.currency'],
      ['status', 's.status'],
      ['lines', 's.lines'],
      ...TOTALS,
      timeField('closedAt', 's.closed_at'),
    ],
    from: 'settlements s',
    order: 's.id',
    sums: ['lines', 'gross', 'net'],
  },
  {
    name: 'settlement-lines.ndjson',
    fields: [
      ['id', 'l.id'],
      ['settlement', 'l.settlement_id'],
      ['kind', 'l.kind'],
      ['credit', 'l.credit_id'],
      ['payout', 'l.payout_id'],
      ['adjustment', 'l.adjustment_id'],
      ['gross', 'l.gross_kobo'],
      ['fee', 'l.fee_kobo'],
      ['vat', 'l.vat_kobo'],
      ['split', 'l.split_kobo'],
      ['reversed', 'l.reversed_kobo'],
      ['other', 'l.other_kobo'],
      ['net', 'l.net_kobo'],
    ],
    from: 'settlement_lines l',
    order: 'l.id',
    sums: ['gross', 'net'],
  },
  {
    name: 'adjustments.ndjson',
    fields: [
      ['id', 'j.id'],
      ['reference', 'j.reference'],
      ['kind', 'j.kind'],
      ['subject', 'j.subject'],
      ['bank', "coalesce(j.bank_code, '')"],
      ['currency', 'j.currency'],
      ['amount', 'j.amount_kobo'],
      ['state', 'j.state'],
      timeField('requestedAt', 'j.requested_at'),
    ],
    from: 'adjustments j',
    order: 'j.id',
    sums: ['amount'],
  },
  {
    name: 'holds.ndjson',
    fields: [
      ['id', 'h.id'],
      ['reference', 'h.reference'],
      ['target', 'h.target'],
      ['currency', 'h.currency'],
      ['held', 'h.held_kobo'],
      ['forfeited', 'h.forfeited_kobo'],
      ['state', 'h.state'],
      timeField('placedAt', 'h.placed_at'),
    ],
    from: 'holds h',
    order: 'h.id',
    sums: ['held', 'forfeited'],
  },
  {
    // Only differences with bookings are exported.
    name: 'differences.ndjson',
    fields: [
      ['id', 'd.id'],
      ['bank', 'd.bank_code'],
      ['currency', 'd.currency'],
      ['kind', 'd.kind'],
      timeField('openedAt', 'd.opened_at'),
    ],
    from: `(select * from differences d
             where exists (select from transfers t where t.difference_id = d.id)) as d`,
    order: 'd.id',
    sums: [],
  },
  {
    name: 'transfers.ndjson',
    fields: [
      ['id', 't.id'],
      ['debit', 't.debit_account_id'],
      ['credit', 't.credit_account_id'],
      ['amount', 't.amount_kobo'],
      ['reason', 't.reason'],
      ['cause', CAUSE],
      ['causeId', CAUSE_ID],
      timeField('postedAt', 't.posted_at'),
    ],
    from: 'transfers t',
    order: 't.id',
    sums: ['amount'],
  },
  {
    name: 'balances.ndjson',
    fields: [
      ['account', 'a.id'],
      ['debits', 'a.debits_kobo'],
      ['credits', 'a.credits_kobo'],
    ],
    from: 'ledger_accounts a',
    order: 'a.id',
    sums: ['debits', 'credits'],
  },
]

// SQL query: the lines of a file, with every field as text.
export function selectLines({ fields, from, order }: ProofFile): string {
  const columns = fields.map(([name, sql]) => `(${sql})::text as "${name}"`)
  return `select ${columns.join(', ')} from ${from} order by ${order}`
}

export type Line = Readonly<Record<string, string | null>>

// Renders a line as JSON, with the fields in their fixed order.
export function renderLine({ fields }: ProofFile, line: Line): string {
  const members = fields.map(([name]) => `"${name}":${JSON.stringify(line[name])}`)
  return `{${members.join(',')}}`
}
