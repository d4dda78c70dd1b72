// POST /api/v1/accounts/static/bulk: creates many collection accounts in one batch. Each is
// accepted or refused individually, as if sent alone.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { refuseMerchant } from '#access/permissions.ts'
import { Refusal } from '#errors.ts'
import type { BatchResult } from '#hot-path/batcher.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { resource } from '#http/resource.ts'
import { FieldError, named, nullable, strictObject, trueOrFalse } from '#http/schemas.ts'
import { fieldErrors, withoutBlanks } from '#http/validation.ts'
import { timeOrderedId } from '#ids.ts'
import type { Once } from '#records/idempotency.ts'
import type { CollectionAccount } from './account.ts'
import type { AccountRequest } from './create.ts'
import type { KycInput } from './limits.ts'
import { requireIssuingBanks } from './number-pools.ts'
import { refuseCustomerBanks } from './number-routes.ts'
import { type HashPayer, parsePayerRules, payerHasher } from './payer-rules.ts'
import {
  ACCOUNTS,
  OWN_ACCOUNTS,
  type OwnAccount,
  OwnAccountView,
  pickFields,
  pickKyc,
  RequestFields,
  withLimits,
} from './views.ts'

const ITEMS_MAX = 500
// About 4 kB for each of 500 items. An account takes less than 1 kB without payer rules.
const BODY_BYTES_MAX = 2_097_152

const ItemBody = strictObject(RequestFields)

// Items are validated individually, so the list itself accepts anything.
const BulkRequest = strictObject({
  accounts: Type.Array(Type.Union([ItemBody, Type.Unknown()]), {
    minItems: 1,
    maxItems: ITEMS_MAX,
    description:
      'Same fields as when creating one account. Invalid items are refused individually.',
    'x-says': `Must be a list of 1 to ${ITEMS_MAX} accounts.`,
  }),
  validateOnly: Type.Optional(
    trueOrFalse(
      'Check the items and create nothing: `data` is null throughout. What only creating ' +
        'finds out, such as an unknown split, is not checked.',
    ),
  ),
})

const Result = named('BulkResult', {
  index: Type.Integer({ description: 'Position in the list, from 0.' }),
  isSuccessful: Type.Boolean(),
  message: Type.String(),
  code: nullable('string', { description: 'Refusal code.' }),
  data: Type.Unsafe<unknown>({
    ...OwnAccountView.schema,
    $id: 'BulkAccount',
    type: ['object', 'null'],
  }),
  errors: Type.Array(FieldError),
})

const BulkBody = named('BulkResults', {
  accepted: Type.Integer(),
  refused: Type.Integer(),
  results: Type.Array(Result, { description: 'In request order.' }),
})

export const accountBulk = resource(ACCOUNTS, OWN_ACCOUNTS).route(
  'POST',
  'createCollectionAccounts',
  {
    path: '/bulk',
    summary: `Create up to ${ITEMS_MAX} collection accounts`,
    description:
      'Each account is accepted or refused individually. Send an Idempotency-Key: a retry ' +
      'creates what is missing, and nothing twice. With validateOnly nothing is created.',
    route: { bodyLimit: BODY_BYTES_MAX, config: { queue: 'accounts' } },
    isKeyed: true,
    body: BulkRequest,
    view: BulkBody,
    handle: async (call) => {
      const { request, reply, body, banks, sealer, writers, clock } = call
      const read = itemReader(request, { banks, hashPayer: payerHasher(sealer) })
      const items = body.accounts.map(read)
      if (body.validateOnly) {
        return accepted('Collection accounts checked, none created', presentItems(items, CHECKED))
      }
      const isKeyed = request.headers['idempotency-key'] !== undefined
      const bulkId = timeOrderedId(clock())
      return withIdempotentSteps(call, { request, reply, begin: bulkId }, async (id) => {
        const results = await createAll(writers.accounts, items, isKeyed ? id : undefined)
        return accepted('Collection accounts created', await presentResults(call, results))
      })
    },
  },
)

type Item = Omit<AccountRequest, 'idempotencyKey'>

// Returns a function that checks an item of the list like the body of a single request.
function itemReader(
  request: FastifyRequest,
  { banks, hashPayer }: { banks: Deps['banks']; hashPayer: HashPayer },
) {
  const isValid = request.compileValidationSchema(ItemBody, 'body')
  return (rawItem: unknown): Item | Refusal => {
    const body = withoutBlanks(ItemBody, rawItem)
    if (!isValid(body)) {
      const errors = (isValid.errors ?? []) as FastifySchemaValidationError[]
      return new Refusal('invalid_request', fieldErrors(errors, 'body'))
    }
    try {
      const {
        payerRules,
        banks: codes,
        splitCode,
        ...fields
      } = body as Parameters<typeof pickFields>[0] & {
        payerRules?: Parameters<typeof parsePayerRules>[0]
        banks?: string[]
        splitCode?: string | null
      }
      refuseMerchant(request.client, fields.merchantCode)
      const item: Item = {
        clientId: request.client.id,
        fields: pickFields(fields),
        kyc: pickKyc(fields as KycInput),
        payerRules: parsePayerRules(payerRules, hashPayer),
        banks: requireIssuingBanks(banks, codes),
        splitCode,
        session: request.session,
      }
      refuseCustomerBanks(banks, item)
      return item
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
}

// Creates the valid items. With `bulkId`, each item has its own idempotency key, so that a retry creates
// nothing twice. The key contains a space, which no client's key can. `outcomes` has one entry for each valid
// item, in the same order.
async function createAll(
  writer: Deps['writers']['accounts'],
  items: readonly (Item | Refusal)[],
  bulkId: string | undefined,
): Promise<(CollectionAccount | Refusal)[]> {
  const validItems = items.flatMap((item, index) =>
    item instanceof Refusal ? [] : [{ ...item, idempotencyKey: bulkId && `${bulkId} ${index}` }],
  )
  const outcomes = (await writer.submitAll(validItems)).map(presentOutcome)
  return items.map((item) => (item instanceof Refusal ? item : outcomes.shift())) as never
}

// Returns the created account or its refusal. An internal error fails the whole request, so that the client
// sends it again.
function presentOutcome(settled: BatchResult<Once<CollectionAccount> | Refusal>) {
  if (!settled.ok) throw settled.error
  return settled.value instanceof Refusal ? settled.value : settled.value.value
}

// Presents the results in the order of the request. withLimits keeps the order of the created accounts, so
// each created result takes the next one.
async function presentResults(deps: Deps, results: readonly (CollectionAccount | Refusal)[]) {
  const created = results.flatMap((result) => (result instanceof Refusal ? [] : [result]))
  const accounts = (await withLimits(deps.db, created)).values()
  return presentItems(results, () => ({
    message: 'Collection account created successfully',
    data: OwnAccountView.present(accounts.next().value as OwnAccount, deps),
  }))
}

// Shown for each valid item if the request sets validateOnly.
const CHECKED = () => ({ message: 'Valid', data: null })

// Ordered like the items of the request. Calls `show` for each item that is not refused.
function presentItems(
  results: readonly unknown[],
  show: () => { message: string; data: unknown },
): Static<typeof BulkBody> {
  const refused = results.filter((result) => result instanceof Refusal).length
  return {
    accepted: results.length - refused,
    refused,
    results: results.map((result, index) => {
      if (result instanceof Refusal) {
        const { message, code, fields } = result
        return { index, isSuccessful: false, message, code, data: null, errors: [...fields] }
      }
      return { index, isSuccessful: true, ...show(), code: null, errors: [] }
    }),
  }
}
