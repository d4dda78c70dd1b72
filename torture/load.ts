// A steady, mixed load: a few customers, each doing one thing after another, chosen by the seed.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  loseNotification,
  payPayment,
  repeatCredit,
  reportCredits,
  reverseCredit,
} from './bank-actions.ts'
import { type Actor, closeAccount, createAccount, payOut, refund } from './client-actions.ts'
import type { Random } from './random.ts'
import type { Witness } from './witness.ts'

const CUSTOMERS = 8
const THINK_MS = [10, 120] as const
const FIRST_ACCOUNTS = 12

type Action = (actor: Actor, witness: Witness) => Promise<void>

const ACTIONS: readonly (readonly [Action, number])[] = [
  [reportCredits, 45],
  [payPayment, 16],
  [repeatCredit, 10],
  [createAccount, 8],
  [payOut, 8],
  [reverseCredit, 5],
  [refund, 3],
  [loseNotification, 2],
  [closeAccount, 2],
]

export class Load {
  readonly actor: Actor
  readonly #witness: Witness
  #isRunning = false
  #customers: Promise<void>[] = []

  constructor(actor: Actor, witness: Witness) {
    this.actor = actor
    this.#witness = witness
  }

  async prepare(): Promise<void> {
    const accounts = Array.from({ length: FIRST_ACCOUNTS }, () => createAccount(this.actor))
    await Promise.all(accounts)
  }

  start(): void {
    this.#isRunning = true
    this.#customers = Array.from({ length: CUSTOMERS }, () => this.#live(this.actor.random.fork()))
  }

  // Resolves when everybody has finished what they were about: it is known, or left in doubt.
  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#customers)
  }

  async #live(random: Random): Promise<void> {
    const actor = { ...this.actor, random }
    while (this.#isRunning) {
      await random.weighted(ACTIONS)(actor, this.#witness)
      await sleep(random.integer(...THINK_MS))
    }
  }
}
