// Fields common to all maker-checker requests, and the conversion of a caller into the viewer or approver of
// requests. Only users may decide: client credentials are not a second person.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { HOUR_MS } from '#clock.ts'
import type { Conditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { strictObject, text } from '#http/schemas.ts'
import { Fields } from '#http/view.ts'
import type { Request, Viewer, Workflow } from './workflow.ts'

const REASON_MAX = 500
const REVISION_MAX = 64

export const RevisionRead = Type.String({
  minLength: 1,
  maxLength: REVISION_MAX,
  description:
    'The revision that you have read. If it has changed since, nothing happens (request_changed).',
  'x-says': 'Must be the revision that you have read.',
})

export const REVISION_SAYS = 'Names what you have read. Send it when you approve.'

// The body of every approval, unless it names what was read in another way.
export const ApprovalBody = strictObject({ revision: RevisionRead })

const Obstacle = Type.Object({ code: Type.String(), message: Type.String() })

// The schema of the reason why the viewer cannot approve a request.
export const CannotApprove = (description: string) =>
  Type.Union([Obstacle, Type.Null()], { description })

export function presentObstacle(code: RefusalCode | null) {
  return code && { code, message: new Refusal(code).message }
}

const f = new Fields<Request>()

export const RequestedFields = {
  requestedBy: f.text('requestedBy'),
  requestedAt: f.time('requestedAt'),
}

// The fields of a request that its approver needs.
export const approvalFields = (state: 'open' | 'pending') => ({
  revision: f.token('revision', REVISION_SAYS),
  cannotApprove: f.as(
    CannotApprove(`Why you cannot approve it while ${state}. Null if you can.`),
    ({ obstacle }) => presentObstacle(obstacle),
  ),
})

export const DecidedFields = {
  decidedBy: f.textOrNull('decidedBy'),
  decidedAt: f.timeOrNull('decidedAt'),
  decisionReason: f.textOrNull('decisionReason'),
}

export const RequestReason = text(REASON_MAX, 'Reason, shown to the approver.')

// Options of an operation that only users may call: client credentials are refused.
export const ofPeople = { isForPeople: true, guard: () => requireUser } as const

export async function requireUser({ userId }: FastifyRequest): Promise<void> {
  if (userId === null) throw new Refusal('people_only')
}

// A user whose access changed after the returned time cannot approve yet.
export function newSinceOf({ clock, policy }: Deps): Date {
  return new Date(clock().getTime() - policy.approverWaitHours * HOUR_MS)
}

export function toViewer(deps: Deps, { client, actor, userId }: Identity): Viewer {
  return { client, actor, userId, newSince: newSinceOf(deps) }
}

// The caller as the approver of a request. Refuses client credentials.
export function requireApprover(deps: Deps, by: Identity) {
  const { userId, ...viewer } = toViewer(deps, by)
  if (userId === null) throw new Refusal('people_only')
  return { ...viewer, userId, scopes: by.scopes, now: deps.clock() }
}

// Returns the caller of an operation as a Viewer, who sees requests and why they cannot approve them.
export const viewerOf = (call: Deps & Identity): Viewer => toViewer(call, call)

// Returns the call of an operation together with the fields of a Checker: its caller, who decides on a
// request.
export function checkerOf<C extends Deps & Identity>(call: C) {
  return { ...call, ...requireApprover(call, call) }
}

type Caller = Deps & Identity
type Page = { after: bigint | null; limit: number }
type Rejection = { body: { reason: string } }
type Approval = { body: { revision: string } }

// The parts that the operations on the requests of every workflow have in common: reading a page of them, and
// the options of those that decide on one. `keyOf` returns the key of the request that a call names.
export function operationsOf<R extends Request, D, Named>(
  workflow: Workflow<R, D>,
  keyOf: (call: Named, tx: Transaction) => bigint | string | Promise<bigint>,
) {
  return {
    listRequests: (db: Queryable, call: Caller & Page, where: Conditions) =>
      workflow.list(db, viewerOf(call), { where, beforeId: call.after, limit: call.limit }),
    approving: {
      ...ofPeople,
      body: ApprovalBody,
      run: async (tx: Transaction, call: Caller & D & Named & Approval) => {
        const approval = { key: await keyOf(call, tx), revision: call.body.revision }
        return workflow.approve(tx, checkerOf(call), approval)
      },
    },
    rejecting: {
      ...ofPeople,
      body: strictObject({ reason: text(REASON_MAX, 'Reason, shown to the requester.') }),
      run: async (tx: Transaction, call: Caller & Named & Rejection) => {
        const decision = { key: await keyOf(call, tx), reason: call.body.reason }
        return workflow.reject(tx, checkerOf(call), decision)
      },
    },
    withdrawing: {
      ...ofPeople,
      run: async (tx: Transaction, call: Caller & Named) =>
        workflow.withdraw(tx, checkerOf(call), await keyOf(call, tx)),
    },
  } as const
}

type NamesReference = { params: { reference: string } }

export const referenceOf = ({ params }: NamesReference) => params.reference
