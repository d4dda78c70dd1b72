// A bank that keeps reporting credits, many at a time. It repeats each report until the service acknowledges
// it, as banks do after "try again" (03). For tests in which the service is interrupted.

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
    for (let index = 0; index < senders; index++) {
      this.#senders.push(this.#send(bench, accounts[index % accounts.length] as string))
    }
    Promise.all(this.#senders).catch((error) => this.#next.reject(error))
  }

  // Resolves with the next acknowledgement. Rejects if the service responds with anything else but "try
  // again".
  next(): Promise<void> {
    return this.#next.promise
  }

  // Reports no more credits; resolves when all reported ones are acknowledged.
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#senders)
  }

  // Reports one credit after another to an account.
  async #send(bench: Bench, account: string): Promise<void> {
    while (!this.#isStopped) {
      const credit = newCredit(account)
      while (!(await this.#report(bench, credit))) await sleep(TRY_AGAIN_AFTER_MS)
      this.acknowledged.push(credit.sessionId)
      this.#next.resolve()
      this.#next = Promise.withResolvers()
    }
  }

  // Reports a credit once; returns whether the service acknowledged it.
  async #report(bench: Bench, credit: object): Promise<boolean> {
    const answer = await postRail(bench, '035/credits', credit)
    const { responseCode } = answer.json()
    if (responseCode === RETRY) assert.equal(answer.statusCode, 503)
    else assert([ACCEPTED, DUPLICATE].includes(responseCode), answer.body)
    if (responseCode === DUPLICATE) this.repeats++
    return responseCode !== RETRY
  }
}
