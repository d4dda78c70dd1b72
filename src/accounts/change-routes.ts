// Changes to a collection account: PATCH, and deactivate, activate, make default. All of them honour
// If-Match; the ETag of the response is for the next change.

import { type Static, type TObject, Type } from '@fastify/type-provider-typebox'
import { type Call, resource } from '#http/resource.ts'
import { named, PayerRulesBody, text } from '#http/schemas.ts'
import { koboOf } from '#money.ts'
import {
  type AccountChanges,
  activateAccount,
  deactivateAccount,
  makeDefault,
  requestVerification,
  updateAccount,
} from './change.ts'
import { type HashPayer, parsePayerRules, payerHasher } from './payer-rules.ts'
import {
  ACCOUNTS,
  ChangeableFields,
  etagMatcher,
  IfMatchHeader,
  KycFields,
  LimitAmount,
  OWN_ACCOUNTS,
  sendEtag,
  withLimitsOf,
} from './views.ts'

const Limit = Type.Optional(LimitAmount)
const Limits = Type.Object(
  { perCredit: Limit, perDay: Limit, balanceMax: Limit },
  {
    additionalProperties: false,
    'x-says': 'Must be an object with perCredit, perDay or balanceMax, or null.',
  },
)

const AccountChange = named(
  'AccountChange',
  {
    ...Type.Partial(Type.Object({ ...ChangeableFields, ...KycFields })).properties,
    payerRules: Type.Optional(
      orNull(PayerRulesBody, 'Replaces the current rules. Null: anyone may pay.'),
    ),
    limits: Type.Optional(
      orNull(
        Limits,
        'The account’s own. Omitted limits keep their value. Null removes one or all.',
      ),
    ),
    limitProfile: Type.Optional(
      Type.Union([text(40, 'Code of a limit profile. Null: that of its tier.'), Type.Null()]),
    ),
    splitCode: Type.Optional(
      Type.Union([text(40, 'Split for what it receives from now on. Null: none.'), Type.Null()]),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-says': 'Must be an object with at least one field to change.',
  },
)

// A union with null would hide the error messages of the fields.
function orNull<T extends TObject>(schema: T, description: string) {
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    $id: undefined,
    type: ['object', 'null'],
    additionalProperties: false,
    description,
  })
}

const Reason = Type.Unsafe<{ note?: string } | null>({
  type: ['object', 'null'],
  properties: { note: text(500, 'Reason (audit log).') },
  additionalProperties: false,
  'x-says': 'Must be an object with note, or omitted.',
})

const changing = { headers: IfMatchHeader, after: sendEtag }
const CHANGE_ERRORS = ['account_changed', 'account_erased', 'account_not_found'] as const

export const accountChanges = resource(ACCOUNTS, OWN_ACCOUNTS)
  .act('deactivateCollectionAccount', {
    ...changing,
    path: '/:accountNumber/deactivate',
    summary: 'Deactivate a collection account',
    description:
      'Money sent to it from now on is accepted and held in suspense (account_inactive). The number ' +
      'stays reserved for this account. It is no longer the default of its merchant. Idempotent.',
    body: Reason,
    errors: CHANGE_ERRORS,
    message: 'Collection account deactivated successfully',
    run: async (tx, call) => {
      const by = changeBy(call, call.body?.note)
      return withLimitsOf(tx, await deactivateAccount(tx, by, call.params.accountNumber))
    },
  })
  .act('activateCollectionAccount', {
    ...changing,
    path: '/:accountNumber/activate',
    summary: 'Activate a collection account',
    description: 'Money suspended in the meantime stays in suspense until assigned. Idempotent.',
    body: Reason,
    errors: CHANGE_ERRORS,
    message: 'Collection account activated successfully',
    run: async (tx, call) => {
      const by = changeBy(call, call.body?.note)
      return withLimitsOf(tx, await activateAccount(tx, by, call.params.accountNumber))
    },
  })
  .act('setDefaultCollectionAccount', {
    ...changing,
    path: '/:accountNumber/default',
    summary: 'Make a collection account the default of its merchantId',
    description: 'Replaces the current default. The account must be active. Idempotent.',
    body: Reason,
    errors: ['account_changed', 'account_erased', 'account_inactive', 'account_not_found'],
    message: 'Collection account made default successfully',
    run: async (tx, call) => {
      const by = changeBy(call, call.body?.note)
      return withLimitsOf(tx, await makeDefault(tx, by, call.params.accountNumber))
    },
  })
  .act('verifyCollectionAccount', {
    ...changing,
    path: '/:accountNumber/verify',
    summary: 'Have the BVN and NIN of a collection account verified',
    description:
      'Asks for what is not verified; at most once a minute. New accounts and new NINs are verified ' +
      'without it. The answer comes later: see identity, and the event account.updated.',
    body: Reason,
    errors: [...CHANGE_ERRORS, 'identity_service_missing'],
    message: 'Verification requested successfully',
    run: async (tx, call) => {
      const by = changeBy(call, call.body?.note)
      return withLimitsOf(tx, await requestVerification(tx, by, call.params.accountNumber))
    },
  })
  .update('updateCollectionAccount', {
    ...changing,
    summary: 'Update a collection account',
    description: 'Omitted fields keep their value. An update without changes emits no event.',
    body: AccountChange,
    errors: CHANGE_ERRORS,
    parse: ({ body, sealer }) => parseChanges(body, payerHasher(sealer)),
    run: async (tx, call) => {
      const update = { accountNumber: call.params.accountNumber, changes: call.input }
      return withLimitsOf(tx, await updateAccount(tx, changeBy(call), update))
    },
  })

function changeBy(call: Call, note?: string) {
  return { ...call, isCurrent: etagMatcher(call.request), note }
}

const NO_LIMITS = { perCredit: null, perDay: null, balanceMax: null }

function parseChanges(body: Static<typeof AccountChange>, hashPayer: HashPayer): AccountChanges {
  const { payerRules, limits, ...fields } = body
  const { perCredit, perDay, balanceMax } = limits === null ? NO_LIMITS : (limits ?? {})
  return {
    ...fields,
    ...(payerRules === undefined
      ? {}
      : { payerRules: parsePayerRules(payerRules ?? undefined, hashPayer) }),
    ...(perCredit === undefined ? {} : { perCreditKobo: koboOf(perCredit) ?? null }),
    ...(perDay === undefined ? {} : { perDayKobo: koboOf(perDay) ?? null }),
    ...(balanceMax === undefined ? {} : { balanceMaxKobo: koboOf(balanceMax) ?? null }),
  }
}
