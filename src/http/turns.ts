// Writes that arrive in one burst are begun a few at a time, and what became ready meanwhile is heard in
// between. A batch that is answered brings the next requests of all its callers at once: a hundred of
// them, read one after the other, keep the database's answer to the other batch waiting for
// milliseconds, and PostgreSQL idle for as long.
//
// With no batch under way nothing is kept waiting, and all of a burst share the next batch. Reads are
// left alone: those of one burst are put to the database together.

import type { IncomingMessage } from 'node:http'

const AT_A_TIME = 8
const SHARE = 16 // Of those that wait, at least one in so many, lest a long queue last for long.

type Begin = () => void

export class Turns {
  readonly #isWriting: () => boolean
  readonly #waiting: Begin[] = []
  #begun = 0 // In this turn of the event loop.

  constructor(isWriting: () => boolean) {
    this.#isWriting = isWriting
  }

  // In the order they came. Whoever hung up before their turn is not begun: nobody would hear the answer.
  take(request: IncomingMessage, begin: Begin): void {
    if (request.method !== 'POST') {
      begin()
      return
    }
    if (this.#begun === 0) setImmediate(this.#turn)
    this.#begun++
    const isFree = this.#begun <= AT_A_TIME || !this.#isWriting()
    if (isFree && this.#waiting.length === 0) begin()
    else this.#waiting.push(() => request.destroyed || request.socket.destroyed || begin())
  }

  readonly #turn = (): void => {
    const { length } = this.#waiting
    const count = this.#isWriting() ? Math.max(AT_A_TIME, Math.ceil(length / SHARE)) : length
    const some = this.#waiting.splice(0, count)
    this.#begun = some.length
    if (some.length > 0) setImmediate(this.#turn)
    for (const begin of some) begin()
  }
}
