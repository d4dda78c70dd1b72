// What happens while the payer looks elsewhere on the page is seen and heard: what failed, what came of a
// transfer, where the number is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults } from '../support/browser.ts'
import { startCheckout } from '../support/checkout-page.ts'
import { closeAfterTests } from '../support/closing.ts'

const checkout = closeAfterTests(await startCheckout())

test('a copy that fails is said at its button, and what to copy is selected', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page, problems } = opened
  const selected = () => page.evaluate('getSelection().toString()')
  const said = page.getByRole('alert').getByText('Couldn’t copy.')
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await page.evaluate('document.execCommand = () => false')

  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.locator('.account > .problem').waitFor()
  assert.equal(await selected(), accountNumber)
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('button', { name: 'Copy amount' }).click()
  await page.locator('.failed > .problem').waitFor()
  assert.equal(await selected(), '₦6,000.00')
  assert.equal(await said.count(), 1)

  await page.evaluate('document.execCommand = () => true')
  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await said.count(), 0)
  assert.deepEqual(problems, [])
})
