// A developer's first hour in a real browser, by mouse and by keyboard alone, narrow and wide: from the
// door to a payment whose webhook failed, was fixed, and arrived.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { shownNumber } from '../support/checkout-page.ts'
import { closeAfterTests } from '../support/closing.ts'
import { skipEvents, startDashboardBench } from '../support/dashboard-bench.ts'
import { MEANS, personAt } from '../support/pressing.ts'
import { listener } from '../support/webhook-bench.ts'

const browser = closeAfterTests(await openBrowser())

for (const { width, by, colorScheme } of MEANS) {
  test(`the first hour of a developer by ${by}, ${width} pixels wide`, async () => {
    await using bench = await startDashboardBench()
    await using broken = await listener((response) => {
      response.statusCode = 500
      response.end('no such table: orders')
    })
    await using working = await listener()
    await using opened = await browser.newPage({ width, colorScheme, timezoneId: 'Africa/Lagos' })
    const { page, problems } = opened
    await page.clock.setFixedTime(bench.clock())
    const { press, fill, tick, visit, leave } = personAt(page, by)
    const modal = page.locator('dialog.modal').last()
    const drawer = page.locator('dialog.drawer')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const faultless = async () => assert.deepEqual(await findAxeFaults(page), [])
    const see = (text: string | RegExp) => page.getByText(text).first().waitFor()

    await page.goto(bench.url)
    await see('This is a sandbox: the demo user is filled in.')
    await faultless()
    await press(button('Sign in'))
    await page.getByRole('heading', { name: 'No credits yet' }).waitFor({ timeout: 20_000 })
    await link('New payment request').waitFor()
    await visit({ name: 'Collection accounts', letter: 'a' })
    await link('New account').waitFor()
    await press(button('Add sample data'))
    await see('Sample data added')
    await page.locator('.row-link').first().waitFor()
    await faultless()
    await skipEvents(bench)

    await visit({ name: 'Webhooks', letter: 'w' })
    await press(button('Add endpoint'))
    await fill(modal.getByLabel('URL'), `${broken.url}/hooks`)
    await press(modal.getByRole('button', { name: 'Add endpoint' }))
    await see('Signing secret')
    await faultless()
    await press(button('I’ve saved it'))

    await visit({ name: 'Payments', letter: 'p' })
    await press(link('New payment request'))
    await fill(modal.getByLabel('Amount in naira'), '2,500.50')
    await fill(modal.getByLabel('Customer name'), 'Chidi Eze')
    await press(modal.getByText('More options'))
    await fill(modal.getByLabel('Return page'), `${working.url}/thanks`)
    await press(button('Create request'))
    await modal.getByRole('img', { name: 'QR code of the payment link' }).waitFor()
    await faultless()
    const { pathname, search } = new URL((await modal.locator('code').textContent()) ?? '')
    await press(button('Done'))

    const payer = await page.context().newPage()
    await payer.goto(`${bench.url}${pathname}${search}`)
    await personAt(payer, by).press(payer.getByRole('button', { name: 'Wema Bank' }))
    await payer.getByText('Waiting for your transfer').first().waitFor()
    const number = await shownNumber(payer)
    await visit({ name: 'Sandbox bank', letter: 'x' })
    await tick(page.getByRole('radio', { name: number }))
    await press(button('Send transfer'))
    await see('Event payment.successful')
    await faultless()
    await payer.getByText('Payment received').first().waitFor()
    await payer.close()

    const deliverer = bench.newDeliverer()
    await bench.dispatch()
    await bench.deliver(deliverer)
    await visit({ name: 'Webhooks', letter: 'w' })
    await press(link('Deliveries'))
    await press(page.getByRole('link', { name: 'Payment successful' }).first())
    const failed = drawer.locator('.attempt', { hasText: 'HTTP 500' })
    await press(failed.locator('summary'))
    await failed.getByText('no such table: orders').waitFor()
    await faultless()
    await leave(drawer)
    await press(link('Endpoints'))
    await press(page.locator('.row-link'))
    await press(drawer.getByRole('button', { name: 'Edit' }))
    await fill(modal.getByLabel('URL'), `${working.url}/hooks`)
    await press(modal.getByRole('button', { name: 'Save' }))
    await drawer.getByText(`${working.url}/hooks`).waitFor()
    await leave(drawer)
    await press(link('Deliveries'))
    await press(page.getByRole('link', { name: 'Payment successful' }).first())
    await press(drawer.getByRole('button', { name: 'Resend' }))
    await see(/queued/i)
    await bench.deliver(deliverer)
    await drawer.getByText('HTTP 200').first().waitFor()
    assert(working.types().includes('payment.successful'))
    await leave(drawer)
    await drawer.waitFor({ state: 'detached' })

    if (by === 'keyboard') await page.keyboard.press('Control+k')
    else await page.getByRole('combobox', { name: 'Search' }).click()
    await page.keyboard.type('chidi')
    const found = page.getByRole('group', { name: 'Payments' }).getByRole('option').first()
    await found.waitFor()
    if (by === 'keyboard') await page.keyboard.press('Enter')
    else await found.click()
    await drawer.getByText('From Chidi Eze').waitFor()
    await drawer.getByText('Successful').first().waitFor()
    await drawer.locator('.skeleton').first().waitFor({ state: 'detached' })
    await faultless()
    assert.deepEqual(problems, [])
  })
}
