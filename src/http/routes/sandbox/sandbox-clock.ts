// /sandbox/clock: the client's test clock (docs/test-clock.md). What falls due as it moves runs before
// the answer. Served in real time, of course.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { checkTarget, findTestTime, releaseClock, startClock } from '#domain/records/test-clocks.ts'
import type { ClockMove } from '#domain/sandbox/clock-moves.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { parseBankTime, timestamp } from '#wat-time.ts'
import { sandboxOnly } from './sandbox-only.ts'

const SECONDS_MAX = 400 * 86_400

const Time = (description: string) =>
  Type.String({
    maxLength: 40,
    description: `${description} ISO 8601; without an offset, West Africa Time.`,
    'x-says': 'Must be a date and time (ISO 8601).',
  })

const ClockBody = named('SandboxClock', {
  now: Type.String({ description: 'The time it is for this client.' }),
  isFrozen: Type.Boolean({ description: 'Whether a test clock is set. Otherwise time is real.' }),
})

const MoveBody = named('SandboxClockMove', {
  ...ClockBody.properties,
  isComplete: Type.Boolean({
    description: 'false: there was too much to run in one call. Call again to continue.',
  }),
  ran: Type.Array(
    named('SandboxClockStep', {
      at: Type.String({ description: 'The client’s time at which it ran.' }),
      kind: Type.String({
        description:
          'report_transfers, expire_payments, enquire_names, close_settlements, send_payouts, ' +
          'query_payouts, requery_transfers, dispatch_events or deliver_webhooks.',
      }),
      count: Type.Integer(),
    }),
    { description: 'What fell due, in the order in which it ran.' },
  ),
})

const AdvanceRequest = named(
  'SandboxClockAdvance',
  {
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SECONDS_MAX,
        'x-says': `Must be a whole number from 1 to ${SECONDS_MAX}.`,
      }),
    ),
    to: Type.Optional(Time('Instead of seconds: the time to move to.')),
  },
  { additionalProperties: false },
)

export const sandboxClockRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, realClock, reads, db, testClocks, clockMoves } = deps
  const reading = [authentication.requires('payments:read'), sandboxOnly(deps)]
  const writing = [authentication.requires('payments:write'), sandboxOnly(deps)]
  await app.register(setRoutes, deps)
  await app.register(advanceRoutes, deps)

  app.get(
    '/sandbox/clock',
    {
      onRequest: reading,
      schema: {
        operationId: 'getSandboxClock',
        tags: ['Sandbox'],
        summary: 'Retrieve the test clock (sandbox only)',
        description: 'The time it is for this client, and whether it stands still.',
        security: BEARER,
        response: { 200: ApiEnvelope(ClockBody) },
      },
    },
    async ({ client }) => {
      const now = await findTestTime(reads, realClock(), client.id)
      const body = { now: timestamp(now ?? realClock()), isFrozen: now !== undefined }
      return accepted('Clock retrieved successfully', body)
    },
  )

  app.delete(
    '/sandbox/clock',
    {
      onRequest: writing,
      schema: {
        operationId: 'releaseSandboxClock',
        tags: ['Sandbox'],
        summary: 'Return to real time (sandbox only)',
        description:
          'What was dated ahead of real time keeps its dates, and falls due when real time gets ' +
          'there. Reset the sandbox to begin anew.',
        security: BEARER,
        response: { 200: ApiEnvelope(ClockBody) },
      },
    },
    async ({ client, actor }) => {
      await clockMoves.exclusively(client.id, () =>
        withTransaction(db, async (tx) => {
          const real = realClock()
          if (!(await releaseClock(tx, real, client.id))) return
          const action = 'sandbox.clock_release'
          const about = { clientId: client.id, actor, subject: 'sandbox/clock', detail: {} }
          await writeAuditLog(tx, real, { ...about, action })
        }),
      )
      await testClocks.refresh(db)
      const body = { now: timestamp(realClock()), isFrozen: false }
      return accepted('Clock released successfully', body)
    },
  )
}

const setRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, realClock, db, clockMoves } = deps

  app.put(
    '/sandbox/clock',
    {
      config: { rate: 'simulate', isLong: true },
      onRequest: [authentication.requires('payments:write'), sandboxOnly(deps)],
      schema: {
        operationId: 'setSandboxClock',
        tags: ['Sandbox'],
        summary: 'Freeze the client’s time (sandbox only)',
        description:
          'From now on this client’s clock is frozen at the given time, at most 400 days ahead, ' +
          'until it is advanced or released. What falls due until then runs first, in order.',
        security: BEARER,
        body: named(
          'SandboxClockRequest',
          { now: Time('The time to freeze at; not before the client’s present time.') },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(MoveBody) },
      },
    },
    async ({ client, actor, body }) => {
      const to = parseTime('now', body.now)
      const moved = await clockMoves.exclusively(client.id, async (move) => {
        const known = await findTestTime(db, realClock(), client.id)
        checkTarget({ now: known ?? realClock(), to, real: realClock() })
        await ensureClock(deps, { clientId: client.id, actor })
        return move(to)
      })
      return accepted('Clock set successfully', present(moved))
    },
  )
}

const advanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, realClock, db, clockMoves } = deps

  app.post(
    '/sandbox/clock/advance',
    {
      config: { rate: 'simulate', isLong: true },
      onRequest: [authentication.requires('payments:write'), sandboxOnly(deps)],
      schema: {
        operationId: 'advanceSandboxClock',
        tags: ['Sandbox'],
        summary: 'Advance the test clock (sandbox only)',
        description:
          'By a number of seconds, or to a time. Answers when everything that fell due has run, in ' +
          'the order of its due times: expiries, settlements, payouts, requeries, and webhooks, ' +
          'which are really sent. A client without a test clock gets one first.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: AdvanceRequest,
        response: { 200: ApiEnvelope(MoveBody) },
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      if ((body.seconds === undefined) === (body.to === undefined)) {
        throw wrong('seconds', 'Send either seconds or to.')
      }
      const given = body.to === undefined ? undefined : parseTime('to', body.to)
      return clockMoves.exclusively(client.id, async (move) => {
        const now = (await findTestTime(db, realClock(), client.id)) ?? realClock()
        const to = given ?? new Date(now.getTime() + (body.seconds as number) * 1_000)
        // Stored with the key, so that a retry moves it no further.
        const begin = async () => {
          checkTarget({ now, to, real: realClock() })
          return to.toISOString()
        }
        return withIdempotentSteps(deps, { request, reply, begin }, async (about) => {
          await ensureClock(deps, { clientId: client.id, actor })
          return accepted('Clock advanced successfully', present(await move(new Date(about))))
        })
      })
    },
  )
}

// The clock is there, whether it was or not.
async function ensureClock(
  { db, realClock, testClocks }: Deps,
  by: { clientId: ClientId; actor: string },
): Promise<void> {
  const real = realClock()
  await withTransaction(db, async (tx) => {
    if (await findTestTime(tx, real, by.clientId)) return
    await startClock(tx, real, by.clientId)
    const subject = 'sandbox/clock'
    await writeAuditLog(tx, real, { ...by, action: 'sandbox.clock_set', subject, detail: {} })
  })
  await testClocks.refresh(db)
}

function present({ now, isComplete, ran }: ClockMove): Static<typeof MoveBody> {
  const steps = ran.map(({ at, kind, count }) => ({ at: timestamp(at), kind, count }))
  return { now: timestamp(now), isFrozen: true, isComplete, ran: steps }
}

function parseTime(field: string, given: string): Date {
  const at = parseBankTime(given)
  if (!at) throw wrong(field, 'Must be a date and time (ISO 8601).')
  return at
}

function wrong(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }])
}
