// Collects the values that an episode can use: those that existed before it, and, preferably, those that the
// responses to its own requests named. So one request creates an object, and the next ones use, change and
// close it.

import type { Target } from './operations.ts'
import type { Known, Random } from './right-values.ts'

const DEPTH_MAX = 5
const ITEMS_MAX = 3
const VALUES_MAX = 6
const OWN_PERCENT = 60
// Fields whose values are never learnt from responses: operations on clients, users and secrets use only the
// ones that seed-world.ts made for them.
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

  // Returns the values for the next request: mostly with those that the episode's own responses named.
  knownFor({ path, known }: Target, random: Random): Known {
    const isOwn = random.integer(1, 100) <= OWN_PERCENT
    if (!isOwn) return { ...known, ...this.#cursors() }
    // For /payouts/{reference}, takes the references that the episode's calls to /payouts returned.
    const [, address = '', name = ''] = /^([^{]+)\/\{(\w+)\}/.exec(path) ?? []
    const listed = this.#listed.get(address.toLowerCase())
    return {
      ...known,
      ...Object.fromEntries(this.#named),
      ...(listed ? { [name]: listed } : {}),
    }
  }

  // Remembers the ids and other texts of a response.
  learn({ path }: Target, body: string): void {
    try {
      this.#learnFrom(JSON.parse(body), path.toLowerCase(), DEPTH_MAX)
    } catch {
      // The response is a page or a file, not JSON.
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
        const fields = [name, ...(ALIASES[name] ?? [])]
        for (const field of fields) addValue(this.#named, field, inner)
        if (name === 'id' || /reference$/i.test(name)) addValue(this.#listed, path, inner)
      }
    }
  }
}

// Adds a value to a list, without duplicates. A full list loses its oldest value.
function addValue(lists: Map<string, string[]>, name: string, value: string): void {
  const list = lists.get(name) ?? []
  if (!list.includes(value)) list.push(value)
  if (list.length > VALUES_MAX) list.shift()
  lists.set(name, list)
}
