// The operator's calls that place and end holds on a client's money.

import { fillHoldsRound } from '#holds/workers.ts'
import { dataOf } from './fixtures.ts'
import { type Browser, newBrowser } from './people.ts'
import { type Bench, startTestService } from './running-service.ts'

export const HOLDS = '/api/v1/operator/holds'
const PLACED = { clientId: 'MAN0000001', reason: 'Reported as fraud' }

// Starts a service with a signed-in operator, `maker`, who places the holds.
export async function startHolds(...options: Parameters<typeof startTestService>) {
  const bench = await startTestService(...options)
  return Object.assign(bench, { maker: await newBrowser(bench, 'operator') })
}

export async function placeHold({ maker }: { maker: Browser }, body: object) {
  return dataOf(await maker.call({ url: HOLDS, body: { ...PLACED, ...body } }))
}

// Releases or forfeits a hold: one operator requests it, and another approves.
export async function endHold(bench: Bench, reference: string, verb: 'release' | 'forfeit') {
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  const url = `${HOLDS}/${reference}`
  dataOf(await maker.call({ url: `${url}/${verb}`, body: { reason: 'Decided' } }))
  dataOf(await checker.call({ url: `${url}/approve`, body: {} }))
}

// Runs the worker's round that takes money into holds that are not full yet.
export const fillHolds = (bench: Bench) => fillHoldsRound(bench)(AbortSignal.timeout(60_000))
