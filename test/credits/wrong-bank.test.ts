// I32: an account number accepts a credit only if the bank that issued it reports the credit. Each bank signs
// with its own secret, as in live mode.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, OWN_RAIL_SECRET, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, initiate, startPayment, verify } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'

const secretOf: Record<string, string> = {
  '035': OWN_RAIL_SECRET,
  '058': `whsec_${Buffer.alloc(32, 's').toString('base64')}`,
}
const bench = closeAfterTests(
  await startWithBanks([
    {
      code: '035',
      static: { from: 100, to: 199 },
      dynamic: { from: 200, to: 299 },
      railSecrets: [secretOf['035'] as string],
    },
    {
      code: '058',
      dynamic: { from: 300, to: 399 },
      railSecrets: [secretOf['058'] as string],
    },
  ]),
)

// Calls a rail with the secret of its bank, and returns the answer.
async function call(bank: string, path: string, body: unknown) {
  const signing = { secrets: [secretOf[bank] as string] }
  return (await postRail(bench, `${bank}/${path}`, body, signing)).json()
}

test('a credit to a number of another bank is held with the reporting bank, and alerts', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = { sessionId: newSessionId(), accountNumber, amount: '50' }

  const foreign = await call('058', 'credits', credit)
  const again = await call('058', 'credits', credit)
  const own = await call('035', 'credits', credit)

  assert.deepEqual([foreign, again, own].map(wordsOf), [
    '00 suspended wrong_bank',
    '01 duplicate wrong_bank',
    '00 booked',
  ])
  assert.equal(await balanceOf(bench, accountNumber), 50)
  const held = await bench.db.query(
    `select i.client_id, l.owner, l.kind, c.client_id as credit_client, c.collection_account_id
       from suspense_items i join credits c on c.id = i.credit_id
       join ledger_accounts l on l.id = i.account_id
      where c.session_id = $1`,
    [credit.sessionId],
  )
  assert.deepEqual(held.rows, [
    {
      clientId: null,
      owner: 'bank:058',
      kind: 'suspense',
      creditClient: null,
      collectionAccountId: null,
    },
  ])
  const alerts = await bench.db.query(`select subject from alerts where kind = 'wrong_bank'`)
  assert.deepEqual(alerts.rows, [{ subject: `${credit.sessionId}@058` }])
  const events = await bench.db.query(`select type from events where type = 'credit.suspended'`)
  assert.deepEqual(events.rows, [], 'its owner hears nothing of it')
})

test('each number of a payment at two banks takes money from its own bank only', async () => {
  const payment = await startPayment(bench, { amount: 100 })
  const further = await initiate(bench, payment.adviceReference, '058')
  const pay = (bank: string, accountNumber: string) =>
    call(bank, 'credits', { sessionId: newSessionId(), accountNumber, amount: '50' })

  const crossed = [await pay('058', payment.bankAccount), await pay('035', further.bankAccount)]
  const first = await pay('035', payment.bankAccount)
  const second = await pay('058', further.bankAccount)

  assert.deepEqual(crossed.map(wordsOf), ['00 suspended wrong_bank', '00 suspended wrong_bank'])
  assert.deepEqual([first, second].map(wordsOf), ['00 booked', '00 booked'])
  const { transactionStatus } = await verify(bench, payment.paymentReference)
  assert.equal(transactionStatus, 'Successful')
})

test('a bank learns nothing about another’s numbers, and reverses only its own credits', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  await call('035', 'credits', { sessionId, accountNumber, amount: '70' })

  const foreign = await call('058', 'name-enquiry', { accountNumber })
  const own = await call('035', 'name-enquiry', { accountNumber })
  const taking = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '70' }
  const reversal = await call('058', 'reversals', taking)

  assert.deepEqual(
    [foreign.responseCode, foreign.accountName, own.responseCode],
    ['07', null, '00'],
  )
  assert.equal(wordsOf(reversal), '03 retry original_not_found')
  assert.equal(await balanceOf(bench, accountNumber), 70)
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
