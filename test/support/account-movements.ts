// Movements of every kind on the accounts of a client, step by step, for tests of what is counted from them.

import type { ClientId } from '#ids.ts'
import { createFeeRule } from './fee-rules.ts'
import { createAccount, simulate, startPayment } from './fixtures.ts'
import { createPayout, payoutRounds } from './payouts.ts'
import type { Bench } from './running-service.ts'
import { closeSettlement, setBankAccount } from './settlements.ts'
import { createSplit } from './splits.ts'
import { credit, openDesk, reverse } from './tracing.ts'

// Returns the internal id of the sandbox's client.
export async function clientOf(bench: Bench): Promise<ClientId> {
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  return rows[0].id
}

// Movements of every kind on collection accounts of two merchants and in suspense.
export async function movementsOf(bench: Bench): Promise<(() => Promise<unknown>)[]> {
  const desk = await openDesk(bench)
  await createFeeRule(bench)
  await setBankAccount(bench)
  await createSplit(bench)
  const labels = (merchantId: string) => ({ merchantId, merchantCode: 'x' })
  const one = await createAccount(bench, labels('A'))
  const two = await createAccount(bench, labels('B'))
  const shared = await createAccount(bench, { ...labels('B'), splitCode: 'AB' })
  const off = await createAccount(bench, labels('A'))
  await bench.db.query(
    'update collection_accounts set is_active = false where account_number = $1',
    [off.accountNumber],
  )
  const sessions: Record<string, string> = {}
  const report = (name: string, accountNumber: string, amount: string) => async () => {
    sessions[name] = await credit(bench, accountNumber, amount)
  }
  const of = (name: string) => sessions[name] as string
  const rounds = await payoutRounds(bench)
  return [
    report('plain', one.accountNumber, '5000.00'),
    report('other', two.accountNumber, '700.50'),
    report('shared', shared.accountNumber, '900.00'),
    report('assigned', off.accountNumber, '50.00'),
    report('returned', off.accountNumber, '60.00'),
    report('failed', off.accountNumber, '70.00'),
    report('lost', off.accountNumber, '80.00'),
    () => reverse(bench, of('plain'), '1000.00'),
    () => reverse(bench, of('lost'), '80.00'),
    () => desk.assign(of('assigned'), { accountNumber: two.accountNumber } as never),
    () => desk.giveBack(of('returned')),
    () => desk.confirm(of('returned'), 'B-1'),
    () => desk.giveBack(of('failed')),
    () => desk.fail(of('failed')),
    () => createPayout(bench, { amount: '300' }),
    async () => {
      await rounds.send()
      await rounds[Symbol.asyncDispose]()
    },
    async () => {
      const { bankAccount } = await startPayment(bench)
      await simulate(bench, bankAccount, '6000.00')
    },
    () => closeSettlement(bench),
    () => reverse(bench, of('other'), '700.50'), // After it was settled: the client owes it.
    report('last', two.accountNumber, '11.00'),
  ]
}
