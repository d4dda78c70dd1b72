// Handlers of a client with a test clock run at its time, which authentication has read
// (authentication.ts). Not before the handler: what reads the body would lose the context.
//
// Who signs in, what the operator does and the books of all clients are never at one client's time; nor
// is the clock itself.

import type { FastifyInstance } from 'fastify'
import { atClientTime, clientClock } from '#client-time.ts'
import { findClockedAdvices } from '#domain/clocked-items.ts'
import { findTestTime } from '#domain/records/test-clocks.ts'
import type { AdviceId } from '#ids.ts'
import type { Deps } from './deps.ts'

const REAL_TIME = /^\/(api\/v1\/operator|dashboard|sandbox\/(clock|seed|reset))(\/|$)/

// Before routes are registered. Answers what they are given.
export function serveInClientTime(app: FastifyInstance, deps: Deps): Deps {
  app.addHook('onRoute', (route) => {
    if (REAL_TIME.test(route.url)) return
    const { handler } = route
    route.handler = function (request, reply) {
      const handle = () => handler.call(this, request, reply)
      return request.clientTime ? atClientTime(request.clientTime, handle) : handle()
    }
  })
  return { ...deps, clock: clientClock(deps.clock) }
}

type Clocks = Pick<Deps, 'testClocks' | 'reads' | 'realClock'>

// For payers, who have no token: at the time of the client whose advice it is.
export async function atTimeOfAdvice<T>(
  { testClocks, reads, realClock }: Clocks,
  adviceId: AdviceId,
  work: () => Promise<T>,
): Promise<T> {
  const [clientId] = testClocks.isEmpty ? [] : await findClockedAdvices(reads, [{ adviceId }])
  const now = clientId && (await findTestTime(reads, realClock(), clientId))
  return clientId && now ? atClientTime({ clientId, now }, work) : work()
}
