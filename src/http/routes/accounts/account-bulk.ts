// POST /api/v1/accounts/static/bulk: creates many collection accounts in one batch. Each is
// accepted or refused individually, as if sent alone.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import type { BatchResult } from '#db/batcher.ts'
import { refuseMerchant } from '#domain/access/clients.ts'
import { requireIssuingBanks } from '#domain/accounts/add-number.ts'
import type { AccountRequest, CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import type { KycInput } from '#domain/accounts/kyc.ts'
import { type HashPayer, parsePayerRules, payerHasher } from '#domain/accounts/payer-rules.ts'
import type { Once } from '#domain/records/idempotency.ts'
import { Refusal } from '#errors.ts'
import { withoutBlanks } from '#http/blank-fields.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import {
  ApiEnvelope,
  BEARER,
  FieldError,
  IdempotencyHeaders,
  named,
  nullable,
} from '#http/schemas.ts'
import { fieldErrors } from '#http/validation.ts'
import { timeOrderedId } from '#ids.ts'
import {
  ACCOUNTS,
  OwnAccountBody,
  pickFields,
  pickKyc,
  RequestFields,
} from './account-presenters.ts'
import { refuseCustomerBanks } from './customer-numbers.ts'
import { presentOwnAccounts } from './own-accounts.ts'

const ITEMS_MAX = 500
const BODY_BYTES_MAX = 2_097_152 // Some 4 kB for each: an account takes less than one, without rules.

const Item = Type.Object(RequestFields, { additionalProperties: false })

// Items are validated individually, so the list itself accepts anything.
const BulkRequest = Type.Object(
  {
    accounts: Type.Array(Type.Union([Item, Type.Unknown()]), {
      minItems: 1,
      maxItems: ITEMS_MAX,
      description:
        'Same fields as when creating one account. Invalid items are refused individually.',
      'x-says': `Must be a list of 1 to ${ITEMS_MAX} accounts.`,
    }),
    validateOnly: Type.Optional(
      Type.Boolean({
        description:
          'Check the items and create nothing: `data` is null throughout. What only creating ' +
          'finds out, such as an unknown split, is not checked.',
        'x-says': 'Must be true or false.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Result = named('BulkResult', {
  index: Type.Integer({ description: 'Position in the list, from 0.' }),
  isSuccessful: Type.Boolean(),
  message: Type.String(),
  code: nullable('string', { description: 'Refusal code.' }),
  data: Type.Unsafe<unknown>({ ...OwnAccountBody, $id: 'BulkAccount', type: ['object', 'null'] }),
  errors: Type.Array(FieldError),
})

const BulkBody = named('BulkResults', {
  accepted: Type.Integer(),
  refused: Type.Integer(),
  results: Type.Array(Result, { description: 'In request order.' }),
})

export const accountBulkRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { banks, sealer, writers, authentication, clock } = deps

  app.post(
    `${ACCOUNTS}/bulk`,
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { queue: 'accounts' },
      onRequest: authentication.requires('accounts:write'),
      schema: {
        operationId: 'createCollectionAccounts',
        tags: ['Collection accounts'],
        summary: `Create up to ${ITEMS_MAX} collection accounts`,
        description:
          'Each account is accepted or refused individually. Send an Idempotency-Key: a retry ' +
          'creates what is missing, and nothing twice. With validateOnly nothing is created.',
        security: BEARER,
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: BulkRequest,
        response: { 200: ApiEnvelope(BulkBody) },
      },
    },
    async (request, reply) => {
      const read = itemReader(request, { banks, hashPayer: payerHasher(sealer) })
      const items = request.body.accounts.map(read)
      if (request.body.validateOnly) {
        return accepted('Collection accounts checked, none created', present(items, CHECKED))
      }
      const isKeyed = request.headers['idempotency-key'] !== undefined
      const bulkId = timeOrderedId(clock())
      return withIdempotentSteps(deps, { request, reply, begin: bulkId }, async (id) => {
        const results = await makeAll(writers.accounts, items, isKeyed ? id : undefined)
        return accepted('Collection accounts created', await summarise(deps, results))
      })
    },
  )
}

type Unmade = Omit<AccountRequest, 'idempotencyKey'>

function itemReader(
  request: FastifyRequest,
  { banks, hashPayer }: { banks: Deps['banks']; hashPayer: HashPayer },
) {
  const isItem = request.compileValidationSchema(Item, 'body')
  return (sent: unknown): Unmade | Refusal => {
    const given = withoutBlanks(Item, sent)
    if (!isItem(given)) {
      const errors = (isItem.errors ?? []) as FastifySchemaValidationError[]
      return new Refusal('invalid_request', fieldErrors(errors, 'body'))
    }
    try {
      const {
        payerRules,
        banks: codes,
        splitCode,
        ...fields
      } = given as Parameters<typeof pickFields>[0] & {
        payerRules?: Parameters<typeof parsePayerRules>[0]
        banks?: string[]
        splitCode?: string | null
      }
      refuseMerchant(request.client, fields.merchantCode)
      const item: Unmade = {
        clientId: request.client.id,
        fields: pickFields(fields),
        kyc: pickKyc(fields as KycInput),
        payerRules: parsePayerRules(payerRules, hashPayer),
        banks: requireIssuingBanks(banks, codes),
        splitCode,
      }
      refuseCustomerBanks(banks, item)
      return item
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
}

// With an id, each item has a key of its own (with a space in it, as no client's can have): done
// again, nothing is made twice.
async function makeAll(
  writer: Deps['writers']['accounts'],
  items: readonly (Unmade | Refusal)[],
  id: string | undefined,
): Promise<(CollectionAccount | Refusal)[]> {
  const toMake = items.flatMap((item, index) =>
    item instanceof Refusal ? [] : [{ ...item, idempotencyKey: id && `${id} ${index}` }],
  )
  const made = (await writer.submitAll(toMake)).map(presentOutcome)
  return items.map((item) => (item instanceof Refusal ? item : made.shift())) as never
}

// What is our fault fails the whole request, so that it is sent again.
function presentOutcome(settled: BatchResult<Once<CollectionAccount> | Refusal>) {
  if (!settled.ok) throw settled.error
  return settled.value instanceof Refusal ? settled.value : settled.value.value
}

async function summarise(
  deps: Pick<Deps, 'db' | 'sealer' | 'nameBank'>,
  results: readonly (CollectionAccount | Refusal)[],
) {
  const made = results.flatMap((result) => (result instanceof Refusal ? [] : [result]))
  const shown = (await presentOwnAccounts(deps, made)).values()
  return present(results, () => ({
    message: 'Collection account created successfully',
    data: shown.next().value,
  }))
}

const CHECKED = () => ({ message: 'Valid', data: null })

// Each in its place, with what is to be said of those that are not refused.
function present(
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
