// The Banks page shows for each bank whether routing uses it, since when, and why not. A bank without
// observations is grey.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultless, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { startRouted } from '../support/routed-banks.ts'

const routed = closeAfterTests(await startRouted())
const { bench } = routed
const url = await listenLocally(bench.service.app)
const openAs = openerOf(bench, url)
const browser = closeAfterTests(await openBrowser())
const now = bench.clock()
await bench.db.query(
  `insert into bank_routes (bank_code, direction, state, since, reason, failed_at, retry_at)
   values ('035', 'in', 'left', $1, 'failing', $1, $2), ('035', 'out', 'left', $1, 'failing', $1, $2)`,
  [now, new Date(now.getTime() + 15_000)],
)

for (const [width, colorScheme] of [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const) {
  test(`the Banks page shows routing, ${width} pixels wide and ${colorScheme}`, async () => {
    await using opened = await openAs(browser, { role: 'operator', width, colorScheme })
    const { page, problems } = opened
    await assertFaultless(page, `${url}/dashboard/banks`)
    const badges = page.locator('.bank-cards .badge')
    assert.deepEqual(await badges.allInnerTexts(), [
      ...['Never heard from', 'Avoided'],
      ...['Never heard from', 'Nothing observed'],
    ])
    for (const at of [0, 2, 3]) {
      assert.match((await badges.nth(at).getAttribute('class')) ?? '', /\bcalm\b/)
    }

    await page.getByRole('link', { name: 'Bank 035' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText('Calls to it fail.').first().waitFor()
    assert.equal(await drawer.getByText('Next trial:').count(), 1, 'of payouts alone')
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(problems, [])
  })
}
