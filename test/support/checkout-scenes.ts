// The states of the checkout page, each with the steps that bring an advice into that state. Tests and
// scripts/screenshots.ts open the page in each.

import { ADVICE, adviceBody, createAdvice, initiate, MINUTE_MS, simulate } from './fixtures.ts'
import { RINGS } from './logos.ts'
import { newSessionId, postRail } from './rail.ts'
import type { Bench } from './running-service.ts'

// Brings a new advice into one state; returns the path of its checkout page.
export type Scene = (bench: Bench) => Promise<string>

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

// Creates an advice for which the payer chose bank 058, so that the page shows the account number.
async function startAdvice(bench: Bench, changes: object = {}) {
  const { adviceReference } = await createAdvice(bench, { ...ORDER, ...changes })
  const { bankAccount } = await initiate(bench, adviceReference, '058')
  return { path: `/pay?adviceReference=${adviceReference}`, adviceReference, bankAccount }
}

// Creates an advice of a new merchant with complete branding, for which the payer chose bank 058.
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
  waiting: async (bench) => (await startAdvice(bench)).path,
  'part-paid': async (bench) => {
    const { path, bankAccount } = await startAdvice(bench)
    await simulate(bench, bankAccount, '2000')
    return path
  },
  paid: async (bench) => {
    const { path, bankAccount } = await startAdvice(bench, { merchantRef: `ORD-${newSessionId()}` })
    await simulate(bench, bankAccount, '6000')
    return path
  },
  overpaid: async (bench) => {
    const { path, bankAccount } = await startAdvice(bench)
    await simulate(bench, bankAccount, '6500')
    return path
  },
  cancelled: async (bench) => {
    const { path, adviceReference } = await startAdvice(bench)
    await bench.call({ method: 'POST', url: `${ADVICE}/${adviceReference}/cancel` })
    return path
  },
  reversed: async (bench) => {
    const { path, bankAccount } = await startAdvice(bench)
    const sessionId = newSessionId()
    const credit = { sessionId, accountNumber: bankAccount, amount: '6000' }
    await postRail(bench, '058/credits', credit)
    const reversal = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '6000' }
    await postRail(bench, '058/reversals', reversal)
    return path
  },
  'in-grace': async (bench) => {
    const { path } = await startAdvice(bench)
    bench.advance(31 * MINUTE_MS)
    return path
  },
  expired: async (bench) => {
    const { path } = await startAdvice(bench, adviceBody({ graceSeconds: 0 }))
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
