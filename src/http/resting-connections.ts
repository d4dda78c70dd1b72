// Connections that were refused under overload rest: they are not read for a while, and TCP holds their
// senders back. Reading what they send next, only to refuse it, would take the time of what was let in.
// Nobody notices a hang-up on a connection that is not read: so no more than RESTING_MAX rest at once.
//
// They are read again in the order in which they came: few at a time while there is no room, many as
// soon as there is some, all when the service stops; and none rests for longer than REST_MAX_MS.

import type { Socket } from 'node:net'

const LOOK_EVERY_MS = 10
const FEW = 5
const MANY = 50
const REST_MAX_MS = 5_000
const RESTING_MAX = 4_000 // A third of the connections that there may be (app.ts).

type Deps = {
  isOverloaded: () => boolean
  isDraining: () => boolean
  onCount: (resting: number) => void
}

export class RestingConnections {
  readonly #deps: Deps
  #refused: Socket[] = []
  #resting: { socket: Socket; sinceMs: number }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  // Paused when its answer is out: until then, the server itself resumes a connection.
  add(socket: Socket): void {
    if (this.#resting.length + this.#refused.length >= RESTING_MAX) return
    if (this.#refused.push(socket) === 1) setImmediate(() => this.#pause())
  }

  #pause(): void {
    const sinceMs = performance.now()
    for (const socket of this.#refused) {
      if (!socket.destroyed) this.#resting.push({ socket: socket.pause(), sinceMs })
    }
    this.#refused = []
    this.#deps.onCount(this.#resting.length)
    if (this.#timer || this.#resting.length === 0) return
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  #look(): void {
    const nowMs = performance.now()
    for (const { socket } of this.#resting.splice(0, this.#turns(nowMs))) socket.resume()
    this.#deps.onCount(this.#resting.length)
    if (this.#resting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  // By look, which a busy process does late: the busier it is, the fewer it reads. Many are spread over their
  // five seconds, so that they do not all come back in the end.
  #turns(nowMs: number): number {
    const { length } = this.#resting
    if (this.#deps.isDraining()) return length
    if (!this.#deps.isOverloaded()) return MANY
    const young = this.#resting.findIndex(({ sinceMs }) => nowMs - sinceMs < REST_MAX_MS)
    const spread = Math.ceil((length * LOOK_EVERY_MS) / REST_MAX_MS)
    return Math.max(FEW, spread, young < 0 ? length : young)
  }
}
