// Payout files in a real browser: an operator creates one, downloads it, and uploads what the bank
// reports, or marks it as not delivered.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { createFile, queuePayouts, startFileService, statusesOf } from '../support/payout-desk.ts'

const bench = closeAfterTests(await startFileService())
const url = await listenLocally(bench.service.app)
const openAs = openerOf(bench, url)
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

test('a file is created and downloaded, and the bank’s report settles its payouts', async () => {
  const [paid, rejected] = await queuePayouts(bench)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${url}/dashboard/payouts?tab=files`)
  await see(page, 'No payout files yet')
  await button(page, 'Create file').click()
  await modalOf(page).getByLabel('Sending bank').selectOption('058')
  await modalOf(page).getByLabel('Format').selectOption('csv')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Create file' }).click()
  await see(page, '2 payouts')
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  const content = readFileSync(await download.path(), 'utf8')
  assert(
    [paid, rejected].every((reference) => content.includes(`${reference},`)),
    content,
  )
  await page.keyboard.press('Escape')

  await button(page, 'Upload results').click()
  const report = [
    'reference,status,bankReference,reason',
    `${paid},ACSC,B-1,`,
    `${rejected},RJCT,,Closed`,
    'PYT000000000000000,ACSC,B-2,',
  ].join('\n')
  const file = { name: 'report.csv', mimeType: 'text/csv', buffer: Buffer.from(report) }
  await modalOf(page).getByLabel('Report').setInputFiles(file)
  await modalOf(page).getByRole('button', { name: 'Upload' }).click()
  await see(page, 'No payout has this reference.')
  assert.deepEqual(await findAxeFaults(page), [])
  const facts = await modalOf(page).locator('.facts').innerText()
  assert.match(facts.replace(/\s+/g, ' '), /Confirmed 1 Failed 1 Still in progress 0/)
  await button(page, 'Done').click()

  await page.locator('table.list').getByText('Complete').waitFor()
  assert.deepEqual(await statusesOf(bench, [paid, rejected] as string[]), ['confirmed', 'failed'])
  assert.deepEqual(problems, [])
})

test('a file that never reached the bank is marked so, after being asked once more', async () => {
  const references = await queuePayouts(bench)
  const { id } = await createFile(bench)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${url}/dashboard/payouts/${id}?tab=files`)

  await button(page, 'Mark as not delivered').click()
  await see(page, 'Mark 2 payouts as not paid?')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
  await modalOf(page).getByLabel('Bank’s confirmation').fill('Branch manager, by letter')
  await button(page, 'Mark as not delivered').last().click()

  await see(page, `${id} marked as not delivered.`)
  await page.getByRole('link', { name: 'Download' }).waitFor({ state: 'detached' })
  assert.deepEqual(await statusesOf(bench, references), ['failed', 'failed'])
  assert.deepEqual(problems, [])
})

test('payout files have no fault at 360 and 1280 pixels, in light and dark', async () => {
  await queuePayouts(bench)
  const { id } = await createFile(bench)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened

  for (const path of ['payouts?tab=files', `payouts/${id}?tab=files`]) {
    await assertFaultlessThroughout(page, `${url}/dashboard/${path}`)
  }

  assert.deepEqual(problems, [])
})
