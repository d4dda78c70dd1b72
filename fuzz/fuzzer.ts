// Sends the requests of episodes to the service and judges every response. A seed and a number define an
// episode, so that it can be replayed.

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
// A 503 that is no fault: the service is overloaded, or says that it is not ready.
const DELIBERATE = /"code":"(?:busy|try_again)"|^\{"status":"not ready"/
const SHOWN_MAX = 300

// One request of an episode. `again` repeats the last request; `dice` seeds the choice of values.
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

  // Sends the requests of an episode in order, and returns all their faults.
  async run(steps: readonly Step[]): Promise<string[]> {
    const world = new EpisodeWorld()
    const faults: string[] = []
    let last: { request: HostileRequest; target: Target } | undefined
    for (const { target, kind, dice } of steps) {
      const random = seededRandom(dice)
      const repeated = kind === 'again' ? last : undefined
      const { cases } = kind === 'again' ? (kindsOf(target)[0] as Kind) : kind
      const current = repeated ?? {
        request: buildRequest(
          { ...target, known: world.knownFor(target, random) },
          random,
          random.pick(cases),
        ),
        target,
      }
      last = current
      count(this.kinds, kind === 'again' ? 'again' : kind.name)
      const answer = await this.#send(current.request, current.target)
      faults.push(...this.#judge(current.request, current.target, answer))
      if (answer.statusCode < 400 && current.request.caller === 'own')
        world.learn(current.target, answer.body)
    }
    return faults
  }

  // Sends a request with its caller's credentials. Status 0 stands for no response; it is a fault unless the
  // service hung up on a very large body.
  async #send(request: HostileRequest, target: Target): Promise<Answer> {
    const { credentials, door } = this.#parts
    const headers = {
      ...(await credentials.headersOf(target, request.caller)),
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

  // Waits for its turn, so that only two costly requests run at once. More parallel hashes would only slow
  // each other down.
  async #inTurn(send: () => Promise<Answer>): Promise<Answer> {
    const turns = this.#turns
    const previous = turns.shift()
    const sent = (previous ?? Promise.resolve()).then(send)
    turns.push(sent.catch(() => {}))
    return sent
  }

  // Returns the faults of a response, each with the request and the beginning of the body.
  #judge(request: HostileRequest, target: Target, answer: Answer): string[] {
    const { statusCode, body } = answer
    count(this.statuses, statusCode)
    const seen = this.seen.get(target) ?? new Set()
    this.seen.set(target, seen.add(statusCode))
    if (statusCode === 401 && request.caller === 'own') this.#parts.credentials.renew(target)
    const isDeliberate = statusCode === 503 && DELIBERATE.test(body)
    const hasOwnMethod = request.method === target.method
    const faults =
      statusCode === 0
        ? [body].filter(Boolean)
        : [
            ...(isDeliberate
              ? []
              : this.#parts.checks.faults(answer, hasOwnMethod ? target.operation : undefined)),
            ...undeclared(hasOwnMethod ? target : undefined, answer),
            ...this.#leaks(request, target, body),
          ]
    return faults.map((fault) => `${fault}\n  ${textOf(request)}\n  ${body.slice(0, SHOWN_MAX)}`)
  }

  // Returns a fault if the response to another client contains a secret value. Operations without
  // authentication are public, so they cannot leak.
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

// Returns a fault if neither the operation nor the list of common errors declares the response's error code.
// The outcome of a credit or reversal (isOutcome) is no error, even if it has a code.
function undeclared(target: Target | undefined, { statusCode, body }: Answer): string[] {
  const [, code] = /^\{.*"code":"([a-z_]+)"/s.exec(body) ?? []
  if (!target || statusCode < 400 || code === undefined || isOutcome(body)) return []
  const { operationId, 'x-error-codes': own = [] } = target.operation
  const isDeclared = [...COMMON_ERRORS, ...own].some((each) => each === code)
  return isDeclared ? [] : [`${operationId} answers ${code}, which it does not declare`]
}

// Answers with status 0 if no response has arrived after HANGS_AFTER_MS.
function withinTime(answered: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve({ statusCode: 0, headers: {}, body: 'hangs' }), HANGS_AFTER_MS)
  })
  return Promise.race([answered, hung]).finally(() => clearTimeout(timer))
}

// Describes a request in one line, for the report of a fault.
function textOf({ what, method, url, headers, payload, caller }: HostileRequest): string {
  const summary = `${what}: ${method} ${url.slice(0, SHOWN_MAX)} as ${caller}`
  const headerText = JSON.stringify(headers).slice(0, SHOWN_MAX)
  return `${summary} ${headerText} ${String(payload ?? '').slice(0, SHOWN_MAX)}`
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
