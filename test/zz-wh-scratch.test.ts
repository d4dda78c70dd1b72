import { test } from 'node:test'
import { startWebhookBench, listener, verifies } from './support/webhook-bench.ts'
import { createAccount, simulate, startPayment } from './support/fixtures.ts'
test('x', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  const ep = await bench.addEndpoint(receiver.url + '/ep')
  const account = await createAccount(bench, { notificationUrl: receiver.url })
  await simulate(bench, account.accountNumber, '100.50')
  const p = await startPayment(bench, { notificationUrl: receiver.url + '/n', callBackUrl: receiver.url + '/cb?x=1' })
  await simulate(bench, p.bankAccount, '1000')
  await simulate(bench, p.bankAccount, '6000')
  await bench.run()
  for (const h of receiver.heard) console.log(h.path, JSON.stringify(h.json))
  console.log(await bench.deliveries(), await bench.attempts())
  console.log(verifies(await bench.secret(), receiver.heard[0]!), verifies(await bench.secret(ep.id), receiver.heard[0]!))
  console.log(bench.logText().split('\n').filter(l => l.includes('"error"')).slice(0,3).join('\n'))
})
