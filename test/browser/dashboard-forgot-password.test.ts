// A user who forgot the password asks for a link on the sign-in page, and chooses a new one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { makeUser } from '../support/people.ts'
import { answerResets, tokenMailedTo } from '../support/user-mails.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('a user asks for a link by keyboard, opens it once, and signs in with the new password', async () => {
  await using opened = await browser.newPage()
  const { page, problems } = opened
  const email = await makeUser(bench)
  await page.goto(`${bench.url}/dashboard`)
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Forgot password?' }).press('Enter')
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
  assert.equal(await page.getByLabel('Email address').inputValue(), email)
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByLabel('Email address').press('Enter')
  await page.getByText(`If ${email} has an account, a link is on its way.`).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await answerResets(bench)
  const link = `${bench.url}/dashboard/password-reset#${await tokenMailedTo(bench, email)}`
  await page.goto(link)
  await page.getByText(`For ${email} at`).waitFor()
  assert.equal(new URL(page.url()).hash, '')
  await assertFaultlessThroughout(page, link)
  await page.getByLabel(/^New password/).fill('seven words that nobody else would choose')
  await page.keyboard.press('Enter')
  await page.getByText('Password set. Sign in with it.').waitFor()
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill('seven words that nobody else would choose')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  assert.deepEqual(problems, [])

  await using again = await browser.newPage()
  await again.page.goto(link)
  await again.page.getByText('This link was used or has expired.').waitFor()
  await again.page.getByRole('button', { name: 'Go to sign-in' }).click()
  await again.page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
