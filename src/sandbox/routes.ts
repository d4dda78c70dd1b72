// Routes that exist only in the sandbox: seed, reset, payout outcomes and chaos.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { resource } from '#http/resource.ts'
import {
  accountNumber,
  Deleted,
  named,
  namedBody,
  nullable,
  trueOrFalse,
  wholeNumber,
} from '#http/schemas.ts'
import { hashAccount } from '#payouts/bank-accounts.ts'
import { deleteChaos, readChaos, setChaos } from '#webhooks/chaos.ts'
import { lockUnlessForAlerts } from '#webhooks/endpoints.ts'
import { requireEndpointId } from '#webhooks/views.ts'
import { PAYOUT_OUTCOMES, type PayoutOutcome, setPayoutOutcome } from './bank.ts'
import { resetClient } from './reset.ts'
import { beginSeed, findSeed, SEED_ACCOUNTS_MAX, SEED_DAYS_MAX, type Seed } from './seeds.ts'
import { createSandboxBankAccount } from './setup.ts'

// Returns a guard for the routes of the sandbox, which refuses requests in live mode.
export function sandboxOnly({ mode }: Pick<Deps, 'mode'>): () => Promise<void> {
  return async () => {
    if (mode === 'live') throw new Refusal('sandbox_only')
  }
}

// /sandbox/seed creates a history of sample data; /sandbox/reset gives the client an empty state
// (docs/test-clock.md).

const SEED_MAX = 2_147_483_647

const SeedRequest = namedBody('SandboxSeedRequest', {
  accounts: wholeNumber(1, SEED_ACCOUNTS_MAX, 'Collection accounts to create.'),
  days: wholeNumber(1, SEED_DAYS_MAX, 'Days of history, which end now.'),
  seed: Type.Optional(wholeNumber(0, SEED_MAX, 'The same seed makes the same history. Default 1.')),
})

const SeedBody = named('SandboxSeed', {
  status: Type.String({ description: 'none, running, finished or failed.' }),
  accounts: Type.Integer(),
  days: Type.Integer(),
  seed: Type.Integer(),
  percent: Type.Integer({ description: 'How much of it is written.' }),
  startedAt: nullable('string'),
  finishedAt: nullable('string'),
  problem: nullable('string', { description: 'Why it failed.' }),
})

export const sandboxReset = resource('/sandbox/reset', {
  tag: 'Sandbox',
  noun: 'sandbox',
  view: named('SandboxReset', { clientId: Type.String() }),
  scopes: { read: 'payments:read', write: 'payments:write' },
  isForWholeClient: true,
}).route('POST', 'resetSandbox', {
  guard: sandboxOnly,
  route: { config: { rate: 'simulate', isLong: true } },
  summary: 'Reset the sandbox of this client (sandbox only)',
  description:
    'Back to an empty state: no accounts, payments, money or events. ' +
    'Credentials, users, branding, webhook endpoints (under new IDs) and settings stay. ' +
    'Nothing of another client changes.',
  errors: ['sandbox_only', 'seed_running'],
  handle: async (call) => {
    const { authentication, clock, db, sealer, client, actor, request } = call
    await withCaller(call, { request, pool: db }, async (tx) => {
      await resetClient(tx, clock(), { clientId: client.id, actor })
      await createSandboxBankAccount(tx, sealer, clock())
    })
    authentication.forget(client.clientId)
    return accepted('Sandbox reset successfully', { clientId: client.clientId })
  },
})

export const sandboxSeed = resource('/sandbox/seed', {
  tag: 'Sandbox',
  noun: 'progress',
  view: SeedBody,
  scopes: { read: 'payments:read', write: 'payments:write' },
})
  .get('getSandboxSeed', {
    path: '',
    guard: sandboxOnly,
    summary: 'Retrieve the progress of seeding (sandbox only)',
    description: 'How far the latest seed is. A failed one says what went wrong.',
    errors: ['sandbox_only'],
    run: async (_db, { reads, clientId }) => present(await findSeed(reads, clientId)),
  })
  .route('POST', 'seedSandbox', {
    guard: sandboxOnly,
    route: { config: { rate: 'simulate' } },
    summary: 'Seed the sandbox with a history (sandbox only)',
    description:
      'Creates collection accounts, and credits and payments on them for each day. A small ' +
      'history is complete when this answers; a large one goes on, and GET tells how far it ' +
      'is. No webhooks are sent for it.',
    isKeyed: true,
    body: SeedRequest,
    errors: ['sandbox_only', 'seed_running'],
    handle: (call) => {
      const { request, reply, db, clientId, body, now: endsAt } = call
      const begin = async (tx: Transaction) =>
        String((await beginSeed(tx, endsAt, { clientId, seed: 1, ...body, endsAt })).id)
      return withIdempotentSteps(call, { request, reply, begin }, async () => {
        await call.seedNow(clientId)
        return accepted('Seeding started successfully', present(await findSeed(db, clientId)))
      })
    },
  })

// Returns the progress of a seed as the API shows it; `none` if the client never had one.
function present(seed: Seed | undefined): Static<typeof SeedBody> {
  if (!seed) {
    const zeroes = { accounts: 0, days: 0, seed: 0, percent: 0 }
    return { status: 'none', ...zeroes, startedAt: null, finishedAt: null, problem: null }
  }
  const { accounts, days, problem, begunAt, finishedAt } = seed
  const endStatus = problem === null ? 'finished' : 'failed'
  return {
    status: finishedAt ? endStatus : 'running',
    accounts,
    days,
    seed: seed.seed,
    percent: Math.floor((seed.done / seed.steps) * 100),
    startedAt: timestamp(begunAt),
    finishedAt: finishedAt && timestamp(finishedAt),
    problem,
  }
}

// /sandbox/payout-outcome: how the sandbox bank answers the client's next payouts, refunds,
// settlements and returns.

const TIMES_MAX = 100

const OutcomeRequest = named(
  'SandboxPayoutOutcomeRequest',
  {
    outcome: Type.Unsafe<PayoutOutcome>({
      type: 'string',
      enum: [...PAYOUT_OUTCOMES],
      description:
        'ok: paid at once; failed: refused; slow: paid after 10 seconds; never: neither paid nor ' +
        'answered; answer_lost: paid, but the answer is lost, as after a crash.',
      'x-says': `Must be one of ${PAYOUT_OUTCOMES.join(', ')}.`,
    }),
    accountNumber: Type.Optional(accountNumber('Destination. Omitted: whichever is next.')),
    times: Type.Optional(wholeNumber(1, TIMES_MAX, 'For how many payouts. Default 1.')),
  },
  {
    additionalProperties: false,
    'x-examples': {
      next: { value: { outcome: 'failed' } },
      destination: { value: { outcome: 'slow', accountNumber: '0123456789', times: 3 } },
    },
  },
)

const OutcomeBody = named('SandboxPayoutOutcome', {
  outcome: Type.String(),
  accountNumber: nullable('string', { description: 'Null: whichever payout is next.' }),
  times: Type.Integer(),
})

export const payoutOutcome = resource('/sandbox/payout-outcome', {
  tag: 'Sandbox',
  noun: 'payout outcome',
  view: OutcomeBody,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
}).replace('setSandboxPayoutOutcome', {
  path: '',
  guard: sandboxOnly,
  summary: 'Choose how the next payout ends (sandbox only)',
  description:
    'For the next payouts, or the next ones to one account number: payouts, refunds, ' +
    'settlements and returns alike. Replaces what was chosen before for the same ones.',
  message: 'Payout outcome set successfully',
  body: OutcomeRequest,
  errors: ['sandbox_only'],
  run: async (tx, { clientId, now, sealer, body }) => {
    const { outcome, accountNumber = null, times = 1 } = body
    const accountHash = accountNumber === null ? null : hashAccount(sealer, accountNumber)
    await setPayoutOutcome(tx, now, { clientId, outcome, accountHash, times })
    return { outcome, accountNumber, times }
  },
})

// /sandbox/webhook-endpoints/{id}/chaos: chaos settings, which disturb the deliveries to an endpoint.

const DELAY_MS_MAX = 600_000
const DUPLICATE_MAX = 10
const DROP_MAX = 1_000

const Count = (maximum: number, description: string) => wholeNumber(0, maximum, description)

const ChaosFields = {
  delayMs: Count(DELAY_MS_MAX, 'Milliseconds from the event to its first delivery.'),
  duplicate: Count(DUPLICATE_MAX, 'How often each delivery is sent again.'),
  reorder: trueOrFalse(
    'Hold an event back until a later one has been sent, for at most 5 seconds.',
  ),
  dropNext: Count(DROP_MAX, 'How many of the next attempts are not sent. Counts down.'),
}
const ChaosBody = named('WebhookChaos', ChaosFields)
const ChaosRequest = named(
  'WebhookChaosRequest',
  {
    delayMs: Type.Optional(ChaosFields.delayMs),
    duplicate: Type.Optional(ChaosFields.duplicate),
    reorder: Type.Optional(ChaosFields.reorder),
    dropNext: Type.Optional(ChaosFields.dropNext),
  },
  {
    additionalProperties: false,
    'x-examples': {
      drop: { value: { dropNext: 3 } },
      all: { value: { delayMs: 2000, duplicate: 1, reorder: true, dropNext: 3 } },
    },
  },
)

export const webhookChaos = resource('/sandbox/webhook-endpoints/:id/chaos', {
  tag: 'Sandbox',
  noun: 'chaos settings',
  view: ChaosBody,
  scopes: { read: 'webhooks:read', write: 'webhooks:write' },
  params: { id: requireEndpointId },
})
  .get('getWebhookChaos', {
    path: '',
    guard: sandboxOnly,
    summary: 'Retrieve the chaos settings of a webhook endpoint (sandbox only)',
    description: 'How its deliveries are disturbed, and how many are still to be dropped.',
    message: 'Chaos settings retrieved successfully',
    errors: ['endpoint_not_found', 'sandbox_only'],
    run: (db, { clientId, params: { id } }) => readChaos(db, { clientId, id }),
  })
  .replace('setWebhookChaos', {
    path: '',
    guard: sandboxOnly,
    summary: 'Disturb the deliveries to a webhook endpoint (sandbox only)',
    description:
      'Delays, repeats, reorders or drops them, to prove that your handler copes. The delivery ' +
      'log says what was done. Replaces all settings; those omitted are off.',
    message: 'Chaos settings updated successfully',
    body: ChaosRequest,
    errors: ['endpoint_not_found', 'sandbox_only'],
    run: async (tx, { clientId, now, withoutAlerts, params: { id }, body }) => {
      const chaos: Partial<Static<typeof ChaosBody>> = body
      if (withoutAlerts) await lockUnlessForAlerts(tx, clientId, id)
      return setChaos(tx, now, { clientId, id, chaos })
    },
  })
  .remove('deleteWebhookChaos', {
    path: '',
    guard: sandboxOnly,
    summary: 'Stop disturbing the deliveries to a webhook endpoint (sandbox only)',
    description: 'What is held back at this moment is sent at its time.',
    message: 'Chaos settings deleted successfully',
    view: Deleted,
    errors: ['endpoint_not_found', 'sandbox_only'],
    run: async (tx, { clientId, withoutAlerts, params: { id } }) => {
      if (withoutAlerts) await lockUnlessForAlerts(tx, clientId, id)
      await deleteChaos(tx, { clientId, id })
      return { id }
    },
  })
