// Actions on payments in a real browser, by mouse and by keyboard, narrow and wide: request one,
// share its link, extend and cancel it, open its receipt, resend its webhook.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAdvice, readAdvice, simulate, startPayment } from '../support/fixtures.ts'
import { MEANS, personAt } from '../support/pressing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

for (const { width, by, colorScheme } of MEANS) {
  test(`a request is created, shared, extended and cancelled by ${by}, ${width} pixels wide`, async () => {
    const clientId = `ASKS${width}${by}`
    const token = await bench.newClient(clientId)
    await using opened = await bench.openAs(browser, { clientId, width, colorScheme })
    const { page, problems } = opened
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const { press, fill } = personAt(page, by)
    const modal = page.locator('dialog.modal')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto(`${bench.url}/dashboard/payments`)
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])

    await press(page.getByRole('link', { name: 'New payment request' }))
    await modal.getByLabel('Return page').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await fill(modal.getByLabel('Amount in naira'), '2,500.50')
    await fill(modal.getByLabel('Customer name'), 'Chidi Eze')
    await fill(modal.getByLabel('Narration'), 'Deposit')
    await fill(modal.getByLabel('Return page'), 'https://shop.example/thanks')
    await press(button('Create request'))

    await page.getByRole('heading', { name: 'Payment request created' }).waitFor()
    await modal.getByRole('img', { name: 'QR code of the payment link' }).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    const link = (await modal.locator('code').textContent()) ?? ''
    await press(button('Copy payment link'))
    await page.getByText('Copied payment link').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), link)
    const { pathname, search } = new URL(link) // Under PUBLIC_URL, where nothing listens here.
    assert.match(await (await fetch(`${bench.url}${pathname}${search}`)).text(), /2,500\.50/)
    await press(button('Done'))

    await press(page.getByRole('link', { name: 'Chidi Eze' }))
    await press(button('Extend'))
    await press(modal.getByRole('button', { name: 'Extend' }))
    await page.getByText('Extended.').waitFor()
    const reference = new URL(link).searchParams.get('adviceReference') ?? ''
    const readBack = async () =>
      (await bench.call({ url: `/api/v1/advices/${reference}`, token })).json().data
    assert.equal((await readBack()).expiresInSeconds, 3600)
    await page.locator('.facts').getByText('1 hour').waitFor()

    await press(button('Cancel request'))
    assert.deepEqual(await findAxeFaults(page), [])
    await press(button('Keep it'))
    assert.equal((await readBack()).status, 'Pending')
    await press(button('Cancel request'))
    await press(modal.getByRole('button', { name: 'Cancel request' }))

    await page.getByText('Payment request cancelled.').waitFor()
    await page.locator('dialog.drawer .badge', { hasText: 'Cancelled' }).waitFor()
    assert.equal((await readBack()).status, 'Cancelled')
    assert.equal(await button('Share link').count(), 0)
    assert.deepEqual(problems, [])
  })
}

test('the return page is remembered, and what the API refuses is said in the form', async () => {
  const token = await bench.newClient('ASKSAGAIN')
  await createAdvice(
    bench,
    { merchantRef: 'A-1', callBackUrl: 'https://shop.example/back' },
    { token },
  )
  await using opened = await bench.openAs(browser, { clientId: 'ASKSAGAIN' })
  const { page } = opened
  const modal = page.locator('dialog.modal')
  await page.goto(`${bench.url}/dashboard/payments?new=request`)
  await modal.getByLabel('Amount in naira').fill('100')
  await modal.getByLabel('Customer name').fill('Ada')
  await modal.getByText('More options').click()
  assert.equal(await modal.getByLabel('Return page').inputValue(), 'https://shop.example/back')
  await modal.getByLabel('Your reference').fill('A-1')

  await modal.getByRole('button', { name: 'Create request' }).click()

  await modal.getByRole('alert').waitFor()
  await modal.getByLabel('Your reference').fill('A-2')
  await modal.getByRole('button', { name: 'Create request' }).click()
  await page.getByRole('heading', { name: 'Payment request created' }).waitFor()
})

test('a payment’s receipt opens, and its webhook is sent again', async () => {
  const { paymentReference, bankAccount } = await startPayment(bench, { amount: 700 })
  await simulate(bench, bankAccount, '700.00')
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments/${paymentReference}`)

  await page.getByRole('button', { name: 'Resend webhook' }).click()
  await page.getByText('Webhook queued for 1 destination.').waitFor()
  const receipt = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'View receipt' }).click()

  await (await receipt).getByRole('heading', { name: 'Payment received' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel request' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('a part payment that is cancelled is told where its money goes', async () => {
  const { paymentReference, adviceReference, bankAccount } = await startPayment(bench, {
    amountPolicy: 'allow_under',
  })
  await simulate(bench, bankAccount, '1500.00')
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payments/${paymentReference}`)

  await page.getByRole('button', { name: 'Cancel request' }).click()
  await page.getByText('The ₦1,500.00 already paid moves to suspense.').waitFor()
  await page.locator('dialog.modal').getByRole('button', { name: 'Cancel request' }).click()

  await page.getByText('Payment request cancelled.').waitFor()
  assert.equal((await readAdvice(bench, adviceReference)).status, 'Cancelled')
})

test('a user who may not write sees no action but those that read', async () => {
  const { paymentReference } = await startPayment(bench)
  for (const role of ['finance', 'support'] as const) {
    await using opened = await bench.openAs(browser, { role })
    const { page } = opened
    await page.goto(`${bench.url}/dashboard/payments?new=request`)
    await page.locator('.row-link').first().waitFor()
    assert.equal(await page.getByText('New payment request').count(), 0)
    await page.goto(`${bench.url}/dashboard/payments/${paymentReference}`)
    const actions = page.getByRole('region', { name: 'Actions' })
    await actions.getByRole('button', { name: 'Share link' }).waitFor()
    assert.deepEqual(await actions.locator('.button').allTextContents(), ['Share link'])
  }
})
