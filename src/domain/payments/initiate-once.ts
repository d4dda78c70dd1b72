// Initiations with an Idempotency-Key. Initiating again returns the same number anyway; with a key
// the response is the first one too: the payment as it was then, even if paid or expired since.
//
// A caller without a token holds only an advice reference and must not use up its owner's keys: its
// keys are prefixed with the advice. Header values contain no space, so the two never collide.

import type { Transaction } from '#db/transaction.ts'
import { createOnce, type IdempotencyKey } from '#domain/records/idempotency.ts'
import type { Refusal } from '#errors.ts'
import type { ClientId, PaymentId } from '#ids.ts'
import { kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  type Deps,
  type Initiated,
  type Initiation,
  initiatePayments,
  numberAt,
} from './initiate-payment.ts'
import { type Payment, type PaymentStatus, SELECT_PAYMENT } from './payments.ts'

const OPERATION = 'initiate-payment'

export async function initiateOnce(
  tx: Transaction,
  deps: Deps & { sealer: Sealer },
  initiations: readonly Initiation[],
): Promise<(Initiated | Refusal)[]> {
  // Hardly anybody sends one, and the others pay nothing for it.
  const keyed = initiations.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  if (keyed.length === 0) return initiatePayments(tx, deps, initiations)
  const owners = await findOwners(tx, keyed)
  const answers = await createOnce(tx, deps.now, {
    operation: OPERATION,
    keys: initiations.map((initiation) => toIdempotencyKey(deps.sealer, initiation, owners)),
    make: (places) =>
      initiatePayments(
        tx,
        deps,
        places.map((at) => initiations[at] as Initiation),
      ),
    resourceOf: formatResource,
    find: (resources) => findInitiated(tx, resources),
  })
  return answers.map((answer) =>
    'value' in answer ? { ...answer.value, isReplayed: answer.replayed } : answer,
  )
}

function toIdempotencyKey(
  sealer: Sealer,
  { clientId, adviceId, bankCode, idempotencyKey }: Initiation,
  owners: ReadonlyMap<string, ClientId>,
): IdempotencyKey | undefined {
  const owner = clientId ?? owners.get(adviceId)
  if (idempotencyKey === undefined || owner === undefined) return undefined
  const key = clientId === undefined ? `${adviceId} ${idempotencyKey}` : idempotencyKey
  return {
    clientId: owner,
    key,
    requestHash: sealer.hash(OPERATION, `${adviceId} ${bankCode ?? ''}`),
  }
}

async function findOwners(
  tx: Transaction,
  initiations: readonly Initiation[],
): Promise<Map<string, ClientId>> {
  const { rows } = await tx.query<{ id: string; clientId: ClientId }>({
    name: 'owners-of-advices',
    text: 'select id, client_id as "clientId" from advices where id = any($1::uuid[])',
    values: [initiations.map(({ adviceId }) => adviceId)],
  })
  return new Map(rows.map(({ id, clientId }) => [id, clientId]))
}

type Kept = {
  id: PaymentId
  bankCode: string
  status: PaymentStatus
  paid: string
  expiresAt: string
  at: string
}

function formatResource({ payment, bankCode, at }: Initiated): string {
  const { id, status } = payment
  const paid = payment.amountPaidKobo.toString()
  const [expiresAt, then] = [payment.expiresAt.toISOString(), at.toISOString()]
  return JSON.stringify({ id, bankCode, status, paid, expiresAt, at: then } satisfies Kept)
}

async function findInitiated(
  tx: Transaction,
  resources: readonly string[],
): Promise<Map<string, Initiated>> {
  if (resources.length === 0) return new Map()
  const kept = resources.map((resource) => JSON.parse(resource) as Kept)
  const { rows } = await tx.query<Payment>({
    name: 'payments-initiated-before',
    text: `${SELECT_PAYMENT} where p.id = any($1::uuid[])`,
    values: [kept.map(({ id }) => id)],
  })
  const byId = new Map(rows.map((payment) => [payment.id, payment]))
  return new Map(
    kept.flatMap(({ id, bankCode, status, paid, expiresAt, at }, index) => {
      const now = byId.get(id)
      const accountNumber = now && numberAt(now, bankCode)
      if (!now || !accountNumber) return []
      const amountPaidKobo = kobo(BigInt(paid))
      const payment = { ...now, status, amountPaidKobo, expiresAt: new Date(expiresAt) }
      const initiated = { payment, bankCode, accountNumber, at: new Date(at) }
      return [[resources[index] as string, initiated]]
    }),
  )
}
