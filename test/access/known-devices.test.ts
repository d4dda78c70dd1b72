// A sign-in on a device that the user has not used is mailed to the user, except the very first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_MS } from '#access/sessions.ts'
import { purgeSessionsRound } from '#access/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { makeUser, newClientWithOwner, PASSWORD, trySignIn, USERS_URL } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { mailsTo, tokenMailedTo } from '../support/user-mails.ts'

const bench = closeAfterTests(await startTestService())

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

type Cookies = { device: string; line: string }

// Signs in with the cookie of a device, or on a new device. Returns the cookie that the service sets.
async function signInOnDevice(email: string, device?: string): Promise<Cookies> {
  bench.advance(1_000)
  const cookie = device === undefined ? {} : { cookie: `manilla_device=${device}` }
  const headers = { 'user-agent': FIREFOX, ...cookie }
  const answer = await trySignIn(bench, { email, password: PASSWORD }, headers)
  assert.equal(answer.statusCode, 200, answer.body)
  return deviceIn(answer)
}

// Returns the token and the whole line of the device cookie that an answer sets.
function deviceIn(answer: Awaited<ReturnType<typeof trySignIn>>): Cookies {
  const lines = [answer.headers['set-cookie']].flat().map(String)
  const line = lines.find((each) => each.startsWith('manilla_device=')) ?? ''
  return { device: /=([\w-]{43});/.exec(line)?.[1] ?? '', line }
}

const newDevices = async (email: string) =>
  (await mailsTo(bench, email)).filter(({ kind }) => kind === 'user.new_device')

test('the first sign-in is silent, another device is mailed once, and a known one is not', async () => {
  const email = await makeUser(bench)
  const first = await signInOnDevice(email)
  assert.deepEqual(await newDevices(email), [])
  const second = await signInOnDevice(email)
  const [mail, ...others] = await newDevices(email)
  assert.deepEqual([mail?.to, mail?.facts.device, others.length], [email, 'Firefox on Windows', 0])

  assert.notEqual(first.device, second.device)
  for (const { device } of [first, second])
    assert.equal((await signInOnDevice(email, device)).device, device)
  assert.equal((await newDevices(email)).length, 1)
})

test('the cookie is long-lived and out of reach of scripts, and the database has its hash', async () => {
  const { device, line } = await signInOnDevice(await makeUser(bench))
  assert.match(line, /; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict/)
  assert.doesNotMatch(await databaseText(bench), new RegExp(device))
})

test('users of one browser share its cookie, and each is told of their own new device', async () => {
  const [one, other] = [await makeUser(bench), await makeUser(bench)]
  const { device } = await signInOnDevice(one)
  await signInOnDevice(other)
  assert.equal((await signInOnDevice(other, device)).device, device)
  assert.deepEqual([(await newDevices(one)).length, (await newDevices(other)).length], [0, 1])
})

test('a cookie that is not ours is replaced, and a failed sign-in makes no device known', async () => {
  const email = await makeUser(bench)
  const { device } = await signInOnDevice(email)
  const headers = { cookie: `manilla_device=${'x'.repeat(43)}` }
  const wrong = await trySignIn(bench, { email, password: 'not the password' }, headers)
  assert.equal(wrong.statusCode, 401)
  assert.equal(deviceIn(wrong).line, '')
  const strange = await signInOnDevice(email, 'short')
  assert.notEqual(strange.device, device)
  assert.equal((await newDevices(email)).length, 1)
})

test('a user who opens an invitation is known on that device', async () => {
  const { browser: owner } = await newClientWithOwner(bench)
  const email = 'ada@devices.example'
  const made = await owner.call({ url: USERS_URL, body: { email, role: 'support' } })
  assert.equal(made.statusCode, 200, made.body)
  const body = { token: await tokenMailedTo(bench, email), password: PASSWORD }
  const url = '/dashboard/api/invitation/accept'
  const accepted = await bench.call({ url, body, token: null })
  const { device } = deviceIn(accepted)
  assert.match(device, /^[\w-]{43}$/)

  await signInOnDevice(email, device)
  assert.deepEqual(await newDevices(email), [])
  await signInOnDevice(email)
  assert.equal((await newDevices(email)).length, 1)
})

test('a device that is not used for 400 days is forgotten', async () => {
  const email = await makeUser(bench)
  const { device } = await signInOnDevice(email)
  bench.advance(DEVICE_MS)
  await purgeSessionsRound(bench)()
  const other = await signInOnDevice(email)
  await signInOnDevice(email, device)
  assert.notEqual(other.device, device)
  assert.equal((await newDevices(email)).length, 1)
})
