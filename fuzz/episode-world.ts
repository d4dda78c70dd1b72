// The values that an episode knows: those that existed before it, and those that its own answers
// named, which it prefers. So one request creates an object, and the next ones use, change, close
// and reuse it.

import type { Target } from './operations.ts'
import type { Known, Random } from './right-values.ts'

const DEPTH_MAX = 5
const ITEMS_MAX = 3
const KEPT_MAX = 6
const OWN_PERCENT = 60
// Never learnt from answers: operations on a client, a user or a secret use those seeded for them.
const NEVER = /^(clientId|client_id|email|password|secret|url|type|status|message|code)$/
const ALIASES: Record<string, readonly string[]> = {
  sessionId: ['originalSessionId'],
  bankAccount: ['virtualAccountNumber', 'accountNumber'],
  accountNumber: ['virtualAccountNumber'],
  adviceReference: ['reference'],
  paymentReference: ['reference'],
  nextCursor: ['cursor'],
}

export class EpisodeWorld {
  readonly #named = new Map<string, string[]>() // By the name of a field.
  readonly #listed = new Map<string, string[]>() // Ids and references, by the address that made them.

  knownFor({ path, known }: Target, random: Random): Known {
    const isOwn = random.integer(1, 100) <= OWN_PERCENT
    if (!isOwn) return { ...known, ...this.#cursors() }
    const [, address = '', name = ''] = /^([^{]+)\/\{(\w+)\}/.exec(path) ?? []
    const listed = this.#listed.get(address.toLowerCase())
    return {
      ...known,
      ...Object.fromEntries(this.#named),
      ...(listed ? { [name]: listed } : {}),
    }
  }

  learn({ path }: Target, body: string): void {
    try {
      this.#learnFrom(JSON.parse(body), path.toLowerCase(), DEPTH_MAX)
    } catch {
      // A page or a file has nothing to ask for.
    }
  }

  #cursors(): Known {
    const cursors = this.#named.get('cursor')
    return cursors ? { cursor: cursors } : {}
  }

  #learnFrom(value: unknown, path: string, depth: number): void {
    if (typeof value !== 'object' || value === null || depth === 0) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, ITEMS_MAX)) this.#learnFrom(item, path, depth - 1)
      return
    }
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object') this.#learnFrom(inner, path, depth - 1)
      else if (typeof inner === 'string' && inner !== '' && !NEVER.test(name)) {
        for (const each of [name, ...(ALIASES[name] ?? [])]) keep(this.#named, each, inner)
        if (name === 'id' || /reference$/i.test(name)) keep(this.#listed, path, inner)
      }
    }
  }
}

function keep(lists: Map<string, string[]>, name: string, value: string): void {
  const list = lists.get(name) ?? []
  if (!list.includes(value)) list.push(value)
  if (list.length > KEPT_MAX) list.shift()
  lists.set(name, list)
}
