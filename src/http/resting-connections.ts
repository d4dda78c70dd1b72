// Connections that were refused under overload rest: they are not read for a while, and TCP holds their
// senders back. Reading what they send next, only to refuse it, would take the time of what was let in.
//
// They are read again in the order in which they came: few at a time while there is no room, many as
// soon as there is some, all when the service stops; and none rests for longer than REST_MAX_MS.

import type { Socket } from 'node:net'

const LOOK_EVERY_MS = 10
const FEW = 5
const MANY = 50
const REST_MAX_MS = 5_000

type Deps = {
  isOverloaded: () => boolean
  isDraining: () => boolean
  onCount: (resting: number) => void
}

export class RestingConnections {
  readonly #deps: Deps
  #refused: Socket[] = []
  #resting: Socket[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  // Paused when its answer is out: until then, the server itself resumes a connection.
  add(socket: Socket): void {
    if (this.#refused.push(socket) === 1) setImmediate(() => this.#pause())
  }

  #pause(): void {
    for (const socket of this.#refused) this.#resting.push(socket.pause())
    this.#refused = []
    this.#deps.onCount(this.#resting.length)
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  #look(): void {
    for (const socket of this.#resting.splice(0, this.#turns())) socket.resume()
    this.#deps.onCount(this.#resting.length)
    if (this.#resting.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #turns(): number {
    if (this.#deps.isDraining()) return this.#resting.length
    if (!this.#deps.isOverloaded()) return MANY
    return Math.max(FEW, Math.ceil((this.#resting.length * LOOK_EVERY_MS) / REST_MAX_MS))
  }
}
