// A case is a report of fraud by a bank, by a payer or by one of our own rules, and the record of the actions
// that followed.
//
//   open ──▶ investigating ──▶ closed, with an outcome ──▶ erased, five years later
//     └───────────────────────▶   │
//              ▲──── reopened ────┘
//
// A case has parties, notes, evidence (evidence.ts), credits, holds (each hold's `case` is the case's
// reference), deadlines (deadlines.ts) and a history. Data that may name a person is sealed: summary,
// parties, notes, evidence.
//
// Code in other folders opens a case in its own transaction, for example:
//
//   const { reference } = await openCase(tx, { actor: 'rule:velocity', operatorId: null, now, sealer }, {
//     kind: 'own_rule', key: `velocity ${creditId}`, summary: '12 credits of ₦49,000 in an hour',
//     clientId, creditIds: [creditId], amountKobo, reportedAt: now,
//   })
//   await placeHold(tx, …, { target: { kind: 'credit', creditId }, caseReference: reference, … })
//
// With a `key`, a case is opened only once: the same key returns the existing case. openCase() locks only the
// new row, and raises no alert and no event, so that it can run anywhere in a transaction. Screening uses
// joinCase() instead, which adds a credit to the open case of a key.
//
// Locks: the case, then its holds, then alerts.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type CaseId, type ClientId, type CreditId, newReference } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { lockErasures } from '#records/erasure-bars.ts'
import type { Sealer } from '#seal.ts'
import {
  addDeadlines,
  type DeadlineName,
  endInvestigation,
  meetDeadline,
  resumeInvestigation,
} from './deadlines.ts'
import { type CaseState, type Outcome, transition } from './states.ts'

export const KINDS = ['bank_report', 'payer_report', 'own_rule'] as const
export type Kind = (typeof KINDS)[number]

export const ROLES = ['reporter', 'payer', 'payee', 'bank', 'other'] as const

export type Party = {
  role: (typeof ROLES)[number]
  name?: string
  accountNumber?: string
  bankCode?: string
  contact?: string
}

// The user or rule that changes a case. `operatorId` is the operator's client, whose audit log gets the
// entry. It is null if a rule acts.
export type CaseActor = { actor: string; operatorId: ClientId | null; now: Date; sealer: Sealer }

type NewCase = {
  kind: Kind
  key?: string
  summary: string
  clientId?: ClientId | null // The client whose money the case is about.
  amountKobo?: Kobo | null
  reporterReference?: string | null
  isJoint?: boolean // Another institution investigates it too.
  reportedAt: Date // Deadlines start at this time.
  creditIds?: readonly CreditId[]
  parties?: readonly Party[]
}

export const LINKS_MAX = 200 // A case has at most this many credits, parties and notes each.

// Opens a case with its deadlines, parties and credits. If the key already has a case, returns that case, and
// `isNew` is false.
export async function openCase(
  tx: Transaction,
  by: CaseActor,
  opening: NewCase,
): Promise<{ reference: string; isNew: boolean }> {
  const { kind, key = null, summary, clientId = null, amountKobo = null, reportedAt } = opening
  const { creditIds = [], parties = [], reporterReference = null, isJoint = false } = opening
  const { rows } = await tx.query<{ id: CaseId; reference: string }>({
    name: 'open-case',
    text: `insert into cases (reference, kind, key, client_id, amount_kobo, summary_sealed,
                              reporter_reference, reported_at, opened_by, opened_at, is_joint)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
           on conflict (kind, key) do nothing returning id, reference`,
    values: [
      newReference('CAS'),
      kind,
      key,
      clientId,
      amountKobo,
      by.sealer.seal(summary),
      reporterReference,
      reportedAt,
      by.actor,
      by.now,
      isJoint,
    ],
  })
  const created = rows[0]
  if (!created) return { reference: await findByKey(tx, kind, key), isNew: false }
  await addDeadlines(tx, { id: created.id, kind, isJoint, reportedAt })
  const amount = amountKobo === null ? null : formatKobo(amountKobo)
  await recordChange(tx, by, {
    ...created,
    change: 'open',
    detail: { kind, amount, reporterReference },
  })
  for (const party of parties) await addParty(tx, by, { lockedCase: created, party })
  for (const creditId of creditIds) await insertCredit(tx, created.id, creditId)
  return { reference: created.reference, isNew: true }
}

type Joining = Omit<NewCase, 'creditIds' | 'key'> & {
  key: string
  creditId: CreditId
  sessionId: string
}

// Adds the credit to the open case of the key, or opens a case. A closed or full case stays as it is, and
// gets a successor with the key `key/2` and so on. The case stays locked, and therefore open, until the
// transaction ends. Returns its reference.
export async function joinCase(
  tx: Transaction,
  by: CaseActor,
  { key, creditId, sessionId, ...opening }: Joining,
): Promise<string> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-cases-of-key',
    text: `select count(*)::int as count from cases
            where kind = $1 and (key = $2 or starts_with(key, $2 || '/'))`,
    values: [opening.kind, key],
  })
  // Starts at the latest case of the key, because the earlier ones were closed or full.
  for (let number = Math.max(rows[0]?.count ?? 0, 1); ; number++) {
    const numberedKey = number === 1 ? key : `${key}/${number}`
    const opened = await openCase(tx, by, { ...opening, key: numberedKey, creditIds: [creditId] })
    if (opened.isNew) return opened.reference
    const { state, ...existing } = await lockCase(tx, opened.reference)
    if (state === 'closed' || (await isFull(tx, 'case_credits', existing.id))) continue
    if (await insertCredit(tx, existing.id, creditId)) {
      await recordChange(tx, by, { ...existing, change: 'credit', detail: { sessionId } })
    }
    return existing.reference
  }
}

// Returns the reference of the case with this key. The caller knows that there is one.
async function findByKey(tx: Transaction, kind: Kind, key: string | null): Promise<string> {
  const { rows } = await tx.query<{ reference: string }>({
    name: 'find-case-by-key',
    text: 'select reference from cases where kind = $1 and key = $2',
    values: [kind, key],
  })
  return (rows[0] as { reference: string }).reference
}

type LockedCase = { id: CaseId; reference: string; state: CaseState }

// Locks a case in any state.
export async function lockCase(tx: Transaction, reference: string): Promise<LockedCase> {
  const { rows } = await tx.query<LockedCase>({
    name: 'lock-case',
    text: 'select id, reference, state from cases where reference = $1 for no key update',
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('case_not_found')
  return rows[0]
}

// Locks a case. Refuses a closed case, because no data may be added to it.
export async function lockOpenCase(tx: Transaction, reference: string): Promise<LockedCase> {
  const lockedCase = await lockCase(tx, reference)
  if (lockedCase.state === 'closed') throw new Refusal('case_closed')
  return lockedCase
}

type Change = {
  id: CaseId
  reference: string
  change: string
  detail?: Record<string, string | number | null>
}

// Adds an entry to the history of the case and to the operator's audit log. Neither entry names a party.
export async function recordChange(
  tx: Transaction,
  { actor, operatorId, now }: Omit<CaseActor, 'sealer'>,
  { id, reference, change, detail = {} }: Change,
): Promise<void> {
  await tx.query({
    name: 'record-case-change',
    text: `insert into case_changes (case_id, change, detail, changed_by, changed_at)
           values ($1, $2, $3, $4, $5)`,
    values: [id, change, JSON.stringify(detail), actor, now],
  })
  if (operatorId === null) return
  const entry = { action: `case.${change}`, subject: `case/${reference}`, detail } as const
  await writeAuditLog(tx, now, { clientId: operatorId, actor, ...entry })
}

// Adds a note of an operator to an open case.
export async function addNote(
  tx: Transaction,
  by: CaseActor,
  { reference, note }: { reference: string; note: string },
): Promise<void> {
  const lockedCase = await lockOpenCase(tx, reference)
  await refuseFull(tx, 'case_notes', lockedCase.id)
  await insertNote(tx, by, { id: lockedCase.id, note })
  await recordChange(tx, by, { ...lockedCase, change: 'note' })
}

// Stores a note, sealed because it may name a person.
async function insertNote(
  tx: Transaction,
  { sealer, actor, now }: CaseActor,
  { id, note }: { id: CaseId; note: string },
): Promise<void> {
  await tx.query({
    name: 'add-case-note',
    text: `insert into case_notes (case_id, note_sealed, written_by, written_at)
           values ($1, $2, $3, $4)`,
    values: [id, sealer.seal(note), actor, now],
  })
}

// Adds a party to a case, sealed. The caller has locked the case or created it.
export async function addParty(
  tx: Transaction,
  by: CaseActor,
  {
    lockedCase,
    party: { role, ...details },
  }: { lockedCase: Omit<LockedCase, 'state'>; party: Party },
): Promise<void> {
  await refuseFull(tx, 'case_parties', lockedCase.id)
  await tx.query({
    name: 'add-case-party',
    text: `insert into case_parties (case_id, role, details_sealed, added_by, added_at)
           values ($1, $2, $3, $4, $5)`,
    values: [lockedCase.id, role, by.sealer.seal(JSON.stringify(details)), by.actor, by.now],
  })
  await recordChange(tx, by, { ...lockedCase, change: 'party', detail: { role } })
}

// Links the credit to the case. Returns whether it was not linked before.
async function insertCredit(tx: Transaction, id: CaseId, creditId: CreditId): Promise<boolean> {
  await refuseFull(tx, 'case_credits', id)
  const { rowCount } = await tx.query({
    name: 'link-case-credit',
    text: 'insert into case_credits (case_id, credit_id) values ($1, $2) on conflict do nothing',
    values: [id, creditId],
  })
  return rowCount === 1
}

// Links a credit to an open case. Linking a credit that is already linked changes nothing.
export async function linkCredit(
  tx: Transaction,
  by: CaseActor,
  { reference, creditId, sessionId }: { reference: string; creditId: CreditId; sessionId: string },
): Promise<void> {
  const lockedCase = await lockOpenCase(tx, reference)
  if (!(await insertCredit(tx, lockedCase.id, creditId))) return
  await recordChange(tx, by, { ...lockedCase, change: 'credit', detail: { sessionId } })
}

// The tables whose number of rows per case is limited.
type LimitedTable = 'case_notes' | 'case_parties' | 'case_credits'

async function refuseFull(tx: Transaction, table: LimitedTable, id: CaseId): Promise<void> {
  if (await isFull(tx, table, id)) throw new Refusal('case_full')
}

// Returns whether the case has the most rows that the table allows for one case.
async function isFull(tx: Transaction, table: LimitedTable, id: CaseId): Promise<boolean> {
  const { rows } = await tx.query<{ count: number }>({
    name: `count-${table}`,
    text: `select count(*)::int as count from ${table} where case_id = $1`,
    values: [id],
  })
  return (rows[0]?.count ?? 0) >= LINKS_MAX
}

// Records that a deadline of a case is met. Recording it again changes nothing. Of a closed case, only the
// reimbursement is still to be met.
export async function recordDeadlineMet(
  tx: Transaction,
  by: CaseActor,
  { reference, name }: { reference: string; name: DeadlineName },
): Promise<void> {
  const lockedCase = await lockCase(tx, reference)
  if (lockedCase.state === 'closed' && name !== 'reimburse') throw new Refusal('case_closed')
  const isMet = await meetDeadline(tx, { id: lockedCase.id, name, actor: by.actor, now: by.now })
  if (isMet && (name === 'resolve' || name === 'resolve_joint')) {
    await endInvestigation(tx, lockedCase.id, by.now)
  }
  if (isMet) await recordChange(tx, by, { ...lockedCase, change: 'deadline_met', detail: { name } })
}

// Begins to investigate an open case. Doing so again changes nothing.
export async function investigate(
  tx: Transaction,
  by: CaseActor,
  reference: string,
): Promise<void> {
  const lockedCase = await lockOpenCase(tx, reference)
  if (lockedCase.state === 'investigating') return
  await transition(tx, {
    ...lockedCase,
    from: 'open',
    to: 'investigating',
    outcome: null,
    now: by.now,
  })
  await recordChange(tx, by, { ...lockedCase, change: 'investigate' })
}

// Closes a case with its outcome. Refuses a case with active holds: an operator must first decide about the
// held money (I133).
export async function closeCase(
  tx: Transaction,
  by: CaseActor,
  { reference, outcome, reason }: { reference: string; outcome: Outcome; reason: string },
): Promise<void> {
  const lockedCase = await lockOpenCase(tx, reference)
  const { rowCount } = await tx.query({
    name: 'active-holds-of-case',
    text: `select from holds where case_reference = $1 and state = 'active' limit 1`,
    values: [reference],
  })
  if (rowCount) throw new Refusal('case_has_holds')
  await insertNote(tx, by, { id: lockedCase.id, note: reason })
  if (outcome === 'confirmed') await endInvestigation(tx, lockedCase.id, by.now)
  await transition(tx, {
    ...lockedCase,
    from: lockedCase.state,
    to: 'closed',
    outcome,
    now: by.now,
  })
  await recordChange(tx, by, { ...lockedCase, change: 'close', detail: { outcome } })
}

// Reopens a closed case for investigation. An erased case stays closed, because its data is gone.
export async function reopenCase(
  tx: Transaction,
  by: CaseActor,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const lockedCase = await lockCase(tx, reference)
  if (lockedCase.state !== 'closed' || (await isErased(tx, lockedCase.id)))
    throw new Refusal('case_not_closed')
  await transition(tx, {
    ...lockedCase,
    from: 'closed',
    to: 'investigating',
    outcome: null,
    now: by.now,
  })
  await insertNote(tx, by, { id: lockedCase.id, note: reason })
  await resumeInvestigation(tx, lockedCase.id)
  await recordChange(tx, by, { ...lockedCase, change: 'reopen' })
}

async function isErased(tx: Transaction, id: CaseId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'is-case-erased',
    text: 'select from cases where id = $1 and erased_at is not null',
    values: [id],
  })
  return rowCount === 1
}

// Five years after a case was closed, its summary, parties, notes and files are erased. The remaining data
// names no person: kind, dates, amount, outcome, credits, holds, history, and the hashes of the files.
//
// Financial institutions must keep such records for five years (Money Laundering (Prevention and Prohibition)
// Act 2022, section 8). Until then a customer's request for erasure does not change a case (docs/cases.md).
const KEPT_YEARS = 5

// SQL condition: no hold and no open case is about the client of the case `c`, or about one of its credits
// (I250).
const NOT_NEEDED = `
  not exists (select from erasure_bars(c.client_id, null, null, null))
  and not exists (select from case_credits l
                   cross join lateral erasure_bars(c.client_id, null, null, l.credit_id)
                   where l.case_id = c.id)`

// Erases the personal data of the case that was closed first, once it was closed KEPT_YEARS ago. Returns
// false if no case is due.
export async function eraseNextCase(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<boolean> {
  await lockErasures(tx)
  const { rows } = await tx.query<{ id: CaseId; reference: string }>({
    name: 'erase-case',
    text: `update cases set erased_at = $1, summary_sealed = $2
            where id = (select id from cases c
                         where erased_at is null
                           and closed_at <= $1::timestamptz - interval '${KEPT_YEARS} years'
                           and ${NOT_NEEDED}
                         order by closed_at limit 1 for no key update skip locked)
           returning id, reference`,
    values: [now, sealer.seal('')],
  })
  const erased = rows[0]
  if (!erased) return false
  await tx.query('delete from case_parties where case_id = $1', [erased.id])
  await tx.query('delete from case_notes where case_id = $1', [erased.id])
  await tx.query(
    `delete from case_evidence_chunks
      where evidence_id in (select id from case_evidence where case_id = $1)`,
    [erased.id],
  )
  const eraseNames = 'update case_evidence set name_sealed = $2 where case_id = $1'
  await tx.query(eraseNames, [erased.id, sealer.seal('')])
  await recordChange(
    tx,
    { actor: 'worker:erase', operatorId: null, now },
    { ...erased, change: 'erase' },
  )
  return true
}
