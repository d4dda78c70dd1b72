// A mixed load. First runs every action, several at a time, so that no run lacks one. Then a few customers
// each run one action after another, chosen by the seed.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  loseNotification,
  payPayment,
  renameCredit,
  repeatCredit,
  reportCredits,
  reportLongList,
  reverseCredit,
} from './bank-actions.ts'
import { cancelPayment, closeAccount, createAccount } from './client-actions.ts'
import type { Actor } from './client-calls.ts'
import {
  cancelPayout,
  cancelRefund,
  closeSettlement,
  payOut,
  raceRefunds,
  refund,
} from './money-out-actions.ts'
import {
  endHold,
  exchangeFile,
  importStatement,
  placeHold,
  reportFiles,
  resolveSuspense,
} from './operator-actions.ts'
import type { Random } from './random.ts'
import type { Witness } from './witness.ts'

const CUSTOMERS = 8
const THINK_MS = [10, 120] as const

type Action = (actor: Actor, witness: Witness) => Promise<void>
type NumberedActions = readonly (readonly [Action, number])[]

// The steps of the opening. Each step begins when the one before it is finished, because its actions need
// the accounts, payments or holds that earlier steps made. Each number is a count: how often the step runs
// the action. The actions of one step run mixed, in random order and several at a time.
const OPENING: readonly NumberedActions[] = [
  [[createAccount, 10]],
  [
    [reportLongList, 2],
    [payPayment, 16],
  ],
  [
    [payOut, 14],
    [raceRefunds, 6],
    [renameCredit, 6],
    [repeatCredit, 2],
    [cancelPayout, 2],
    [resolveSuspense, 4],
    [reverseCredit, 2],
    [cancelPayment, 2],
    [importStatement, 2],
    [placeHold, 4],
  ],
  [
    [endHold, 3],
    [exchangeFile, 1],
    [closeSettlement, 2],
    [cancelRefund, 2],
  ],
]

// The actions of the load after the opening. Each number is a relative weight: an action of weight 40 is
// chosen ten times as often as one of weight 4.
const ACTIONS: NumberedActions = [
  [reportCredits, 40],
  [payPayment, 16],
  [repeatCredit, 8],
  [renameCredit, 6],
  [createAccount, 6],
  [payOut, 14],
  [cancelPayout, 3],
  [refund, 4],
  [raceRefunds, 3],
  [cancelRefund, 1],
  [resolveSuspense, 5],
  [reverseCredit, 5],
  [exchangeFile, 2],
  [importStatement, 2],
  [closeSettlement, 1],
  [cancelPayment, 2],
  [loseNotification, 2],
  [closeAccount, 2],
  [placeHold, 3],
  [endHold, 3],
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

  // Runs the opening: each step's actions in random order, spread over the customers.
  async open(): Promise<void> {
    for (const step of OPENING) {
      const actions = step.flatMap(([action, times]) => Array.from({ length: times }, () => action))
      const next = this.actor.random.deck(actions)
      let remaining = actions.length
      // Each customer does the step's next action until none is left.
      const customers = Array.from({ length: CUSTOMERS }, async () => {
        const actor = { ...this.actor, random: this.actor.random.fork() }
        while (remaining-- > 0) await next()(actor, this.#witness)
      })
      await Promise.all(customers)
    }
  }

  start(): void {
    this.#isRunning = true
    this.#customers = Array.from({ length: CUSTOMERS }, () =>
      this.#actUntilStopped(this.actor.random.fork()),
    )
  }

  // Resolves when all customers have finished their actions, with a known result or in doubt, and the bank
  // that takes files has reported on all its files.
  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#customers)
    await exchangeFile(this.actor)
    await reportFiles(this.actor)
  }

  // One customer: a random action, a short pause, and so on until the load stops.
  async #actUntilStopped(random: Random): Promise<void> {
    const actor = { ...this.actor, random }
    while (this.#isRunning) {
      await random.weighted(ACTIONS)(actor, this.#witness)
      await sleep(random.integer(...THINK_MS))
    }
  }
}
