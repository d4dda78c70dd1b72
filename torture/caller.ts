// Calls the service as banks and clients do. A call without an answer, or with the answer "try again", is
// repeated with the same key at the other process. Now and then the caller gives up and leaves the result in
// doubt. The witness records everything first.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'
import type { Operation, Terms, Witness } from './witness.ts'

const ANSWER_MAX_MS = 4_000
const PERSIST_MAX_MS = 90_000
const AGAIN_MS = [50, 400] as const
const LEFT_IN_DOUBT = 0.04

export type Call = {
  operation: Operation
  wants: readonly { key: string; terms: Terms }[] // Several for a list in one call.
  isPatient?: boolean // Repeats the call until its result is known. Default true.
  path: string
  body: unknown // Text is sent unchanged.
  // Called for each attempt, because a signature contains the time and a token expires. Returns undefined if
  // no call is possible now.
  headers: (body: string, api: string) => Promise<Record<string, string> | undefined>
  onUnauthorized?: (api: string) => void
  // Reads the verdict on each key, in order. undefined means that the call must be repeated.
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

  // Repeats the call until every intent has a verdict, the time is over, or the caller gives up. Returns
  // the verdict on each intent; undefined means that the result is unknown.
  async ask(call: Call): Promise<(Verdict | undefined)[]> {
    const { witness, random } = this.#options
    const { operation, wants, isPatient = true } = call
    for (const { key, terms } of wants) witness.note({ kind: 'wanted', operation, key, terms })
    const verdicts: (Verdict | undefined)[] = wants.map(() => undefined)
    const giveUpAtMs = performance.now() + PERSIST_MAX_MS
    while (performance.now() < giveUpAtMs) {
      const attempt = await this.#attempt(call)
      for (const [index, verdict] of attempt.entries()) verdicts[index] = verdict ?? verdicts[index]
      if (verdicts.every(Boolean)) return verdicts
      if (!isPatient || random.happens(LEFT_IN_DOUBT)) break
      await sleep(random.integer(...AGAIN_MS))
    }
    this.counts.leftInDoubt += verdicts.filter((verdict) => !verdict).length
    return verdicts
  }

  // Sends the call once to a random API process, and records the attempt and its answer. Returns no
  // verdicts if there was no answer.
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
    this.#noteVerdicts(number, keys, verdicts)
    const isAcknowledged = verdicts.some((verdict) => verdict?.is === 'acknowledged')
    if (call.operation === 'credit' && isAcknowledged) this.#options.onCredit(sentAtMs, at)
    return verdicts
  }

  #noteVerdicts(call: number, keys: string[], verdicts: readonly (Verdict | undefined)[]): void {
    for (const [index, verdict] of verdicts.entries()) {
      if (!verdict) continue
      const { is: kind, result } = verdict
      this.counts[kind]++
      this.#options.witness.note({ kind, call, key: keys[index] as string, result })
    }
  }

  // Returns the answer, or why there was none: the error code of the connection, or the name of the error.
  async #send(request: { url: string; headers: Record<string, string>; text: string }) {
    const { url, headers, text } = request
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
