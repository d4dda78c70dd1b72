// Calls the service as banks and clients do. What is not answered, or answered with "try again", is
// asked again with the same key, at the other process; now and then it is left in doubt. The witness
// writes down everything first.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'
import type { Operation, Terms, Witness } from './witness.ts'

const ANSWER_MAX_MS = 4_000
const PERSIST_MAX_MS = 90_000
const AGAIN_MS = [50, 400] as const
const LEFT_IN_DOUBT = 0.04

export type Call = {
  operation: Operation
  wants: readonly { key: string; terms: Terms }[] // Several: a list in one call.
  isPatient?: boolean // Asks until it knows. Default true.
  path: string
  body: unknown // Text is sent as it is.
  // For each attempt anew: a signature has a time, a token ends. Undefined: cannot be asked now.
  headers: (body: string, api: string) => Promise<Record<string, string> | undefined>
  onUnauthorized?: (api: string) => void
  // What an answer says of each key, in order; undefined: ask again.
  read: (answer: Answer) => readonly (Verdict | undefined)[]
}

export type Answer = { status: number; body: unknown }
export type Verdict = { is: 'acknowledged' | 'refused'; result: Terms }

type Options = {
  apis: readonly string[]
  witness: Witness
  random: Random
  onCredit: (sentAtMs: number, acknowledgedAtMs: number) => void
}

export class Caller {
  readonly #options: Options
  readonly counts = { sent: 0, acknowledged: 0, refused: 0, unanswered: 0, leftInDoubt: 0 }
  readonly statuses = new Map<number, number>()

  constructor(options: Options) {
    this.#options = options
  }

  // The verdict on each thing that was wanted; undefined: nobody knows.
  async ask(call: Call): Promise<(Verdict | undefined)[]> {
    const { witness, random } = this.#options
    const { operation, wants, isPatient = true } = call
    for (const { key, terms } of wants) witness.note({ kind: 'wanted', operation, key, terms })
    const verdicts: (Verdict | undefined)[] = wants.map(() => undefined)
    const giveUpAtMs = performance.now() + PERSIST_MAX_MS
    while (performance.now() < giveUpAtMs) {
      const said = await this.#attempt(call)
      for (const [at, verdict] of said.entries()) verdicts[at] = verdict ?? verdicts[at]
      if (verdicts.every(Boolean)) return verdicts
      if (!isPatient || random.happens(LEFT_IN_DOUBT)) break
      await sleep(random.integer(...AGAIN_MS))
    }
    this.counts.leftInDoubt += verdicts.filter((verdict) => !verdict).length
    return verdicts
  }

  async #attempt(call: Call): Promise<readonly (Verdict | undefined)[]> {
    const { apis, witness, random } = this.#options
    const api = random.integer(0, apis.length - 1)
    const origin = apis[api] as string
    const text = typeof call.body === 'string' ? call.body : JSON.stringify(call.body)
    const headers = await call.headers(text, origin).catch(() => undefined)
    if (!headers) return []
    const number = witness.nextCall()
    const keys = call.wants.map(({ key }) => key)
    const sentAtMs = Date.now()
    witness.note({ kind: 'asked', call: number, keys, at: sentAtMs, api })
    this.counts.sent++
    const answer = await this.#send({ url: origin + call.path, headers, text })
    const at = Date.now()
    if ('why' in answer) {
      this.counts.unanswered++
      witness.note({ kind: 'unanswered', call: number, at, why: answer.why })
      return []
    }
    witness.note({ kind: 'answered', call: number, at, ...answer })
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 401) call.onUnauthorized?.(origin)
    const verdicts = call.read(answer)
    this.#note(number, keys, verdicts)
    const isAcknowledged = verdicts.some((verdict) => verdict?.is === 'acknowledged')
    if (call.operation === 'credit' && isAcknowledged) this.#options.onCredit(sentAtMs, at)
    return verdicts
  }

  #note(call: number, keys: string[], verdicts: readonly (Verdict | undefined)[]): void {
    for (const [at, verdict] of verdicts.entries()) {
      if (!verdict) continue
      const { is: kind, result } = verdict
      this.counts[kind]++
      this.#options.witness.note({ kind, call, key: keys[at] as string, result })
    }
  }

  async #send(given: { url: string; headers: Record<string, string>; text: string }) {
    const { url, headers, text } = given
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: text,
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      })
      return { status: response.status, body: (await response.json()) as unknown }
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      return { why: cause?.code ?? name }
    }
  }
}
