// The routes by which a client erases the personal data of a customer: of a collection account, or of an
// advice.

import { Type } from '@fastify/type-provider-typebox'
import { requireAccountNumber } from '#accounts/views.ts'
import type { Deps } from '#http/deps.ts'
import { uuidKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import { strictObject, text, trueOrFalse } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { AdviceId } from '#ids.ts'
import { alertRefusal } from './bars.ts'
import { type ErasureResult, eraseAccounts, eraseAdvice } from './erasure.ts'

type Erased = Omit<ErasureResult, 'accountNumber'>

const ErasedView = view(undefined, (f: Fields<Erased>) => ({
  erasedAt: f.time('erasedAt'),
  isComplete: f.flag(
    'isComplete',
    'Whether its credits and deliveries are erased too; takes a few minutes.',
  ),
}))

const ErasedAccountView = view(undefined, (f: Fields<ErasureResult>) => ({
  accountNumber: f.text('accountNumber'),
  ...ErasedView.fields,
}))

const ErasedAccountsView = view(
  'ErasedAccounts',
  (f: Fields<{ accounts: readonly ErasureResult[] }>) => ({
    accounts: f.list(ErasedAccountView, 'accounts'),
  }),
)

const ErasedAdviceView = view(
  'ErasedAdvice',
  (f: Fields<Erased & { adviceReference: AdviceId }>) => ({
    adviceReference: f.text('adviceReference'),
    ...ErasedView.fields,
  }),
)

const reason = text(200, 'Reason (audit log). Must not contain personal data.')

// Runs after the erasure is committed: erases credits and deliveries for a few seconds, so that a small
// erasure is complete at once. The workers erase the rest.
const after = ({ eraseTraces }: Deps) => eraseTraces()

export const accountErasure = resource('/api/v1/accounts/static', {
  tag: 'Collection accounts',
  noun: 'personal data',
  view: ErasedAccountsView,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  params: { accountNumber: requireAccountNumber },
}).act('eraseCollectionAccount', {
  path: '/:accountNumber/erase',
  summary: 'Erase the personal data of a collection account',
  description:
    'Irreversible. Erases name, BVN, email, phone number and payer rules of the account, and ' +
    'personal data in its credits and deliveries. The account is closed and its number never ' +
    'reused; balance, transfers and references stay. Later credits are suspended. Refused ' +
    'while its data is needed: for money in suspense, or by law. Can be repeated to erase data ' +
    'received since.',
  body: strictObject({
    reason,
    sameBvn: Type.Optional(
      trueOrFalse('Also erase your other accounts with the same BVN. Default false.'),
    ),
  }),
  errors: ['account_not_found', 'erasure_waits'],
  message: 'Personal data erased successfully',
  run: async (tx, call) => {
    const { params, body } = call
    const subject = { accountNumber: params.accountNumber, sameBvn: body.sameBvn ?? false }
    return { accounts: await eraseAccounts(tx, eraserOf(call), subject) }
  },
  after,
  refused: alertRefusal,
})

export const adviceErasure = resource('/api/v1/advices', {
  tag: 'Payments',
  noun: 'personal data',
  view: ErasedAdviceView,
  scopes: { read: 'payments:read', write: 'payments:write' },
  params: { adviceReference: uuidKey<AdviceId>('advice_not_found') },
}).act('eraseAdvice', {
  path: '/:adviceReference/erase',
  summary: 'Erase the personal data of an advice',
  description:
    'Name, email, phone number, your id of the customer, narration and payer rules, and what ' +
    'its credits and deliveries tell of people. Amounts, states and references stay. Refused ' +
    'while it may still be paid, and while its data is needed: for money in suspense, or by law. ' +
    'Can be repeated.',
  body: strictObject({ reason }),
  errors: ['advice_not_found', 'advice_open', 'erasure_waits'],
  message: 'Personal data erased successfully',
  run: async (tx, call) => {
    const { adviceReference } = call.params
    return { adviceReference, ...(await eraseAdvice(tx, eraserOf(call), adviceReference)) }
  },
  after,
  refused: alertRefusal,
})

// Takes from a call the arguments that eraseAccounts() and eraseAdvice() share.
type Erasing = Pick<Call, 'client' | 'actor' | 'sealer' | 'now'> & { body: { reason: string } }

function eraserOf({ client: by, actor, sealer, now, body: { reason } }: Erasing) {
  return { by, actor, sealer, now, reason }
}
