// A bank that reports credits without end, many at a time, and repeats each until it is acknowledged,
// like a bank without an answer or with "try again".

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { newCredit, postRail } from './rail.ts'
import type { Bench } from './running-service.ts'

const TRY_AGAIN_AFTER_MS = 20
const [ACCEPTED, DUPLICATE, RETRY] = ['00', '01', '03']

export class PersistentBank {
  readonly acknowledged: string[] = [] // Session ids.
  repeats = 0
  readonly #senders: Promise<void>[] = []
  #isStopped = false
  #next = Promise.withResolvers<void>()

  constructor(
    bench: Bench,
    { accounts, senders }: { accounts: readonly string[]; senders: number },
  ) {
    for (let at = 0; at < senders; at++) {
      this.#senders.push(this.#send(bench, accounts[at % accounts.length] as string))
    }
    Promise.all(this.#senders).catch((error) => this.#next.reject(error))
  }

  // The next acknowledgement; rejects on an answer that is neither that nor "try again".
  next(): Promise<void> {
    return this.#next.promise
  }

  // Resolves when all reports are acknowledged.
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#senders)
  }

  async #send(bench: Bench, account: string): Promise<void> {
    while (!this.#isStopped) {
      const credit = newCredit(account)
      while (!(await this.#report(bench, credit))) await sleep(TRY_AGAIN_AFTER_MS)
      this.acknowledged.push(credit.sessionId)
      this.#next.resolve()
      this.#next = Promise.withResolvers()
    }
  }

  async #report(bench: Bench, credit: object): Promise<boolean> {
    const answer = await postRail(bench, '035/credits', credit)
    const { responseCode } = answer.json()
    if (responseCode === RETRY) assert.equal(answer.statusCode, 503)
    else assert([ACCEPTED, DUPLICATE].includes(responseCode), answer.body)
    if (responseCode === DUPLICATE) this.repeats++
    return responseCode !== RETRY
  }
}
