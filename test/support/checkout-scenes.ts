// All states of the checkout page, each with the steps that lead an advice there.

import { ADVICE, adviceBody, createAdvice, initiate, MINUTE_MS, simulate } from './fixtures.ts'
import { RINGS } from './logos.ts'
import { newSessionId, postRail } from './rail.ts'
import type { Bench } from './running-service.ts'

export type Scene = (bench: Bench) => Promise<string> // Returns the page's path.

const ORDER = { narration: 'Order 1042: running shoes', merchantRef: undefined }

export const BRANDED = {
  name: 'Ada’s Shoes',
  colour: '#c2185b',
  accountName: 'Adas Shoes',
  supportEmail: 'help@adas-shoes.example',
  supportPhone: '+234 801 234 5678',
  supportUrl: 'https://adas-shoes.example/help',
  logo: RINGS.toString('base64'),
}

async function start(bench: Bench, changes: object = {}) {
  const { adviceReference } = await createAdvice(bench, { ...ORDER, ...changes })
  const { bankAccount } = await initiate(bench, adviceReference, '058')
  return { path: `/pay?adviceReference=${adviceReference}`, adviceReference, bankAccount }
}

// A merchant with complete branding.
async function startBranded(bench: Bench) {
  const clientId = `SHOP${newSessionId().slice(-6)}`
  const token = await bench.newClient(clientId)
  await bench.call({ method: 'PUT', url: '/api/v1/branding', body: BRANDED, token })
  const { adviceReference } = await createAdvice(bench, ORDER, { token })
  const { bankAccount } = await initiate(bench, adviceReference, '058')
  return { path: `/pay?adviceReference=${adviceReference}`, bankAccount }
}

export const CHECKOUT_SCENES: Record<string, Scene> = {
  choosing: async (bench) => {
    const { adviceReference } = await createAdvice(bench, ORDER)
    return `/pay?adviceReference=${adviceReference}`
  },
  waiting: async (bench) => (await start(bench)).path,
  'part-paid': async (bench) => {
    const { path, bankAccount } = await start(bench)
    await simulate(bench, bankAccount, '2000')
    return path
  },
  paid: async (bench) => {
    const { path, bankAccount } = await start(bench, { merchantRef: `ORD-${newSessionId()}` })
    await simulate(bench, bankAccount, '6000')
    return path
  },
  overpaid: async (bench) => {
    const { path, bankAccount } = await start(bench)
    await simulate(bench, bankAccount, '6500')
    return path
  },
  cancelled: async (bench) => {
    const { path, adviceReference } = await start(bench)
    await bench.call({ method: 'POST', url: `${ADVICE}/${adviceReference}/cancel` })
    return path
  },
  reversed: async (bench) => {
    const { path, bankAccount } = await start(bench)
    const sessionId = newSessionId()
    const credit = { sessionId, accountNumber: bankAccount, amount: '6000' }
    await postRail(bench, '058/credits', credit)
    const taking = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '6000' }
    await postRail(bench, '058/reversals', taking)
    return path
  },
  'in-grace': async (bench) => {
    const { path } = await start(bench)
    bench.advance(31 * MINUTE_MS)
    return path
  },
  expired: async (bench) => {
    const { path } = await start(bench, adviceBody({ graceSeconds: 0 }))
    bench.advance(31 * MINUTE_MS)
    return path
  },
  branded: async (bench) => (await startBranded(bench)).path,
  'branded-paid': async (bench) => {
    const { path, bankAccount } = await startBranded(bench)
    const credit = { sessionId: newSessionId(), accountNumber: bankAccount, amount: '6000' }
    await postRail(bench, '058/credits', { ...credit, sourceBankCode: '057' })
    return path
  },
  missing: async () => '/pay?adviceReference=nothing',
}
