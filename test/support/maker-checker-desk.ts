// Maker-checker at the suspense desk over HTTP: one person requests, another decides.

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

export function askToDisable(by: Person, reason = 'We are few.') {
  return by.call({ url: `${SUSPENSE}/settings/requests`, body: { reason } })
}

// Takes two people.
export async function switchOff(maker: Person, checker: Person): Promise<void> {
  const answer = await askToDisable(maker)
  assert.equal(answer.statusCode, 200, answer.body)
  const approved = await decide(checker, answer.json().data.id, 'approve')
  assert.equal(approved.statusCode, 200, approved.body)
}

export function ask(by: Person, itemId: number, body: object = TO_RETURN) {
  return by.call({ url: `${SUSPENSE}/${itemId}/requests`, body })
}

// Returns the id of the request.
export async function requestResolution(
  by: Person,
  itemId: number,
  body?: object,
): Promise<number> {
  const answer = await ask(by, itemId, body)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data.id
}

export function decide(by: Person, id: number, verb: string, body: object = {}, headers = {}) {
  return by.call({ url: `${REQUESTS}/${id}/${verb}`, body, headers })
}

export function refused(answer: Answer, code: string, status = 409): void {
  assertRefused(answer, 'account', { status, code })
}
