// Payout files in a real browser: an operator creates one, downloads it, and uploads the bank's
// report, or marks it as not delivered.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { withTransaction } from '#db/transaction.ts'
import { holdPayouts, releasePayouts } from '#payouts/holds.ts'
import { codeOf } from '#short-codes.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { approveOpenFailures } from '../support/failing.ts'
import { createFile, queuePayouts, startFileService, statusesOf } from '../support/payout-desk.ts'

const bench = closeAfterTests(await startFileService())
const url = await listenLocally(bench.service.app)
const openAs = openerOf(bench, url)
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

test('a file is created and downloaded, and the bank’s report settles its payouts', async () => {
  const [paid, rejected] = await queuePayouts(bench)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${url}/dashboard/payouts?tab=files`)
  await waitForText(page, 'No payout files yet')
  await button(page, 'Create file').click()
  await modalOf(page).getByLabel('Sending bank').selectOption('058')
  await modalOf(page).getByLabel('Format').selectOption('csv')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Create file' }).click()
  await waitForText(page, '2 payouts')
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
  await waitForText(page, 'No payout has this reference.')
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

  await button(page, 'Request “not delivered”').click()
  await waitForText(page, 'Request that 2 payouts fail?')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
  await modalOf(page).getByLabel('Bank’s confirmation').fill('Branch manager, by letter')
  await button(page, 'Request “not delivered”').last().click()

  await waitForText(page, `Requested for ${id}. Another user must approve.`)
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
  await approveOpenFailures(bench)
  await page.reload()
  await page.getByRole('link', { name: 'Download' }).waitFor({ state: 'detached' })
  assert.deepEqual(await statusesOf(bench, references), ['failed', 'failed'])
  assert.deepEqual(problems, [])
})

test('a file leads to its payouts, and a payout to its file, where a person may settle it', async () => {
  const [first = ''] = await queuePayouts(bench)
  const { id } = await createFile(bench)
  await queuePayouts(bench)
  await createFile(bench)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${url}/dashboard/payouts/${id}?tab=files`)

  await page.getByRole('link', { name: '2 payouts' }).click()
  await page.waitForURL(`**/payouts?tab=all&payoutFile=${id}`)
  await page.locator('table.list').getByText(codeOf(first)).click()
  await waitForText(page, 'It’s in a payout file: the bank’s report settles it.')
  assert.equal(await page.locator('table.list tbody tr').count(), 2)
  await button(page, 'Request failure').click()
  await modalOf(page).getByLabel('What the bank said').fill('Ticket 4711')
  await modalOf(page).getByLabel('Reason').fill('The bank does not know it')
  await button(page, 'Request failure').last().click()
  await waitForText(page, `Requested that ${first} fails. Another user must approve.`)
  await approveOpenFailures(bench)
  await page.getByRole('link', { name: id }).click()

  await page.waitForURL(`**/payouts/${id}?tab=files`)
  await waitForText(page, /1 payout settled by hand/)
  assert.deepEqual(await statusesOf(bench, [first]), ['failed'])
  assert.deepEqual(problems, [])
})

test('while payouts are held a file is not offered for download, and it says why', async () => {
  await queuePayouts(bench)
  const { id } = await createFile(bench)
  const { db, clock } = bench
  await withTransaction(db, (tx) => holdPayouts(tx, clock(), { reason: 'Drill', by: 'cli:test' }))
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${url}/dashboard/payouts/${id}?tab=files`)

  await waitForText(page, 'Payouts are held: the file can’t be downloaded until they’re released.')
  assert.equal(await page.getByRole('link', { name: 'Download' }).count(), 0)
  await withTransaction(db, (tx) => releasePayouts(tx, clock(), 'cli:test'))
  await page.reload()
  await page.getByRole('link', { name: 'Download' }).waitFor()
  assert.deepEqual(problems, [])
})

test('payout files have no fault at 360 and 1280 pixels, in light and dark', async () => {
  const [first] = await queuePayouts(bench)
  const { id } = await createFile(bench)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened

  for (const path of ['payouts?tab=files', `payouts/${id}?tab=files`, `payouts/${first}?tab=all`]) {
    await assertFaultlessThroughout(page, `${url}/dashboard/${path}`)
  }

  assert.deepEqual(problems, [])
})
