// Sends the passkey requests of the dashboard's pages without a browser; a software authenticator stands
// for the user's device.

import assert from 'node:assert/strict'
import { dataOf } from './fixtures.ts'
import { type Browser, PASSWORD } from './people.ts'
import type { Bench } from './running-service.ts'
import { type Authenticator, type Falsified, newAuthenticator } from './software-authenticator.ts'

export const PASSKEYS = '/dashboard/api/passkeys'
export const PASSKEY_SIGN_IN = '/dashboard/api/session/passkey'

// A passkey as the device stores it, with its private key.
export type Held = ReturnType<Authenticator['create']>['held']
export const device = newAuthenticator()

// Begins to add a passkey. The body proves the user's identity: the password, or another passkey.
export const begin = (browser: Browser, body: object = { password: PASSWORD }) =>
  browser.call({ url: PASSKEYS, body })

// Adds the passkey that the device made.
export const finish = (browser: Browser, credential: object, name = 'Phone') =>
  browser.call({ url: `${PASSKEYS}/confirm`, body: { name, credential } })

// Adds a passkey for a signed-in user. Returns the device's passkey, and the response with its id and the
// recovery codes.
export async function register(browser: Browser, name = 'Phone', proof?: object) {
  const options = dataOf(await begin(browser, proof))
  const { credential, held } = device.create(options)
  const added = dataOf(await finish(browser, credential, name))
  return { held, ...added } as { held: Held; passkey: { id: string }; recoveryCodes: string[] }
}

// Requests the challenge that a passkey must sign to sign in.
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

// Signs in with a passkey; `falsified` falsifies parts of the device's signature.
export async function trySignInWith(
  bench: Pick<Bench, 'call'>,
  held: Held,
  falsified: Falsified = {},
) {
  return signInWith(bench, device.sign(held, await challengeSignIn(bench), falsified))
}

// The body that confirms a sensitive change with a passkey.
export async function confirmWith(browser: Browser, held: Held, falsified: Falsified = {}) {
  const options = await browser.call({ method: 'POST', url: `${PASSKEYS}/challenge` })
  return { passkey: device.sign(held, dataOf(options), falsified) }
}

export const remove = (browser: Browser, id: string, proof: object) =>
  browser.call({ url: `${PASSKEYS}/${id}/remove`, body: proof })
