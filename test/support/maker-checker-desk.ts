// Calls of the suspense desk's maker-checker: one user requests how a suspense item is resolved, another
// decides.

import assert from 'node:assert/strict'
import { assertRefused } from './fixtures.ts'
import type { newBrowser } from './people.ts'
import { SUSPENSE } from './suspense-desk.ts'

export type Person = Awaited<ReturnType<typeof newBrowser>>
type Answer = Awaited<ReturnType<Person['call']>>

export const REQUESTS = `${SUSPENSE}/requests`
export const TO_RETURN = { action: 'return', reason: 'Paid twice.' }

export function setMakerChecker(by: Person, makerChecker: boolean) {
  return by.call({ method: 'PUT', url: `${SUSPENSE}/settings`, body: { makerChecker } })
}

// Requests that maker-checker is switched off for the client's suspense desk.
export function askToDisable(by: Person, reason = 'We are few.') {
  return by.call({ url: `${SUSPENSE}/settings/requests`, body: { reason } })
}

// Switches maker-checker off: one user requests it, another approves.
export async function switchOff(maker: Person, checker: Person): Promise<void> {
  const answer = await askToDisable(maker)
  assert.equal(answer.statusCode, 200, answer.body)
  const approved = await decide(checker, answer.json().data.id, 'approve')
  assert.equal(approved.statusCode, 200, approved.body)
}

// Requests how to resolve a suspense item, by default its return; may be refused.
export function ask(by: Person, itemId: number, body: object = TO_RETURN) {
  return by.call({ url: `${SUSPENSE}/${itemId}/requests`, body })
}

// Requests how to resolve a suspense item, which must succeed; returns the id of the request.
export async function requestResolution(
  by: Person,
  itemId: number,
  body?: object,
): Promise<number> {
  const answer = await ask(by, itemId, body)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data.id
}

// Decides on a request; `verb` is approve, reject or withdraw.
export function decide(by: Person, id: number, verb: string, body: object = {}, headers = {}) {
  return by.call({ url: `${REQUESTS}/${id}/${verb}`, body, headers })
}

// Asserts a refusal with this code.
export function refused(answer: Answer, code: string, status = 409): void {
  assertRefused(answer, { status, code })
}
