// Counts and traces the calls to each bank. Calls about incoming money and numbers are counted apart from
// orders to pay. A call fails if the bank cannot be reached, does not answer in time, or answers with a
// server error. A refusal is not a failure.

import { inSpan, type Tracer } from '#trace-context.ts'
import type { BankCalls, BankConnections } from './connector.ts'

export type Direction = 'in' | 'out'
export type CallCount = { bankCode: string; direction: Direction; answered: number; failed: number }

type Call = (...args: unknown[]) => Promise<unknown>
type Answer = { status: string; isUp?: true; isAccepted?: true; waitsFor?: string }

// The calls that are counted. A bank that lets us log in (prepareOrders) or finds a payout may still be
// unable to take orders, so their answers do not count as answers. They show that the connection works, and
// then single failures do not count either: the many queries about lost orders must not stop all orders.
const COUNTED: Partial<Record<keyof BankCalls, { direction: Direction; onlyFailures?: true }>> = {
  findTransfer: { direction: 'in' },
  listTransfers: { direction: 'in' },
  reserveAccount: { direction: 'in' },
  renameAccount: { direction: 'in' },
  blockAccount: { direction: 'in' },
  prepareOrders: { direction: 'out', onlyFailures: true },
  sendMoney: { direction: 'out' },
  findPayout: { direction: 'out', onlyFailures: true },
}

const UNANSWERED_PER_FAILURE = 4
const FAILURES_BORNE = 3

// Counts the calls of this process until a worker writes the counts to the database.
export class CallMeter {
  readonly #counts = new Map<string, CallCount>()
  // How many failures in a row each bank's connection is borne, since it was last seen to work.
  readonly #borne = new Map<string, number>()
  readonly #unanswered = new Map<string, number>() // Orders that do not count as a failure yet, by bank.
  onFailure: () => void = () => {}

  // Counts one call: answered if `isOk`, else failed.
  note(bankCode: string, direction: Direction, isOk: boolean): void {
    this.#add({ bankCode, direction, answered: isOk ? 1 : 0, failed: isOk ? 0 : 1 })
    if (!isOk) this.onFailure()
  }

  // Counts a call whose answer says nothing about orders: a failure, unless one of the last FAILURES_BORNE
  // such calls was answered.
  noteReach(bankCode: string, direction: Direction, isOk: boolean): void {
    const borne = this.#borne.get(bankCode) ?? 0
    this.#borne.set(bankCode, isOk ? FAILURES_BORNE : Math.max(borne - 1, 0))
    if (!isOk && borne === 0) this.note(bankCode, direction, false)
  }

  // Counts an order that the bank did not answer. While the bank answers queries, the connection works and
  // the bank may well have paid, so only each UNANSWERED_PER_FAILURE-th of such orders counts.
  noteUnanswered(bankCode: string): void {
    const isReached = (this.#borne.get(bankCode) ?? 0) > 0
    const unanswered = isReached
      ? (this.#unanswered.get(bankCode) ?? 0) + 1
      : UNANSWERED_PER_FAILURE
    const isFailure = unanswered >= UNANSWERED_PER_FAILURE
    this.#unanswered.set(bankCode, isFailure ? 0 : unanswered)
    if (isFailure) this.note(bankCode, 'out', false)
  }

  // Returns the counts since the last take(), and resets them.
  take(): CallCount[] {
    const counts = [...this.#counts.values()]
    this.#counts.clear()
    return counts
  }

  // Adds back counts that could not be written.
  giveBack(counts: readonly CallCount[]): void {
    for (const count of counts) this.#add(count)
  }

  #add({ bankCode, direction, answered, failed }: CallCount): void {
    const key = `${bankCode} ${direction}`
    const before = this.#counts.get(key)
    this.#counts.set(key, {
      bankCode,
      direction,
      answered: (before?.answered ?? 0) + answered,
      failed: (before?.failed ?? 0) + failed,
    })
  }
}

// Wraps the calls of all banks so that the meter counts them.
export function observeCalls(connections: BankConnections, meter: CallMeter): BankConnections {
  const observed = (bankCode: string, calls: BankCalls): BankCalls =>
    Object.fromEntries(
      Object.entries(calls as Record<string, Call>).map(([name, call]) => [
        name,
        observe(calls, { name, call, bankCode, meter }),
      ]),
    )
  return new Map(
    [...connections].map(([bankCode, connection]) => [
      bankCode,
      { ...connection, calls: observed(bankCode, connection.calls) },
    ]),
  )
}

type Observing = { name: string; call: Call; bankCode: string; meter: CallMeter }

// Wraps one call, so that the meter counts each use of it as answered or failed. The last argument of every
// call is its options.
function observe(calls: BankCalls, { name, call, bankCode, meter }: Observing): Call {
  const counted = COUNTED[name as keyof BankCalls]
  if (!counted) return call
  const { direction, onlyFailures = false } = counted
  const note = (isOk: boolean, isLost = false) => {
    if (onlyFailures) meter.noteReach(bankCode, direction, isOk)
    else if (isLost && direction === 'out') meter.noteUnanswered(bankCode)
    else meter.note(bankCode, direction, isOk)
  }
  return async (...args) => {
    const options = (args.at(-1) ?? {}) as { signal?: AbortSignal; isTooLate?: () => boolean }
    try {
      const answer = (await Reflect.apply(call, calls, args)) as Answer
      // A call that we gave up is not a failure of the bank.
      const isGivenUp = options.signal?.aborted === true || options.isTooLate?.() === true
      const isOk = isAnswered(answer)
      // A connection that was refused is no lost order: the bank cannot have paid.
      if (isOk || !isGivenUp) note(isOk, !isOk && answer.status === 'unknown')
      return answer
    } catch (error) {
      note(false)
      throw error
    }
  }
}

// Returns whether the bank itself answered, if only with a refusal. An unknown outcome counts as answered
// only if the bank said that it accepted the order, or what the order waits for.
function isAnswered({ status, isUp, isAccepted, waitsFor }: Answer): boolean {
  if (status === 'unsent') return false
  if (status === 'no_answer') return isUp === true
  return status !== 'unknown' || isAccepted === true || waitsFor !== undefined
}

// A span of a call to a bank has only the name of the call, because its arguments name people and accounts.
// Banks behind one connection still share the traced calls, as src/payouts/workers.ts expects.

type TraceableCall = (...args: unknown[]) => Promise<unknown>

// Wraps the calls of all banks in spans, if tracing is on.
export function traceBankCalls(
  connections: BankConnections,
  tracer: Tracer | undefined,
): BankConnections {
  if (!tracer) return connections
  const traced = new Map<unknown, TraceableCall>()
  // Wraps one call. Banks that share a call also share its wrapper.
  const trace = (name: string, call: TraceableCall, calls: BankCalls): TraceableCall => {
    const existing = traced.get(call)
    if (existing) return existing
    const wrapped: TraceableCall = (...args) =>
      inSpan(`bank ${name}`, () => Reflect.apply(call, calls, args))
    traced.set(call, wrapped)
    return wrapped
  }
  return new Map(
    [...connections].map(([bankCode, connection]) => {
      const entries = Object.entries(connection.calls as Record<string, TraceableCall>).map(
        ([name, call]) => [name, trace(name, call, connection.calls)],
      )
      return [bankCode, { ...connection, calls: Object.fromEntries(entries) }]
    }),
  )
}
