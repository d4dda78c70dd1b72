// The simulated bank's charges reduce the amounts on its statement and in our ledger by the same sum, to
// the kobo, in every dialect that reports charges.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../fake-bank/dialects.ts'
import { bankLedgerKobo, naira, startWithFakeBank } from '../support/fake-bank.ts'
import { createAccount } from '../support/fixtures.ts'

for (const { connector } of DIALECTS.filter(({ hidesCharges }) => !hidesCharges)) {
  test(`${connector}: the ledger grows by the net amount, the account by the gross`, async () => {
    const fees = { flatKobo: naira(45), basisPoints: 33n }
    await using world = await startWithFakeBank({ connector, fees })
    const { bank, bench } = world
    const { accountNumber } = await createAccount(bench)
    const transfer = bank.transfer({ accountNumber, amountKobo: naira(1000) })
    assert(transfer && transfer.settledKobo < transfer.amountKobo)
    bank.transfer({ accountNumber, amountKobo: naira(777) }, 'duplicated')
    await world.deliver()

    assert.equal(await bankLedgerKobo(bench), bank.bank.statement().closingKobo)
    const { data } = (await bench.call({ url: '/api/v1/credits' })).json()
    assert.deepEqual(data.map(({ amount }: { amount: number }) => amount).sort(), [1000, 777])
  })
}
