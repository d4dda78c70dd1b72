// Schemas and presenters of approval requests. Users only: client credentials do not count as a
// second person.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  type ApprovalRequest,
  REQUEST_STATES,
  type Viewer,
} from '#domain/suspense/approval-request-list.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { named, nullable } from '#http/schemas.ts'
import { kobo, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

const HOUR_MS = 3_600_000

const AmountChange = named('AmountChange', {
  from: Type.Number(),
  to: Type.Number(),
  changedBy: Type.String({ description: 'e.g. bank:035 after a partial reversal.' }),
  changedAt: Type.String(),
})

const Obstacle = Type.Object({ code: Type.String(), message: Type.String() })

// Of whatever waits for approval, to who looks.
export const CannotApprove = (description: string) =>
  Type.Union([Obstacle, Type.Null()], { description })

export function presentObstacle(code: RefusalCode | null) {
  return code && { code, message: new Refusal(code).message }
}

export const RequestBody = named('ApprovalRequest', {
  id: Type.Integer(),
  itemId: nullable('number', {
    description: 'Suspense item. Null for requests to disable maker-checker.',
  }),
  itemState: nullable('string'),
  itemReason: nullable('string', { description: 'Suspense reason.' }),
  amount: nullable('number', { description: 'Amount that moves on approval.' }),
  requestedAmount: nullable('number', { description: 'Amount at the time of the request.' }),
  amountChanges: Type.Array(AmountChange, {
    description: 'Changes while the request was pending.',
  }),
  currency: nullable('string'),
  sourceAccountName: nullable('string'),
  action: Type.String({ description: 'assign, return or disable_maker_checker.' }),
  assignTo: nullable('string', { description: 'Payment reference or account number.' }),
  reason: Type.String({ description: 'Reason given by the requester.' }),
  state: Type.String({ description: `One of ${REQUEST_STATES.join(', ')}.` }),
  requestedBy: Type.String(),
  requestedAt: Type.String(),
  isOwn: Type.Boolean({ description: 'Whether you are the requester.' }),
  cannotApprove: CannotApprove('Why you cannot approve it while pending. Null if you can.'),
  decidedBy: nullable('string'),
  decidedAt: nullable('string'),
  decisionReason: nullable('string'),
})

export async function requireUser({ userId }: FastifyRequest): Promise<void> {
  if (userId === null) throw new Refusal('people_only')
}

// Users whose access was changed later approve nothing yet.
export function newSinceOf({ clock, policy }: Deps): Date {
  return new Date(clock().getTime() - policy.approverWaitHours * HOUR_MS)
}

export function toViewer(deps: Deps, { client, actor, userId }: Identity): Viewer {
  return { client, actor, userId, newSince: newSinceOf(deps) }
}

export function requireApprover(deps: Deps, by: Identity) {
  const { userId, ...viewer } = toViewer(deps, by)
  if (userId === null) throw new Refusal('people_only')
  return { ...viewer, userId, scopes: by.scopes, now: deps.clock() }
}

type Showing = { actor: string; sealer: Sealer }

export function presentRequest(request: ApprovalRequest, { actor, sealer }: Showing) {
  const { decidedAt, itemId, amountKobo, requestedKobo, obstacle } = request
  return {
    id: publicId(sealer, 'request', request.id),
    itemId: itemId === null ? null : publicId(sealer, 'suspense', itemId),
    itemState: request.itemState,
    itemReason: request.itemReason,
    amount: amountKobo === null ? null : toNaira(amountKobo),
    requestedAmount: requestedKobo === null ? null : toNaira(requestedKobo),
    amountChanges: request.changes.map(({ fromKobo, toKobo, changedBy, changedAt }) => ({
      from: toNaira(kobo(BigInt(fromKobo))),
      to: toNaira(kobo(BigInt(toKobo))),
      changedBy,
      changedAt: timestamp(new Date(changedAt)),
    })),
    currency: request.currency,
    sourceAccountName: request.sourceAccountName,
    action: request.action,
    assignTo: request.toPaymentId ?? request.toAccount,
    reason: request.reason,
    state: request.state,
    requestedBy: request.requestedBy,
    requestedAt: timestamp(request.requestedAt),
    isOwn: request.requestedBy === actor,
    cannotApprove: presentObstacle(obstacle),
    decidedBy: request.decidedBy,
    decidedAt: decidedAt && timestamp(decidedAt),
    decisionReason: request.decisionReason,
  }
}
