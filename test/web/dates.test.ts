// Dates of the dashboard follow the user's region, if its language is that of the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { language } from '../../web/copy.ts'

const { locale } = language
const navigator = { languages: ['en-US@posix'] }
Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true })
const { dateLocale, formatter } = await import('../../web/dashboard/format.ts')

test('a browser whose language is no locale gets the dates of the catalogue', () => {
  assert.equal(dateLocale(), locale)
  assert.match(formatter({ dateStyle: 'long' }).format(new Date('2026-11-15T12:00:00Z')), /2026/)
})

test('the first region with the language of the page counts', () => {
  assert.equal(dateLocale(['fr-FR', `${language.tag}-US`]), `${language.tag}-US`)
  assert.equal(dateLocale(['fr-FR']), locale)
})
