// /sandbox/clock: the test clock of this sandbox (docs/test-clock.md). A move of the clock runs the work that
// falls due, and then answers.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { parseBankTime, timestamp } from '#clock.ts'
import { invalidField } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { type Call, resource } from '#http/resource.ts'
import { named, namedBody } from '#http/schemas.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { type ClockMove, checkTarget, releaseClock, startClock } from './clock.ts'
import { sandboxOnly } from './routes.ts'

const SECONDS_MAX = 400 * 86_400

const Time = (description: string) =>
  Type.String({
    maxLength: 40,
    description: `${description} ISO 8601; without an offset, West Africa Time.`,
    'x-says': 'Must be a date and time (ISO 8601).',
  })

const ClockBody = named('SandboxClock', {
  now: Type.String({ description: 'The time it is in this sandbox.' }),
  isFrozen: Type.Boolean({ description: 'Whether a test clock is set. Otherwise time is real.' }),
})

const MoveBody = named('SandboxClockMove', {
  ...ClockBody.properties,
  isComplete: Type.Boolean({
    description: 'false: there was too much to run in one call. Call again to continue.',
  }),
  ran: Type.Array(
    named('SandboxClockStep', {
      at: Type.String({ description: 'The time of the clock at which it ran.' }),
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

const AdvanceRequest = namedBody('SandboxClockAdvance', {
  seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SECONDS_MAX,
      'x-says': `Must be a whole number from 1 to ${SECONDS_MAX}.`,
    }),
  ),
  to: Type.Optional(Time('Instead of seconds: the time to move to.')),
})

// Settings of the routes that move the clock.
const moving = {
  guard: sandboxOnly,
  route: { config: { rate: 'simulate', isLong: true } },
} as const

export const sandboxClock = resource('/sandbox/clock', {
  tag: 'Sandbox',
  noun: 'clock',
  view: ClockBody,
  scopes: { read: 'payments:read', write: 'payments:write' },
})
  .route('PUT', 'setSandboxClock', {
    ...moving,
    summary: 'Freeze the time of the sandbox (sandbox only)',
    description:
      'From now on the clock of this sandbox is frozen at the given time, at most 400 days ' +
      'ahead, for all of its clients, until it is advanced or released. What falls due until ' +
      'then runs first, in order.',
    body: namedBody('SandboxClockRequest', {
      now: Time('The time to freeze at; not before the present time of the clock.'),
    }),
    view: MoveBody,
    errors: ['clock_backwards', 'clock_busy', 'clock_too_far', 'sandbox_only'],
    handle: async (call) => {
      const to = parseTime('now', call.body.now)
      // Sets the clock to the real time first if it is not set yet; the move then does all work that falls
      // due on the way.
      const moved = await call.clockMoves.exclusively(async (move) => {
        checkTarget({ now: call.clock(), to, real: call.realClock() })
        await ensureClock(call)
        return move(to)
      })
      return accepted('Clock set successfully', present(moved))
    },
  })
  .route('POST', 'advanceSandboxClock', {
    ...moving,
    path: '/advance',
    summary: 'Advance the test clock (sandbox only)',
    description:
      'By a number of seconds, or to a time. Answers when everything that fell due has run, in ' +
      'the order of its due times: expiries, settlements, payouts, requeries, and webhooks, ' +
      'which are really sent. For all clients of this sandbox. Where no test clock is set, one ' +
      'is set first.',
    isKeyed: true,
    body: AdvanceRequest,
    view: MoveBody,
    errors: ['clock_backwards', 'clock_busy', 'clock_too_far', 'sandbox_only'],
    handle: (call) => {
      const { request, reply, body, clock, realClock } = call
      if ((body.seconds === undefined) === (body.to === undefined)) {
        throw invalidField('seconds', 'Send either seconds or to.')
      }
      const target = body.to === undefined ? undefined : parseTime('to', body.to)
      return call.clockMoves.exclusively(async (move) => {
        const now = clock()
        const to = target ?? new Date(now.getTime() + (body.seconds as number) * 1_000)
        // The target is stored with the key, so that a retry moves the clock no further.
        const begin = async () => {
          checkTarget({ now, to, real: realClock() })
          return to.toISOString()
        }
        return withIdempotentSteps(call, { request, reply, begin }, async (storedTarget) => {
          await ensureClock(call)
          return accepted(
            'Clock advanced successfully',
            present(await move(new Date(storedTarget))),
          )
        })
      })
    },
  })
  .get('getSandboxClock', {
    path: '',
    guard: sandboxOnly,
    summary: 'Retrieve the test clock (sandbox only)',
    description:
      'The time it is in this sandbox, for all of its clients, and whether it stands still.',
    errors: ['sandbox_only'],
    run: async (db, { clock, testClock }) => {
      await testClock.refresh(db)
      return { now: timestamp(clock()), isFrozen: testClock.frozenTime() !== undefined }
    },
  })
  .route('DELETE', 'releaseSandboxClock', {
    guard: sandboxOnly,
    summary: 'Return to real time (sandbox only)',
    description:
      'For all clients of this sandbox. What was dated ahead of real time keeps its dates, and ' +
      'falls due when real time gets there. Refused while a closed day is not over in real time.',
    errors: ['clock_busy', 'clock_days_closed', 'sandbox_only'],
    handle: async (call) => {
      const { clientId, actor, clock, realClock, db, testClock, clockMoves, request } = call
      await clockMoves.exclusively(async () => {
        await withCaller(call, { request, pool: db }, async (tx) => {
          const real = realClock()
          if (!(await releaseClock(tx, real))) return
          await writeAuditLog(tx, real, {
            clientId,
            actor,
            action: 'sandbox.clock_release',
            subject: 'sandbox/clock',
            detail: {},
          })
        })
        await testClock.refresh(db)
      })
      const body = { now: timestamp(clock()), isFrozen: false }
      return accepted('Clock released successfully', body)
    },
  })

// Sets the test clock to the real time, with an entry in the audit log, unless it is set already. Then reads
// the clock, which another process may have set.
async function ensureClock(call: Call): Promise<void> {
  const { db, realClock, testClock, clientId, actor, request } = call
  const real = realClock()
  await withCaller(call, { request, pool: db }, async (tx) => {
    if (!(await startClock(tx, real))) return
    await writeAuditLog(tx, real, {
      clientId,
      actor,
      action: 'sandbox.clock_set',
      subject: 'sandbox/clock',
      detail: {},
    })
  })
  await testClock.refresh(db)
}

// Returns the result of a move as the API shows it.
function present({ now, isComplete, ran }: ClockMove): Static<typeof MoveBody> {
  const steps = ran.map(({ at, kind, count }) => ({ at: timestamp(at), kind, count }))
  return { now: timestamp(now), isFrozen: true, isComplete, ran: steps }
}

// Parses a time of the request. Without an offset it is West Africa Time.
function parseTime(field: string, text: string): Date {
  const at = parseBankTime(text)
  if (!at) throw invalidField(field, 'Must be a date and time (ISO 8601).')
  return at
}
