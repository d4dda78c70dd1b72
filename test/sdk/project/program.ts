// A program as a user of the SDK would write it. package.test.ts compiles it against the package's
// declarations and runs it; it prints its results as JSON. `@ts-expect-error` marks lines that must not
// compile.

import { Manilla, ManillaError, verifyWebhook, type WebhookEvent } from '@manilla/sdk'
import handler from './fetch-handler.js'

declare const process: { argv: string[]; versions: { node: string } }
type Given = {
  url: string
  secret: string
  webhook: { body: string; headers: Record<string, string> }
}
const { url, secret, webhook }: Given = JSON.parse(process.argv[2] ?? '')
const manilla = new Manilla({
  baseUrl: url,
  clientId: 'MAN0000001',
  clientSecret: 'sandbox-secret',
})

const { accountNumber } = await manilla.accounts.create({
  accountName: 'Ada Obi',
  bvn: '22212345654',
  email: 'ada@example.com',
  merchantId: 'M-0001',
  merchantCode: 'PACKAGE',
  notificationUrl: 'https://shop.example.com/hook',
  phoneNumber: '+2348012345678',
  channel: 'API',
})
const { outcome } = await manilla.sandbox.pay(accountNumber, '12.50')
const numbers: string[] = []
for await (const account of manilla.accounts.list({ merchantCode: 'PACKAGE' })) {
  numbers.push(account.accountNumber)
  // @ts-expect-error: no such field.
  account.colour
}
const code = await manilla.payments.get('00000000-0000-0000-0000-000000000000').catch((error) => {
  if (!(error instanceof ManillaError)) throw error
  // @ts-expect-error: no such code.
  if (error.code === 'payment_not_there') throw error
  return error.code === 'payment_not_found' && error.status
})
const balances = await manilla.request('get', '/api/v1/balances')

const paid: [string, number][] = []
const request = () => new Request('https://shop.example.com/hook', { method: 'POST', ...webhook })
const env = {
  WEBHOOK_SECRET: secret,
  async markPaid(order: string, amount: number) {
    paid.push([order, amount])
  },
}
const { status } = await handler.fetch(request(), env)
const forged = await handler.fetch(request(), {
  ...env,
  WEBHOOK_SECRET: `${secret.slice(0, -4)}AAA=`,
})
const event: WebhookEvent = await verifyWebhook(webhook.body, webhook.headers, secret)
// @ts-expect-error: only events of payments have it.
event.data.amountPaid

// The service chooses a bank if none is named.
export const unbanked = () => manilla.payments.initiate('reference', {})
// @ts-expect-error: a bank is named by its code, as text.
export const misbanked = () => manilla.payments.initiate('reference', { bankCode: 35 })

console.log(
  JSON.stringify({
    node: process.versions.node.split('.')[0],
    isListed: numbers.includes(accountNumber),
    outcome,
    code,
    currency: balances.totals[0]?.currency,
    statuses: [status, forged.status],
    paid,
    type: event.type,
  }),
)
