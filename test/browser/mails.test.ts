// Renders each kind of mail in a real browser: narrow and wide, light and dark, and as a mail program that
// drops <style>.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '#messages/copy/en.ts'
import { type Brand, MESSAGE_KIND_NAMES, type MessageFacts } from '#messages/kinds.ts'
import { render, writeLetter } from '#messages/render.ts'
import { SAMPLES } from '#notices/routes.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'

const browser = closeAfterTests(await openBrowser())

const BRAND: Brand = {
  ...{ name: 'Obi Stores', colour: '#c2185b', logo: null },
  ...{ supportEmail: 'help@obi.example', supportPhone: '+2348012345678', supportUrl: null },
}

// A mail has no landmarks, so only the success criteria apply.
const WCAG = { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] } }
const WIDTHS = [360, 600]
const APPEARANCES = ['light', 'dark', 'without style'] as const
const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

// Asserts that a mail has no accessibility faults and is not wider than the page, in each appearance and
// width. The page computes `TOO_WIDE`: by how many pixels the mail is too wide.
async function assertLegible(name: string, html: string): Promise<void> {
  await using opened = await browser.newPage()
  const { page, problems } = opened
  for (const appearance of APPEARANCES) {
    await page.emulateMedia({ colorScheme: appearance === 'light' ? 'light' : 'dark' })
    const isPlain = appearance === 'without style'
    await page.setContent(isPlain ? html.replace(/<style>[\s\S]*?<\/style>/, '') : html)
    for (const width of WIDTHS) {
      const where = `${name}, ${appearance}, ${width} px`
      await page.setViewportSize({ width, height: 800 })
      assert((await page.evaluate<number>(TOO_WIDE)) <= 0, `${where} is too wide`)
      assert.deepEqual(await findAxeFaults(page, WCAG), [], where)
    }
  }
  assert.deepEqual(problems, [])
}

for (const kind of MESSAGE_KIND_NAMES) {
  test(`${kind} is legible and fits, narrow and wide, light, dark and without <style>`, async () => {
    await assertLegible(kind, render(en, writeLetter(en, kind, SAMPLES[kind]), BRAND).html)
  })
}

test('a receipt of a collection account, without a page to open, is legible', async () => {
  const facts: MessageFacts['payer.receipt'] = {
    ...SAMPLES['payer.receipt'],
    ...{ link: null, accountNumber: '1000000015', reference: '000013261118093000123456789012' },
  }
  const { html } = render(en, writeLetter(en, 'payer.receipt', facts), BRAND)
  assert.doesNotMatch(html, /<a /)
  await assertLegible('payer.receipt of an account', html)
})

test('a mail with values that have no place to break still fits', async () => {
  const long = 'W'.repeat(64)
  const facts: MessageFacts['payer.instructions'] = {
    ...SAMPLES['payer.instructions'],
    ...{ reference: long, accountName: long },
  }
  const brand = { ...BRAND, name: long, supportEmail: `${long}@${'w'.repeat(60)}.example` }
  await assertLegible('long', render(en, writeLetter(en, 'payer.instructions', facts), brand).html)
})
