// A collection account can have a NIN, a KYC tier and a verified name. The NIN is encrypted and shown
// masked, the published answer does not change, and banks get the tier.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLiveName } from '#accounts/queries.ts'
import {
  actionsOf,
  eventsOf,
  fieldsOf,
  listAccounts,
  patchAccount,
} from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { erase, PERSON } from '../support/erasing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  databaseText,
  dataOf,
  readAccount,
  startPayment,
} from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { verifyAll } from '../support/verified.ts'

const NIN = '33398765432'
const KYC = { nin: NIN, kycTier: 1, verifiedName: 'NGOZI ADICHIE' }

const bench = closeAfterTests(await startTestService())

// Returns the masked NIN, the KYC tier and the verified name of an account.
async function kycOf(accountNumber: string, token?: string) {
  const url = `${ACCOUNTS}/${accountNumber}/details`
  const { ninMasked, kycTier, verifiedName } = dataOf(
    await bench.call({ url, ...(token ? { token } : {}) }),
  )
  return [ninMasked, kycTier, verifiedName]
}

// Returns the KYC level that a bank gets in a name enquiry.
const enquiredLevelOf = async (accountNumber: string) =>
  (await findLiveName(bench.db, bench.clock(), { bankCode: '035', accountNumber }))?.kycLevel

test('an account with a BVN alone is of tier 1', async () => {
  for (const kyc of [{}, { nin: null, kycTier: null, verifiedName: null }]) {
    const { accountNumber } = await createAccount(bench, kyc)

    assert.deepEqual(await kycOf(accountNumber), [null, 1, null])
    assert.equal(await enquiredLevelOf(accountNumber), '1')
  }
})

test('an account is opened with its KYC, which the published answer does not show', async () => {
  const made = await createAccount(bench, KYC)
  const read = await readAccount(bench, made.accountNumber)

  assert.deepEqual(await kycOf(made.accountNumber), ['333*****432', 1, 'NGOZI ADICHIE'])
  for (const answer of [made, read]) {
    assert.deepEqual(
      Object.keys(answer).filter((field) => /nin|kyc|verified/i.test(field)),
      [],
    )
    assert(!JSON.stringify(answer).includes(NIN))
  }
})

test('a KYC field that is not right is refused by its name, and no account is opened', async () => {
  const wrong: Record<keyof typeof KYC, readonly unknown[]> = {
    nin: [
      ' ',
      '3339876543',
      '333987654321',
      '3339876543a',
      ' 33398765432',
      '٣٣٣٩٨٧٦٥٤٣٢',
      33398765432,
    ],
    kycTier: [0, 4, -1, 1.5, '1', true, [], 1e21],
    verifiedName: [' ', 'x'.repeat(101), 'a\u0000b', 5],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const answer = await bench.call({ url: ACCOUNTS, body: accountBody({ [field]: value }) })
      assertRefused(answer, { code: 'invalid_request' })
      assert.deepEqual(fieldsOf(answer), [field])
    }
  }
})

test('KYC is changed field by field; audit log and event name the fields, never the NIN', async () => {
  const { accountNumber } = await createAccount(bench)

  await patchAccount(bench, accountNumber, KYC)
  await patchAccount(bench, accountNumber, KYC) // Setting the same values again changes nothing.
  assert.deepEqual(await kycOf(accountNumber), ['333*****432', 1, 'NGOZI ADICHIE'])
  await patchAccount(bench, accountNumber, { nin: null, verifiedName: null })
  assert.deepEqual(await kycOf(accountNumber), [null, 1, null])

  const changes = [
    ['nin', 'kycTier', 'verifiedName'],
    ['nin', 'verifiedName'],
  ]
  const actions = await actionsOf(bench, accountNumber)
  const [, ...events] = await eventsOf(bench, accountNumber)
  assert.deepEqual(
    actions.map(({ detail }) => detail),
    changes.map((names) => ({ changes: names, note: null })),
  )
  assert.deepEqual(
    events.map((event: { data: { changes: string[] } }) => event.data.changes),
    changes,
  )
  assert(!JSON.stringify([actions, events]).includes(NIN))
})

test('the tier that is set counts while BVN and NIN are verified, and tier 1 until then', async () => {
  const { accountNumber } = await createAccount(bench, { kycTier: 2 })
  // Returns the tier in force, the tier that the client set, and the level that the bank gets.
  const tiers = async () => {
    const url = `${ACCOUNTS}/${accountNumber}/details`
    const { kycTier, kycTierSet } = dataOf(await bench.call({ url }))
    return [kycTier, kycTierSet, await enquiredLevelOf(accountNumber)]
  }

  assert.deepEqual(await tiers(), [1, 2, '1'])
  await patchAccount(bench, accountNumber, { nin: NIN })
  assert.deepEqual(await tiers(), [1, 2, '1'])
  await verifyAll(bench)
  assert.deepEqual(await tiers(), [2, 2, '2'])
  await patchAccount(bench, accountNumber, { kycTier: 3 })
  assert.deepEqual(await tiers(), [3, 3, '3'])
  await patchAccount(bench, accountNumber, { nin: null })
  assert.deepEqual(await tiers(), [1, 3, '1'])
})

test('a bank is told no tier for the number of a payment: nobody identified the payer', async () => {
  const { bankAccount } = await startPayment(bench)

  assert.equal(await enquiredLevelOf(bankAccount), null)
})

test('a client finds its accounts by NIN, and nobody else’s', async () => {
  const nin = '33311122233'
  const { accountNumber } = await createAccount(bench, { nin })
  const other = await bench.newClient('NINFINDER1')

  const numbers = async (token?: string) =>
    (await listAccounts(bench, `?nin=${nin}`, token ? { token } : {}))
      .json()
      .data.map((account: { accountNumber: string }) => account.accountNumber)

  assert.deepEqual(await numbers(), [accountNumber])
  assert.deepEqual(await numbers(other), [])
  assertRefused(await bench.call({ url: `${ACCOUNTS}/${accountNumber}/details`, token: other }), {
    status: 404,
    code: 'account_not_found',
  })
})

test('a NIN is nowhere in the clear: not in a table, not in the log, not for people', async () => {
  const headers = { 'idempotency-key': 'kyc' }
  const { accountNumber } = await createAccount(bench, KYC, { headers })
  await createAccount(bench, KYC, { headers })
  await bench.call({ url: `${ACCOUNTS}/bulk`, body: { accounts: [accountBody(KYC)] } })
  await patchAccount(bench, accountNumber, { nin: `${NIN}0` })
  await bench.call({ url: ACCOUNTS, body: accountBody({ nin: NIN, email: 'x' }) })
  const browser = await newBrowser(bench, 'owner')
  const seen = await browser.call({ url: `${ACCOUNTS}/${accountNumber}/details` })

  assert(!seen.body.includes(NIN))
  assert(!bench.logText().includes(NIN))
  const text = await databaseText(bench)
  assert(!text.includes(NIN) && !text.includes(Buffer.from(NIN).toString('hex')))
})

test('the same key with another NIN, tier or verified name is another request', async () => {
  const headers = { 'idempotency-key': 'kyc-2' }
  await createAccount(bench, KYC, { headers })

  for (const change of [{ nin: '33398765431' }, { kycTier: 2 }, { verifiedName: 'NGOZI' }]) {
    const body = accountBody({ ...KYC, ...change })
    assertRefused(await bench.call({ url: ACCOUNTS, body, headers }), {
      code: 'idempotency_key_reused',
    })
  }
})

test('erasing an account erases its KYC, and a reason must not repeat it', async () => {
  const kyc = { ...PERSON, ...KYC, verifiedName: 'OKWUOSA' }
  const { accountNumber } = await createAccount(bench, kyc)

  for (const reason of [`NIN ${NIN}`, 'asked by Okwuosa']) {
    const refusal = await erase(bench, accountNumber, { reason })
    assertRefused(refusal, { code: 'invalid_request' })
  }
  assert.equal((await erase(bench, accountNumber)).statusCode, 200)

  assert.deepEqual(await kycOf(accountNumber), [null, 1, null])
  assert.deepEqual((await listAccounts(bench, `?nin=${NIN}&name=Erased`)).json().data, [])
  await assert.rejects(
    bench.db.query(`update collection_accounts set verified_name = 'X' where account_number = $1`, [
      accountNumber,
    ]),
    /collection_accounts_erased_has_no_kyc/,
  )
})
