// Sends episodes of requests and judges every answer. A number and a seed define an episode: the
// same two repeat its steps.

import { COMMON_ERRORS } from '#http/reference/errors.ts'
import { seededRandom } from '../test/support/random.ts'
import { type AnswerChecks, isOutcome } from './answer-checks.ts'
import type { Credentials } from './credentials.ts'
import type { Answer, Door } from './doors.ts'
import { EpisodeWorld } from './episode-world.ts'
import { type Kind, kindsOf } from './hostile-kinds.ts'
import { buildRequest, type HostileRequest } from './hostile-requests.ts'
import { isCostly, type Target } from './operations.ts'

const HANGS_AFTER_MS = 60_000 // Long enough for a busy machine.
const CUT_BYTES_MIN = 60_000 // The service may hang up before a larger body is sent completely.
// Refusals for lack of time, and the answer to a probe meanwhile.
const DELIBERATE = /"code":"(?:busy|try_again)"|^\{"status":"not ready"/
const SHOWN_MAX = 300

// `again` repeats the last request.
export type Step = { target: Target; kind: Kind | 'again'; dice: number }

type Parts = {
  door: Door
  credentials: Credentials
  checks: AnswerChecks
  secrets: readonly string[] // Secrets of the client that owns the world. No other client may read one.
}

export class Fuzzer {
  readonly seen = new Map<Target, Set<number>>()
  readonly kinds = new Map<string, number>()
  readonly statuses = new Map<number, number>()
  requests = 0
  readonly #parts: Parts
  readonly #secrets: Set<string>
  readonly #turns: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]

  constructor(parts: Parts) {
    this.#parts = parts
    this.#secrets = new Set(parts.secrets)
  }

  // Returns the faults.
  async run(steps: readonly Step[]): Promise<string[]> {
    const world = new EpisodeWorld()
    const faults: string[] = []
    let last: { request: HostileRequest; target: Target } | undefined
    for (const { target, kind, dice } of steps) {
      const random = seededRandom(dice)
      const again = kind === 'again' ? last : undefined
      const { cases } = kind === 'again' ? (kindsOf(target)[0] as Kind) : kind
      const made = again ?? {
        request: buildRequest(
          { ...target, known: world.knownFor(target, random) },
          random,
          random.pick(cases),
        ),
        target,
      }
      last = made
      count(this.kinds, kind === 'again' ? 'again' : kind.name)
      const answer = await this.#send(made.request, made.target)
      faults.push(...this.#judge(made.request, made.target, answer))
      if (answer.statusCode < 400 && made.request.caller === 'own')
        world.learn(made.target, answer.body)
    }
    return faults
  }

  async #send(request: HostileRequest, target: Target): Promise<Answer> {
    const { credentials, door } = this.#parts
    const headers = {
      ...(await credentials.of(target, request.caller)),
      ...credentials.signatureOf(target, request),
      ...request.headers,
    }
    this.requests++
    const isStream = 'text/event-stream' in (target.operation.responses['200']?.content ?? {})
    const send = () =>
      withinTime(
        door({ ...request, headers }, isStream).catch((error: Error) => {
          const isCut = Buffer.byteLength(request.payload ?? '') >= CUT_BYTES_MIN
          return { statusCode: 0, headers: {}, body: isCut ? '' : `no answer: ${error.message}` }
        }),
      )
    return isCostly(target) ? this.#inTurn(send) : send()
  }

  // Parallel hashes would only slow each other down.
  async #inTurn(send: () => Promise<Answer>): Promise<Answer> {
    const turns = this.#turns
    const before = turns.shift()
    const sent = (before ?? Promise.resolve()).then(send)
    turns.push(sent.catch(() => {}))
    return sent
  }

  #judge(request: HostileRequest, target: Target, answer: Answer): string[] {
    const { statusCode, body } = answer
    count(this.statuses, statusCode)
    const seen = this.seen.get(target) ?? new Set()
    this.seen.set(target, seen.add(statusCode))
    if (statusCode === 401 && request.caller === 'own') this.#parts.credentials.renew(target)
    const isDeliberate = statusCode === 503 && DELIBERATE.test(body)
    const isOwn = request.method === target.method
    const found =
      statusCode === 0
        ? [body].filter(Boolean)
        : [
            ...(isDeliberate
              ? []
              : this.#parts.checks.faults(answer, isOwn ? target.operation : undefined)),
            ...undeclared(isOwn ? target : undefined, answer),
            ...this.#leaks(request, target, body),
          ]
    return found.map((fault) => `${fault}\n  ${textOf(request)}\n  ${body.slice(0, SHOWN_MAX)}`)
  }

  // Operations without authentication cannot leak.
  #leaks({ caller, url, payload = '' }: HostileRequest, target: Target, body: string): string[] {
    if (caller !== 'other client' || !target.operation.security) return []
    const request = `${url} ${payload}`
    // The caller knows a secret that it sent itself.
    for (const secret of this.#secrets) if (request.includes(secret)) this.#secrets.delete(secret)
    return [...this.#secrets]
      .filter((secret) => body.includes(secret))
      .slice(0, 1)
      .map((secret) => `tells another client's ${secret}`)
  }
}

// The operation, or the list of common errors, must declare every code.
function undeclared(target: Target | undefined, { statusCode, body }: Answer): string[] {
  const [, code] = /^\{.*"code":"([a-z_]+)"/s.exec(body) ?? []
  if (!target || statusCode < 400 || code === undefined || isOutcome(body)) return []
  const { operationId, 'x-error-codes': own = [] } = target.operation
  const isDeclared = [...COMMON_ERRORS, ...own].some((each) => each === code)
  return isDeclared ? [] : [`${operationId} answers ${code}, which it does not declare`]
}

function withinTime(answered: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve({ statusCode: 0, headers: {}, body: 'hangs' }), HANGS_AFTER_MS)
  })
  return Promise.race([answered, hung]).finally(() => clearTimeout(timer))
}

function textOf({ what, method, url, headers, payload, caller }: HostileRequest): string {
  const summary = `${what}: ${method} ${url.slice(0, SHOWN_MAX)} as ${caller}`
  const headerText = JSON.stringify(headers).slice(0, SHOWN_MAX)
  return `${summary} ${headerText} ${String(payload ?? '').slice(0, SHOWN_MAX)}`
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
