// Branding in the dashboard: the preview is the payer's real page, and saving stores exactly what the
// preview shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAdvice, initiate } from '../support/fixtures.ts'
import { png, RINGS } from '../support/logos.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('the page shows a preview of what payers see, and saves it', async () => {
  await bench.newClient('DEVS6')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS6' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=branding`)
  await page.getByLabel('Merchant name').fill('Ada’s Shoes')
  await page.getByLabel('Colour', { exact: true }).fill('#ffd500')
  await page.getByLabel('Name in account names').fill('Adas Shoes')
  await page.getByLabel('Support email address').fill('help@shop.example')
  const files = { name: 'logo.png', mimeType: 'image/png', buffer: RINGS }
  await page.getByLabel('Logo', { exact: true }).setInputFiles(files)
  const preview = page.frameLocator('.preview-page')
  await preview.locator('.merchant-name', { hasText: 'Ada’s Shoes' }).waitFor()
  await preview.getByText('Adas Shoes/Ada Obi').waitFor()
  await preview.getByText('help@shop.example').waitFor()
  await preview.locator('img.logo').waitFor()
  await untilTrue(
    page,
    `(() => {
    const page = document.querySelector('.preview-page').contentDocument
    const { backgroundColor, color } = getComputedStyle(page.querySelector('.primary'))
    return backgroundColor === 'rgb(255, 213, 0)' && color === 'rgb(0, 0, 0)'
  })()`,
  )
  await page.getByLabel('Preview').selectOption('Receipt')
  await preview.getByText('Payment received').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  await page.reload()
  await preview.locator('.merchant-name', { hasText: 'Ada’s Shoes' }).waitFor()
  await preview.locator('img.logo[src^="/pay/logos/"]').waitFor()
  await page.getByRole('button', { name: 'Remove logo' }).click()
  await preview.locator('.mark').waitFor()
  assert.equal(await page.getByLabel('Colour', { exact: true }).inputValue(), '#ffd500')
  await page.getByLabel('Use the default colour').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  assert(await page.getByLabel('Use the default colour').isChecked())
  assert.equal(await page.getByLabel('Support email address').inputValue(), 'help@shop.example')
  assert.equal(await page.getByRole('button', { name: 'Remove logo' }).count(), 0)
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('a too large logo is made smaller, and a file that is no image is refused', async () => {
  await bench.newClient('DEVS8')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS8' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=branding`)
  const field = page.getByLabel('Logo', { exact: true })
  await field.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('none') })
  await page.getByRole('alert').getByText('can’t be used').waitFor()
  const buffer = png({ width: 1_500, height: 500, isInk: (x, y) => (x * y) % 7 < 3 })
  await field.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer })
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.frameLocator('.preview-page').locator('img.logo').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  const logo = page.frameLocator('.preview-page').locator('img.logo[src^="/pay/logos/"]')
  const [width, height] = [await logo.getAttribute('width'), await logo.getAttribute('height')]
  assert(Number(width) <= 512 && Math.round(Number(width) / Number(height)) === 3, `${width}`)
  assert.deepEqual(problems, [])
})

test('the preview is the page: the same markup for the same payment, save what only time tells', async () => {
  const token = await bench.newClient('DEVS9')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS9' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=branding`)
  const preview = page.frameLocator('.preview-page')
  await preview.locator('.pulse').waitFor()
  const { adviceReference } = await createAdvice(bench, {}, { token })
  await initiate(bench, adviceReference, '058')
  const other = await page.context().newPage()
  await other.goto(`${bench.url}/pay?adviceReference=${adviceReference}`)
  await other.locator('.pulse').waitFor()

  const classes = `[...document.querySelectorAll('.card *, header *')]
    .filter((each) => !each.closest('.other, .scan, form:has(.simulate)'))
    .map((each) => each.tagName + each.className)`
  const inPreview = await preview.locator('body').evaluate(classes)
  assert.deepEqual(inPreview, await other.evaluate(classes))
})
