// /sandbox/seed and /sandbox/reset: a history to look at, and none at all (docs/test-clock.md).

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { findTestTime } from '#domain/records/test-clocks.ts'
import { resetClient } from '#domain/sandbox/reset-client.ts'
import { createSandboxBankAccount } from '#domain/sandbox/sandbox-bank-account.ts'
import { SEED_ACCOUNTS_MAX, SEED_DAYS_MAX } from '#domain/sandbox/seed-plan.ts'
import { beginSeed, findSeed, type Seed } from '#domain/sandbox/seeds.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, nullable } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'
import { sandboxOnly } from './sandbox-only.ts'

const SEED_MAX = 2_147_483_647

const whole = (from: number, to: number, description: string) =>
  Type.Integer({
    minimum: from,
    maximum: to,
    description,
    'x-says': `Must be a whole number from ${from} to ${to}.`,
  })

const SeedRequest = named(
  'SandboxSeedRequest',
  {
    accounts: whole(1, SEED_ACCOUNTS_MAX, 'Collection accounts to create.'),
    days: whole(1, SEED_DAYS_MAX, 'Days of history, which end now.'),
    seed: Type.Optional(whole(0, SEED_MAX, 'The same seed makes the same history. Default 1.')),
  },
  { additionalProperties: false },
)

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

const ResetBody = named('SandboxReset', { clientId: Type.String() })

export const sandboxDataRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, realClock, db, reads } = deps
  const reading = [authentication.requires('payments:read'), sandboxOnly(deps)]
  const writing = [authentication.requires('payments:write'), sandboxOnly(deps)]
  await app.register(resetRoutes, deps)

  app.get(
    '/sandbox/seed',
    {
      onRequest: reading,
      schema: {
        operationId: 'getSandboxSeed',
        tags: ['Sandbox'],
        summary: 'Retrieve the progress of seeding (sandbox only)',
        description: 'How far the latest seed is. A failed one says what went wrong.',
        security: BEARER,
        response: { 200: ApiEnvelope(SeedBody) },
      },
    },
    async ({ client }) =>
      accepted('Progress retrieved successfully', present(await findSeed(reads, client.id))),
  )

  app.post(
    '/sandbox/seed',
    {
      config: { rate: 'simulate' },
      onRequest: writing,
      schema: {
        operationId: 'seedSandbox',
        tags: ['Sandbox'],
        summary: 'Seed the sandbox with a history (sandbox only)',
        description:
          'Creates collection accounts, and credits and payments on them for each day. A small ' +
          'history is complete when this answers; a large one goes on, and GET tells how far it ' +
          'is. No webhooks are sent for it.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: SeedRequest,
        response: { 200: ApiEnvelope(SeedBody) },
      },
    },
    async (request, reply) => {
      const { client, body } = request
      const real = realClock()
      const endsAt = (await findTestTime(reads, real, client.id)) ?? real
      const asked = { clientId: client.id, seed: 1, ...body, endsAt }
      const begin = async (tx: Parameters<typeof beginSeed>[0]) =>
        String((await beginSeed(tx, real, asked)).id)
      return withIdempotentSteps(deps, { request, reply, begin }, async () => {
        await deps.seedNow(client.id)
        return accepted('Seeding started successfully', present(await findSeed(db, client.id)))
      })
    },
  )
}

const resetRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, realClock, db, sealer, testClocks, clockMoves } = deps

  app.post(
    '/sandbox/reset',
    {
      config: { rate: 'simulate', isLong: true }, // It may wait for the clock that advances.
      onRequest: [authentication.requires('payments:write'), sandboxOnly(deps)],
      schema: {
        operationId: 'resetSandbox',
        tags: ['Sandbox'],
        summary: 'Reset the sandbox of this client (sandbox only)',
        description:
          'Back to an empty state: no accounts, payments, money or events, and real time. ' +
          'Credentials, users, branding, webhook endpoints (under new IDs) and settings stay. ' +
          'Nothing of another client changes.',
        security: BEARER,
        response: { 200: ApiEnvelope(ResetBody) },
      },
    },
    async ({ client, actor }) => {
      refuseRestricted(client)
      await clockMoves.exclusively(client.id, () =>
        withTransaction(db, async (tx) => {
          await resetClient(tx, realClock(), { clientId: client.id, actor })
          await createSandboxBankAccount(tx, sealer, realClock())
        }),
      )
      authentication.forget(client.clientId)
      await testClocks.refresh(db)
      return accepted('Sandbox reset successfully', { clientId: client.clientId })
    },
  )
}

function present(seed: Seed | undefined): Static<typeof SeedBody> {
  if (!seed) {
    const nothing = { accounts: 0, days: 0, seed: 0, percent: 0 }
    return { status: 'none', ...nothing, startedAt: null, finishedAt: null, problem: null }
  }
  const { accounts, days, problem, begunAt, finishedAt } = seed
  const ended = problem === null ? 'finished' : 'failed'
  return {
    status: finishedAt ? ended : 'running',
    accounts,
    days,
    seed: seed.seed,
    percent: Math.floor((seed.done / seed.steps) * 100),
    startedAt: timestamp(begunAt),
    finishedAt: finishedAt && timestamp(finishedAt),
    problem,
  }
}
