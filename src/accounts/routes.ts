// /api/v1/accounts/static: collection accounts. Creating and retrieving one follow the published contract.
// Lists, details and changes are our own operations.

import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TObject,
  Type,
} from '@fastify/type-provider-typebox'
import { refuseMerchant } from '#access/permissions.ts'
import { withSnapshot } from '#db/replica.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import {
  AmountQuery,
  flag,
  parseAmounts,
  parseFlag,
  parseWindow,
  SUMMARISED,
  WindowQuery,
} from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import {
  ApiEnvelope,
  BEARER,
  digits,
  IdempotencyHeaders,
  named,
  PayerRulesBody,
  SOME_CHANGE,
  strictObject,
  text,
} from '#http/schemas.ts'
import { dropBlanks } from '#http/validation.ts'
import { koboOf } from '#money.ts'
import {
  type AccountChanges,
  activateAccount,
  deactivateAccount,
  makeDefault,
  requestVerification,
  updateAccount,
} from './change.ts'
import { requireIssuingBanks } from './number-pools.ts'
import { reserveForAccount } from './number-routes.ts'
import { type HashPayer, parsePayerRules, payerHasher } from './payer-rules.ts'
import { type AccountFilters, getAccount, listAccounts, summarizeAccounts } from './queries.ts'
import {
  ACCOUNTS,
  AccountView,
  ChangeableFields,
  etagMatcher,
  formatEtag,
  IfMatchHeader,
  KycFields,
  LimitAmount,
  OWN_ACCOUNTS,
  pickFields,
  pickKyc,
  RequestFields,
  requireAccountNumber,
  sendEtag,
  withLimits,
  withLimitsOf,
} from './views.ts'

const AccountRequest = named('AccountRequest', RequestFields)

const CREATE_ERRORS = [
  'bank_not_supported',
  'bank_silent',
  'customer_refused',
  'merchant_not_allowed',
  'number_ceiling_reached',
  'numbers_exhausted',
] as const

const response = { 200: ApiEnvelope(AccountView.schema) }
const tags = ['Collection accounts']

export const collectionAccountRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { accountLookups, banks, sealer, writers, authentication } = deps
  app.post(
    ACCOUNTS,
    {
      config: { isPublished: true, queue: 'accounts', errors: CREATE_ERRORS },
      onRequest: authentication.requires('accounts:write'),
      preValidation: dropBlanks(AccountRequest),
      schema: {
        operationId: 'createCollectionAccount',
        tags,
        summary: 'Create a collection account',
        description:
          'A static number that a customer pays into for ever. Transfers to it are booked to ' +
          'the account and notified to notificationUrl. An optional field that is empty or null ' +
          'counts as not sent.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: AccountRequest,
        response,
      },
    },
    async (request, reply) => {
      refuseMerchant(request.client, request.body.merchantCode)
      const requested = {
        clientId: request.client.id,
        fields: pickFields(request.body),
        kyc: pickKyc(request.body),
        payerRules: parsePayerRules(request.body.payerRules, payerHasher(sealer)),
        banks: requireIssuingBanks(banks, request.body.banks),
        splitCode: request.body.splitCode,
        idempotencyKey: request.headers['idempotency-key'],
        session: request.session,
      }
      const account = await reserveForAccount({ ...deps, request }, requested)
      const { value, replayed } = await writers.accounts.submit(account)
      if (replayed) reply.header('idempotent-replayed', 'true')
      reply.header('etag', formatEtag(value.version))
      return accepted(
        'Collection account created successfully',
        AccountView.present(value, { ...deps, isPerson: request.isPerson }),
      )
    },
  )

  app.get(
    `${ACCOUNTS}/:accountNumber`,
    {
      config: { isPublished: true, errors: ['account_not_found'] },
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'getCollectionAccount',
        tags,
        summary: 'Retrieve a collection account',
        description: 'The ETag covers the updatable fields, not the balance.',
        security: BEARER,
        params: Type.Object({ accountNumber: Type.String() }),
        response,
      },
    },
    async (request, reply) => {
      const accountNumber = requireAccountNumber(request.params.accountNumber)
      const account = await getAccount(accountLookups, request.client, accountNumber)
      reply.header('etag', formatEtag(account.version))
      return accepted(
        'Collection account retrieved successfully',
        AccountView.present(account, { ...deps, isPerson: request.isPerson }),
      )
    },
  )
}

export const AccountFilterFields = {
  merchantId: Type.Optional(text(64, 'Merchant ID.')),
  merchantCode: Type.Optional(text(64, 'Merchant code.')),
  email: Type.Optional(text(254, 'Email address, case-insensitive.')),
  phone: Type.Optional(
    digits(
      '^[+ ]?[0-9]{7,15}$',
      'Phone number; 0803…, 234803… and +234803… are equivalent.',
      'Must be 7 to 15 digits with an optional leading +.',
    ),
  ),
  bvn: Type.Optional(
    digits('^[0-9]{11}$', 'BVN of the customer. Not for users.', 'Must be 11 digits.'),
  ),
  nin: Type.Optional(
    digits('^[0-9]{11}$', 'NIN of the customer. Not for users.', 'Must be 11 digits.'),
  ),
  name: Type.Optional(text(100, 'Part of the account name, case-insensitive.')),
  active: flag('true: takes money; false: was deactivated.'),
  default: flag('true: the default of its merchant; false: any other.'),
  ...AmountQuery, // Filters by the balance.
  ...WindowQuery,
}

// Lists, adds up and retrieves accounts with KYC, payer rules and limits, which the published response lacks.
export const ownAccounts = resource(ACCOUNTS, OWN_ACCOUNTS)
  .list('listCollectionAccounts', {
    name: 'accounts',
    summary: 'List collection accounts, newest first',
    description:
      'Filters can be combined. from and to apply to createdAt, minAmount and maxAmount to ' +
      'accountBalance. A filtered page may hold fewer items than limit, or none, while hasMore ' +
      'is true: continue with nextCursor.',
    filters: AccountFilterFields,
    isOrdered: true,
    rows: async (db, { sealer, client, isPerson, query, order, after, limit }) => {
      const filters = parseAccountFilters(query, isPerson)
      const page = { order, after: after ?? undefined, limit }
      const { rows, scannedTo } = await listAccounts(db, { sealer, client, filters, ...page })
      return { rows: await withLimits(db, rows), scannedTo }
    },
  })
  .summary('summarizeCollectionAccounts', {
    summary: 'Count collection accounts and add up their balances',
    description: SUMMARISED,
    filters: AccountFilterFields,
    run: (db, { sealer, client, isPerson, query }) => {
      const filters = parseAccountFilters(query, isPerson)
      return withSnapshot(db, (tx) => summarizeAccounts(tx, { sealer, client, filters }))
    },
  })
  .get('getCollectionAccountDetails', {
    path: '/:accountNumber/details',
    summary: 'Retrieve a collection account with KYC, payer rules and limits',
    description: 'BVN and NIN are masked. The ETag covers the updatable fields.',
    errors: ['account_not_found'],
    run: async (db, { accountLookups, client, params, reply }) => {
      const account = await getAccount(accountLookups, client, params.accountNumber)
      reply.header('etag', formatEtag(account.version))
      return withLimitsOf(db, account)
    },
  })

const FilterQuery = strictObject(AccountFilterFields)

// Turns the query of a list of accounts into filters. `isPerson`: the request comes from a dashboard user
// instead of a system of the client.
export function parseAccountFilters(
  filters: Static<typeof FilterQuery>,
  isPerson: boolean,
): AccountFilters {
  const { merchantId, merchantCode, bvn, nin, name } = filters
  if (isPerson) refuseMasked({ bvn, nin })
  return {
    ...parseWindow(filters),
    ...parseAmounts(filters),
    merchantId,
    merchantCode,
    bvn,
    nin,
    name,
    // An unescaped + in a query means a space; most clients forget %2B.
    email: filters.email?.replaceAll(' ', '+'),
    phoneNumber: filters.phone?.replace(' ', '+'),
    isActive: parseFlag(filters.active),
    isDefault: parseFlag(filters.default),
  }
}

// Refuses dashboard users a search by a field that they see masked, because they could find the rest of it by
// trying values.
function refuseMasked(filters: Record<string, string | undefined>): void {
  const message = 'Only for systems of the client: people see it masked.'
  const errors = Object.entries(filters).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, message }],
  )
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
}

// Changes to a collection account: PATCH, and deactivate, activate, make default. All of them honour
// If-Match; the ETag of the response is for the next change.

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
  SOME_CHANGE,
)

// Makes the schema of an object nullable. A union with null would hide the error messages of its fields.
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

const changeOptions = { headers: IfMatchHeader, after: sendEtag }
const CHANGE_ERRORS = ['account_changed', 'account_erased', 'account_not_found'] as const

export const accountChanges = resource(ACCOUNTS, OWN_ACCOUNTS)
  .act('deactivateCollectionAccount', {
    ...changeOptions,
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
    ...changeOptions,
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
    ...changeOptions,
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
    ...changeOptions,
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
    ...changeOptions,
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

// The dependencies of a change. `isCurrent` compares the account's version with If-Match.
function changeBy(call: Call, note?: string) {
  return { ...call, isCurrent: etagMatcher(call.request), note }
}

const NO_LIMITS = { perCredit: null, perDay: null, balanceMax: null }

// An absent field stays as it is. Null removes the rules or the limit.
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
