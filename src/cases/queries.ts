// Reads cases for operators: a list, and one case with all its data.

import { type Conditions, listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { CaseId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { Kind, Party } from './case.ts'
import { type Deadline, type DeadlineName, isRunning, listDeadlines } from './deadlines.ts'
import { type Evidence, listEvidence } from './evidence.ts'
import type { CaseState, Outcome } from './states.ts'

export type Case = {
  id: CaseId
  reference: string
  kind: Kind
  clientName: string | null // The client's login name.
  amountKobo: Kobo | null
  summarySealed: Buffer
  reporterReference: string | null
  state: CaseState
  outcome: Outcome | null
  reportedAt: Date
  openedBy: string
  openedAt: Date
  closedAt: Date | null
  erasedAt: Date | null
  isJoint: boolean
  nextDueAt: Date | null // The first deadline whose clock runs and that is not met.
  nextDeadline: DeadlineName | null // Its name.
}

export type CaseParty = Party & { addedBy: string; addedAt: Date }
export type CaseNote = { note: string; writtenBy: string; writtenAt: Date }
export type CaseChange = {
  change: string
  detail: Record<string, string | number | null>
  changedBy: string
  changedAt: Date
}
export type CaseCredit = {
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  outcome: string
  receivedAt: Date
}
export type CaseHold = {
  reference: string
  state: string
  heldKobo: Kobo
  forfeitedKobo: Kobo
  currency: string
  placedAt: Date
}

export type WholeCase = Case & {
  parties: CaseParty[]
  notes: CaseNote[]
  evidence: Evidence[]
  credits: CaseCredit[]
  holds: CaseHold[]
  deadlines: Deadline[]
  history: CaseChange[]
}

// SQL scalars: the time and the name of the first unmet deadline of the case `c` whose clock runs.
const nextOf = (column: string) => `
  (select d.${column} from case_deadlines d
    where d.case_id = c.id and d.met_at is null and ${isRunning('c', 'd')}
    order by d.due_at limit 1)`
const NEXT_DUE = nextOf('due_at')

const SELECT = `
  select c.id, c.reference, c.kind, k.client_id as client_name, c.amount_kobo, c.summary_sealed,
         c.reporter_reference, c.state, c.outcome, c.reported_at, c.opened_by, c.opened_at,
         c.closed_at, c.erased_at, c.is_joint, ${NEXT_DUE} as next_due_at,
         ${nextOf('name')} as next_deadline
    from cases c left join clients k on k.id = c.client_id`

// SQL conditions on a list of cases `c`. `$` stands for the value (listQuery() in db/paging.ts).
export const HAS_CREDIT = `exists (
  select from case_credits l join credits r on r.id = l.credit_id
   where l.case_id = c.id and r.session_id = $)`
export const DUE_BEFORE = `${NEXT_DUE} < $`

type Page = { where: Conditions; beforeId: bigint | null; limit: number }

// Lists cases, newest first.
export async function listCases(db: Queryable, { where, beforeId, limit }: Page): Promise<Case[]> {
  const list = { select: SELECT, where, id: 'c.id', after: beforeId, limit }
  const { rows } = await db.query<Case>(listQuery(list))
  return rows
}

// Reads the outline of a case, without parties, notes and files.
export async function getCase(db: Queryable, reference: string): Promise<Case> {
  const { rows } = await db.query<Case>({
    name: 'get-case',
    text: `${SELECT} where c.reference = $1`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('case_not_found')
  return rows[0]
}

// Reads a case with all its data and decrypts parties and notes. Evidence comes without the contents of
// files.
export async function getWholeCase(
  db: Queryable,
  { sealer, now }: { sealer: Sealer; now: Date },
  reference: string,
): Promise<WholeCase> {
  const outline = await getCase(db, reference)
  const readRows = async <Row extends object>(name: string, text: string) =>
    (await db.query<Row>({ name, text, values: [outline.id] })).rows
  const parties = await readRows<Sealed & { role: Party['role'] } & Added>(
    'parties-of-case',
    `select role, details_sealed as sealed, added_by, added_at
       from case_parties where case_id = $1 order by id`,
  )
  const notes = await readRows<Sealed & Omit<CaseNote, 'note'>>(
    'notes-of-case',
    `select note_sealed as sealed, written_by, written_at
       from case_notes where case_id = $1 order by id`,
  )
  return {
    ...outline,
    parties: parties.map(({ sealed, ...party }) => ({
      ...party,
      ...JSON.parse(sealer.open(sealed)),
    })),
    notes: notes.map(({ sealed, ...note }) => ({ ...note, note: sealer.open(sealed) })),
    evidence: await listEvidence(db, outline.id),
    credits: await readRows<CaseCredit>(
      'credits-of-case',
      `select r.session_id, r.bank_code, r.account_number, r.amount_kobo, r.currency, r.outcome,
              r.received_at
         from case_credits l join credits r on r.id = l.credit_id
        where l.case_id = $1 order by r.id`,
    ),
    holds: await readRows<CaseHold>(
      'holds-of-case',
      `select h.reference, h.state, h.held_kobo, h.forfeited_kobo, h.currency, h.placed_at
         from holds h join cases c on c.reference = h.case_reference
        where c.id = $1 order by h.id`,
    ),
    deadlines: await listDeadlines(db, {
      id: outline.id,
      isClosed: outline.state === 'closed',
      isConfirmed: outline.outcome === 'confirmed',
      now,
    }),
    history: await readRows<CaseChange>(
      'history-of-case',
      `select change, detail, changed_by, changed_at
         from case_changes where case_id = $1 order by id`,
    ),
  }
}

type Sealed = { sealed: Buffer }
type Added = { addedBy: string; addedAt: Date }
