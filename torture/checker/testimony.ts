// Reads the witness's file. For the checks it gathers each intent with the number of its calls and their
// answers, the webhooks that arrived, and the orders that the bank received, paid and refused.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { BankOrder, Entry, Operation, Terms, Webhook } from '../witness.ts'

const CHUNK_BYTES = 4 * 1024 ** 2

export type Intent = {
  operation: Operation
  key: string
  terms: Terms
  open: number // The number of calls without an answer, which may have been or may still be carried out.
  acknowledged: Terms[]
  refused: Terms[]
}

export class Testimony {
  readonly intents = new Map<string, Intent>()
  readonly webhooks = new Map<string, Webhook[]>() // By event.
  readonly orders: BankOrder[] = []
  readonly payments: BankOrder[] = []
  readonly refusals: BankOrder[] = []
  readonly calls = { sent: 0, answered: 0, unanswered: 0 }
  readonly #keysOf = new Map<number, readonly string[]>()
  #offset = 0
  #partialLine = ''

  // Returns the intents of one operation, for example all payouts that clients requested.
  of(operation: Operation): Intent[] {
    return [...this.intents.values()].filter((intent) => intent.operation === operation)
  }

  // Reads the lines that the witness wrote since the last read. A line that is still incomplete waits for
  // the next read.
  read(path: string): this {
    const file = openSync(path, 'r')
    const end = statSync(path).size
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const decoder = new TextDecoder()
    while (this.#offset < end) {
      const bytes = readSync(file, chunk, 0, CHUNK_BYTES, this.#offset)
      this.#offset += bytes
      const lines = (
        this.#partialLine + decoder.decode(chunk.subarray(0, bytes), { stream: true })
      ).split('\n')
      this.#partialLine = lines.pop() ?? ''
      for (const line of lines) this.add(JSON.parse(line) as Entry)
    }
    closeSync(file)
    return this
  }

  // Adds an entry of the witness to the totals. A call opens its intents; an answer below 500 closes them,
  // because the call can have no later effect.
  add(entry: Entry): void {
    switch (entry.kind) {
      case 'wanted':
        this.#addIntent(entry)
        return
      case 'asked':
        this.calls.sent++
        this.#keysOf.set(entry.call, entry.keys)
        for (const key of entry.keys) this.#intentOf(key).open++
        return
      case 'answered':
        this.calls.answered++
        for (const key of this.#keysOf.get(entry.call) ?? []) {
          // After a 5xx ("try again"), an earlier attempt may still have been committed.
          if (entry.status < 500) this.#intentOf(key).open--
        }
        this.#keysOf.delete(entry.call)
        return
      case 'unanswered':
        this.calls.unanswered++
        this.#keysOf.delete(entry.call)
        return
      case 'acknowledged':
        this.#intentOf(entry.key).acknowledged.push(entry.result)
        return
      case 'refused':
        this.#intentOf(entry.key).refused.push(entry.result)
        return
      case 'webhook':
        this.webhooks.set(entry.id, [...(this.webhooks.get(entry.id) ?? []), entry])
        return
      case 'ordered':
        this.orders.push(entry)
        return
      case 'paid':
        this.payments.push(entry)
        return
      case 'refused_by_bank':
        this.refusals.push(entry)
    }
  }

  #addIntent({ operation, key, terms }: Pick<Intent, 'operation' | 'key' | 'terms'>): void {
    if (this.intents.has(key)) return // A repeated intent.
    const noCalls = { open: 0, acknowledged: [], refused: [] }
    this.intents.set(key, { operation, key, terms, ...noCalls })
  }

  #intentOf(key: string): Intent {
    const intent = this.intents.get(key)
    if (!intent) throw new Error(`the witness has no record of who wanted ${key}`)
    return intent
  }
}
