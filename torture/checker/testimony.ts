// Assembles the witness's records: for each intent, the number of calls and their answers; the webhooks that
// arrived; the orders that the bank received and paid.

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
  #rest = ''

  of(operation: Operation): Intent[] {
    return [...this.intents.values()].filter((each) => each.operation === operation)
  }

  // Reads the lines written since the last call.
  read(path: string): this {
    const file = openSync(path, 'r')
    const end = statSync(path).size
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const decoder = new TextDecoder()
    while (this.#offset < end) {
      const bytes = readSync(file, chunk, 0, CHUNK_BYTES, this.#offset)
      this.#offset += bytes
      const lines = (this.#rest + decoder.decode(chunk.subarray(0, bytes), { stream: true })).split(
        '\n',
      )
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.add(JSON.parse(line) as Entry)
    }
    closeSync(file)
    return this
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case 'wanted':
        this.#want(entry)
        return
      case 'asked':
        this.calls.sent++
        this.#keysOf.set(entry.call, entry.keys)
        for (const key of entry.keys) this.#get(key).open++
        return
      case 'answered':
        this.calls.answered++
        for (const key of this.#keysOf.get(entry.call) ?? []) {
          // "Try again" does not rule out that an earlier attempt was committed.
          if (entry.status < 500) this.#get(key).open--
        }
        this.#keysOf.delete(entry.call)
        return
      case 'unanswered':
        this.calls.unanswered++
        this.#keysOf.delete(entry.call)
        return
      case 'acknowledged':
        this.#get(entry.key).acknowledged.push(entry.result)
        return
      case 'refused':
        this.#get(entry.key).refused.push(entry.result)
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

  #want({ operation, key, terms }: Pick<Intent, 'operation' | 'key' | 'terms'>): void {
    if (this.intents.has(key)) return // A repeated intent.
    const nothing = { open: 0, acknowledged: [], refused: [] }
    this.intents.set(key, { operation, key, terms, ...nothing })
  }

  #get(key: string): Intent {
    const intent = this.intents.get(key)
    if (!intent) throw new Error(`the witness has no record of who wanted ${key}`)
    return intent
  }
}
