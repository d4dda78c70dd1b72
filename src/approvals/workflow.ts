// Maker-checker: one person requests, and another, independent person decides. Also the setting by which a
// client requires it.
//
//   open ──▶ approved     by another, independent person; the action runs in the same transaction
//     ├────▶ rejected     by another person, with a reason
//     ├────▶ withdrawn    by the requester
//     └────▶ void         the subject is gone (written by the folder that owns the table)
//
// A workflow names its table, and defines `lock` (locks the subject of a request), `obstacle` (prevents any
// approval) and `perform` (the requested action). All else is the same for every workflow: who may decide,
// the states, the audit log, and that an approval names the revision that was read. All tables of requests
// have the columns of `Request`. Their constraints and
// triggers enforce the rules again: two people (…_two_people), and that they are independent
// (…_checked_by_another).
//
// Obstacles to an approval, in the order of the checks:
//   people_only          client credentials are not a person
//   other_person_needed  the viewer made the request
//   role_not_allowed     only owners and operators decide on maker-checker itself
//   …                    the obstacles of approvers.ts, then the one of the workflow
//
// Locks: the approver (so that no administrator changes their access in the meantime), the subject, the
// request, then the locks of `perform`.

import assert from 'node:assert/strict'
import type { Client, Role } from '#access/permissions.ts'
import { type Conditions, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { type Action, recordActions, writeAuditLog } from '#records/audit-log.ts'
import { type Approver, lockApprover, unfitnessOf } from './approvers.ts'
import { refuseChanged, revisionOf } from './revision.ts'

export const REQUEST_STATES = ['open', 'approved', 'rejected', 'withdrawn'] as const

export type Request = {
  id: bigint
  state: (typeof REQUEST_STATES)[number] | 'void'
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
  obstacle: RefusalCode | null // The reason why the viewer cannot approve; null if the viewer can.
  revision: string // Names what an approver reads (revision.ts).
}

type Row<R extends Request> = Omit<R, 'revision'>

// Users whose access changed later than `newSince` cannot approve yet.
export type Viewer = { client: Client; actor: string; userId: UserId | null; newSince: Date }
export type Requester = Viewer & { now: Date }
export type Checker = Approver & { now: Date }

const VERBS = { approved: 'approve', rejected: 'reject', withdrawn: 'withdraw' } as const
type Verdict = keyof typeof VERBS
export type Verb = 'request' | (typeof VERBS)[Verdict]

// The obstacles that also apply to rejecting. New and dependent users may reject, because rejecting moves no
// money.
const REJECTION_OBSTACLES: readonly unknown[] = [
  'people_only',
  'other_person_needed',
  'role_not_allowed',
]

type Rules<R extends Request, Deps> = {
  table: string // Named `r` in the SQL below.
  key: 'id' | 'reference'
  columns: string // Selected in addition to the columns of Request.
  joins: string
  isVisible?: (client: Client) => Conditions
  isForSetters?: string // SQL condition: whether the request is about maker-checker itself.
  obstacle?: string // SQL scalar: the code of an obstacle, or null.
  notFound: RefusalCode
  whenVoid?: RefusalCode // The refusal to decide on a void request. Default: request_decided.
  lock?: (tx: Transaction, request: R) => Promise<unknown>
  perform: (tx: Transaction, by: Checker & Deps, request: R) => Promise<void>
  audit: (request: R, verb: Verb, client: Client) => Entry | Entry[]
}

// Written to the audit log of the decider's client, unless the entry names another client.
type Entry = Pick<Action, 'action' | 'subject' | 'detail'> & Partial<Pick<Action, 'clientId'>>

// `check` throws if this decision on the request is not allowed.
type Decision<R> = {
  key: bigint | string
  state: Verdict
  reason?: string | null
  check: (request: R) => Promise<void> | void
}

type Page = { where?: Conditions; beforeId: bigint | null; limit: number }

export class Workflow<R extends Request, Deps = unknown> {
  readonly #rules: Rules<R, Deps>

  constructor(rules: Rules<R, Deps>) {
    this.#rules = rules
  }

  // Throws a Refusal if there is no such request, or if the viewer may not see it.
  async get(db: Queryable, viewer: Viewer, key: bigint | string): Promise<R> {
    return this.#read(db, viewer, { key })
  }

  // Newest first.
  async list(db: Queryable, viewer: Viewer, page: Page): Promise<R[]> {
    const { where = [], beforeId, limit } = page
    const conditions = [...where, ['r.id < $', beforeId] as const]
    return this.#select(db, viewer, { conditions, rest: `order by r.id desc limit ${limit}` })
  }

  // Counts the requests that the viewer may approve now, among the newest `max` open ones.
  async countApprovable(db: Queryable, viewer: Viewer, max: number): Promise<number> {
    const open = await this.list(db, viewer, { where: OPEN, beforeId: null, limit: max })
    return open.filter(({ obstacle }) => obstacle === null).length
  }

  // Refuses with `conflict` if the table admits no further open request about the subject.
  async request(
    tx: Transaction,
    by: Requester,
    { values, conflict }: { values: Readonly<Record<string, unknown>>; conflict: RefusalCode },
  ): Promise<R> {
    const { table, key } = this.#rules
    const { actor, userId, now } = by
    const makerColumns = { requested_by: actor, requested_by_user: userId, requested_at: now }
    const row = { ...values, ...makerColumns }
    const placeholders = Object.keys(row).map((_, index) => `$${index + 1}`)
    const { rows } = await tx.query<{ key: bigint | string }>(
      namedByText(
        `insert into ${table} (${Object.keys(row)}) values (${placeholders})
         on conflict do nothing returning ${key} as key`,
        Object.values(row),
      ),
    )
    if (!rows[0]) throw new Refusal(conflict)
    const request = await this.get(tx, by, rows[0].key)
    await this.#record(tx, by, { request, verb: 'request' })
    return request
  }

  // Approves the request and performs its action, if it is as the approver read it. A repetition by the same
  // user changes nothing.
  async approve(
    tx: Transaction,
    by: Checker & Deps,
    { key, revision }: { key: bigint | string; revision: string },
  ): Promise<R> {
    const { lock, perform } = this.#rules
    const subject = await this.get(tx, by, key) // A request's subject never changes: no lock is needed yet.
    await lockApprover(tx, by)
    await lock?.(tx, subject)
    // #decide calls `check` while it holds the lock of the request, and then marks the request as approved.
    const check = async (request: R) => {
      if (request.obstacle) throw new Refusal(request.obstacle)
      refuseChanged(request.revision, revision)
      await perform(tx, by, request)
    }
    return this.#decide(tx, by, { key, state: 'approved', check })
  }

  // A user whose access is new or depends on the maker may reject, because that moves no money.
  async reject(
    tx: Transaction,
    by: Checker,
    { key, reason }: { key: bigint | string; reason: string },
  ): Promise<R> {
    const check = ({ obstacle }: R) => {
      if (obstacle && REJECTION_OBSTACLES.includes(obstacle)) throw new Refusal(obstacle)
    }
    return this.#decide(tx, by, { key, state: 'rejected', reason, check })
  }

  // Only the user who made the request may withdraw it.
  async withdraw(tx: Transaction, by: Checker, key: bigint | string): Promise<R> {
    const check = ({ requestedBy }: R) => {
      if (requestedBy !== by.actor) throw new Refusal('own_request_only')
    }
    return this.#decide(tx, by, { key, state: 'withdrawn', check })
  }

  // Locks the request, runs `check`, and stores the decision. A repetition by the same user changes nothing.
  async #decide(
    tx: Transaction,
    by: Checker,
    { key, state, reason = null, check }: Decision<R>,
  ): Promise<R> {
    const { table, whenVoid = 'request_decided' } = this.#rules
    const request = await this.#read(tx, by, { key, lock: 'for no key update of r' })
    if (request.state === state && request.decidedBy === by.actor) return request
    if (request.state === 'void') throw new Refusal(whenVoid)
    if (request.state !== 'open') throw new Refusal('request_decided')
    await check(request)
    const { rowCount } = await tx.query({
      name: `decide-${table}`,
      text: `update ${table}
                set state = $2, decided_by = $3, decided_by_user = $4, decided_at = $5,
                    decision_reason = $6
              where id = $1 and state = 'open'`,
      values: [request.id, state, by.actor, by.userId, by.now, reason],
    })
    assert(rowCount === 1, `request ${request.id} of ${table} is not open`)
    const decidedRequest = await this.get(tx, by, key)
    await this.#record(tx, by, { request: decidedRequest, verb: VERBS[state] })
    return decidedRequest
  }

  async #read(
    db: Queryable,
    viewer: Viewer,
    { key, lock = '' }: { key: bigint | string; lock?: string },
  ): Promise<R> {
    const conditions = [[`r.${this.#rules.key} = $`, key]] as const
    const [request] = await this.#select(db, viewer, { conditions, rest: lock })
    if (!request) throw new Refusal(this.#rules.notFound)
    return request
  }

  // Selects requests, each with the reason why the viewer cannot approve it. `rest` is SQL after the
  // conditions.
  async #select(
    db: Queryable,
    { client, userId, actor, newSince }: Viewer,
    { conditions, rest }: { conditions: Conditions; rest: string },
  ): Promise<R[]> {
    const { table, columns, joins, isVisible, isForSetters, obstacle = 'null' } = this.#rules
    const { sql, values } = joinConditions([...(isVisible?.(client) ?? []), ...conditions])
    const [user, name, since] = [1, 2, 3].map((place) => `$${values.length + place}`)
    const viewer = `${user}::uuid`
    const setters = `('${SETTERS.join("', '")}')`
    // Only owners and operators (SETTERS) may approve a request about maker-checker itself.
    const forSetters = isForSetters
      ? `when ${isForSetters} and (select role from users where id = ${viewer}) not in ${setters}
           then 'role_not_allowed'`
      : ''
    const unfitness = unfitnessOf({
      maker: 'r.requested_by_user',
      people: 'r.maker_people',
      viewer,
      newSince: `${since}::timestamptz`,
    })
    const text = `
      select r.id, r.state, r.requested_by, r.requested_at, r.decided_by, r.decided_at,
             r.decision_reason, ${columns},
             case when r.state <> 'open' then null
                  when ${viewer} is null then 'people_only'
                  when r.requested_by = ${name}::text then 'other_person_needed'
                  ${forSetters}
                  else coalesce(${unfitness}, ${obstacle}) end as obstacle
        from ${table} r ${joins}
       where ${sql} ${rest}`
    const { rows } = await db.query<Row<R>>(namedByText(text, [...values, userId, actor, newSince]))
    return rows.map((row) => ({ ...row, revision: revisionOf(factsOf(row)) }) as R)
  }

  async #record(
    tx: Transaction,
    { client, actor, now }: Pick<Requester, 'client' | 'actor' | 'now'>,
    { request, verb }: { request: R; verb: Verb },
  ): Promise<void> {
    const entries = [this.#rules.audit(request, verb, client)].flat()
    const actions = entries.map((entry) => ({ clientId: client.id, actor, ...entry }))
    await recordActions(tx, now, actions)
  }
}

const OPEN: Conditions = [['r.state = $', 'open']]

const OF_DECISION = ['state', 'decidedBy', 'decidedAt', 'decisionReason', 'obstacle']

// Returns what an approver reads of a request: all but its decision, and what only the viewer is told.
const factsOf = (row: object) => Object.entries(row).filter(([name]) => !OF_DECISION.includes(name))

// The setting of a client that its requests need a second person's approval. It is read in the transaction
// that it governs and never cached, so it applies as soon as it is turned on.

export async function readMakerChecker(db: Queryable, clientId: ClientId): Promise<boolean> {
  const { rows } = await db.query<{ hasMakerChecker: boolean }>({
    name: 'read-maker-checker',
    text: 'select has_maker_checker from clients where id = $1',
    values: [clientId],
  })
  return rows[0]?.hasMakerChecker === true
}

// Locks the setting, so that a user who turns it on waits for requests that one person is completing alone.
export async function lockMakerChecker(tx: Transaction, clientId: ClientId): Promise<boolean> {
  const { rows } = await tx.query<{ hasMakerChecker: boolean }>({
    name: 'lock-maker-checker',
    text: 'select has_maker_checker from clients where id = $1 for share',
    values: [clientId],
  })
  return rows[0]?.hasMakerChecker === true
}

// The roles that may turn maker-checker on. They may also turn it off, with a second person.
export const SETTERS: readonly Role[] = ['owner', 'operator']

type MakerCheckerChange = { client: Client; actor: string; role: Role; hasMakerChecker: boolean }

// Turns maker-checker on or off. One person turns it on; turning it off takes two people
// (suspense/approve.ts). A repetition changes nothing and writes no audit log.
export async function setMakerChecker(
  tx: Transaction,
  now: Date,
  { client, actor, role, hasMakerChecker }: MakerCheckerChange,
): Promise<void> {
  if (!SETTERS.includes(role)) throw new Refusal('role_not_allowed')
  if (!hasMakerChecker) {
    if (await readMakerChecker(tx, client.id)) throw new Refusal('approval_needed')
    return
  }
  await writeMakerChecker(tx, now, { client, actor, hasMakerChecker: true })
}

// Stores the setting without checking who may change it. Writes to the audit log only if it changes.
export async function writeMakerChecker(
  tx: Transaction,
  now: Date,
  { client, actor, hasMakerChecker }: { client: Client; actor: string; hasMakerChecker: boolean },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'set-maker-checker',
    text: 'update clients set has_maker_checker = $2 where id = $1 and has_maker_checker <> $2',
    values: [client.id, hasMakerChecker],
  })
  if (rowCount === 0) return
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'suspense.settings',
    subject: `client/${client.clientId}`,
    detail: { makerChecker: hasMakerChecker },
  })
}
