// A credit that waited for a lock on its account sees the account as the credit before it left it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, holdTable, startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, createAccount, readAccount } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

for (const isAdditional of [false, true]) {
  const numbers = isAdditional ? 'additional numbers' : 'own numbers'
  test(`two processes credit the same accounts by their ${numbers} at once: all are booked`, async () => {
    await using twin = await startTwin(bench)
    const accounts = await Promise.all(Array.from({ length: 5 }, () => addNumber()))
    const bank = isAdditional ? '058' : '035'
    const creditsOfAmount = (amount: string) =>
      accounts.map(({ own, added }) => ({
        sessionId: newSessionId(),
        accountNumber: isAdditional ? added : own,
        amount,
      }))
    const held = await holdTable(bench, 'events')

    const first = postRail(bench, `${bank}/credits`, creditsOfAmount('10'))
    await held.waiting(1)
    const second = postRail(twin, `${bank}/credits`, creditsOfAmount('5'))
    await held.waiting(2)
    await held[Symbol.asyncDispose]()

    for (const answer of await Promise.all([first, second])) {
      assert.deepEqual(answer.json().map(wordsOf), Array(5).fill('00 booked'))
    }
    for (const { own } of accounts) {
      assert.equal((await readAccount(bench, own)).accountBalance, 15)
    }
    await assertCleanBooks(bench)
  })
}

// Creates an account and adds a number at bank 058 to it.
async function addNumber(): Promise<{ own: string; added: string }> {
  const { accountNumber: own } = await createAccount(bench)
  const url = `${ACCOUNTS}/${own}/numbers`
  const { accounts } = (await bench.call({ url, body: { bankCode: '058' } })).json().data
  return { own, added: accounts[1].accountNumber }
}
