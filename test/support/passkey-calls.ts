// The pages' passkey calls without a browser: a software authenticator answers.

import assert from 'node:assert/strict'
import { dataOf } from './fixtures.ts'
import { type Browser, PASSWORD } from './people.ts'
import type { Bench } from './running-service.ts'
import { type Authenticator, type Bent, newAuthenticator } from './software-authenticator.ts'

export const PASSKEYS = '/dashboard/api/passkeys'
export const PASSKEY_SIGN_IN = '/dashboard/api/session/passkey'

export type Held = ReturnType<Authenticator['create']>['held']
export const device = newAuthenticator()

export const begin = (browser: Browser, body: object = { password: PASSWORD }) =>
  browser.call({ url: PASSKEYS, body })

export const finish = (browser: Browser, credential: object, name = 'Phone') =>
  browser.call({ url: `${PASSKEYS}/confirm`, body: { name, credential } })

// Returns the passkey, and the answer with its id and recovery codes.
export async function register(browser: Browser, name = 'Phone', proof?: object) {
  const options = dataOf(await begin(browser, proof), 'account')
  const { credential, held } = device.create(options)
  const added = dataOf(await finish(browser, credential, name), 'account')
  return { held, ...added } as { held: Held; passkey: { id: string }; recoveryCodes: string[] }
}

export async function challengeSignIn(bench: Pick<Bench, 'call'>) {
  const answer = await bench.call({
    method: 'POST',
    url: `${PASSKEY_SIGN_IN}/challenge`,
    token: null,
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data as { challenge: string; rpId: string }
}

export const signInWith = (bench: Pick<Bench, 'call'>, passkey: object) =>
  bench.call({ method: 'POST', url: PASSKEY_SIGN_IN, body: { passkey }, token: null })

export async function trySignInWith(bench: Pick<Bench, 'call'>, held: Held, bent: Bent = {}) {
  return signInWith(bench, device.sign(held, await challengeSignIn(bench), bent))
}

// For a change that requires confirmation.
export async function confirmWith(browser: Browser, held: Held, bent: Bent = {}) {
  const options = await browser.call({ method: 'POST', url: `${PASSKEYS}/challenge` })
  return { passkey: device.sign(held, dataOf(options, 'account'), bent) }
}

export const remove = (browser: Browser, id: string, proof: object) =>
  browser.call({ url: `${PASSKEYS}/${id}/remove`, body: proof })
