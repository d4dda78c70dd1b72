// Holds that operators place and end, over HTTP.

import { fillHoldsRound } from '#holds/workers.ts'
import { dataOf } from './fixtures.ts'
import { type Browser, newBrowser } from './people.ts'
import { type Bench, startTestService } from './running-service.ts'

export const HOLDS = '/api/v1/operator/holds'
const PLACED = { clientId: 'MAN0000001', reason: 'Reported as fraud' }

// A service with an operator who places holds.
export async function startHolds(...options: Parameters<typeof startTestService>) {
  const bench = await startTestService(...options)
  return Object.assign(bench, { maker: await newBrowser(bench, 'operator') })
}

export async function placeHold({ maker }: { maker: Browser }, body: object) {
  return dataOf(await maker.call({ url: HOLDS, body: { ...PLACED, ...body } }), 'account')
}

// One operator requests it, and another approves.
export async function endHold(bench: Bench, reference: string, verb: 'release' | 'forfeit') {
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  const url = `${HOLDS}/${reference}`
  dataOf(await maker.call({ url: `${url}/${verb}`, body: { reason: 'Decided' } }), 'account')
  dataOf(await checker.call({ url: `${url}/approve`, body: {} }), 'account')
}

export const fillHolds = ({ db, clock }: Bench) =>
  fillHoldsRound({ db, clock })(AbortSignal.timeout(60_000))
