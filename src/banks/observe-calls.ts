// Counts how the calls to each bank go: those about money and numbers coming in, and orders to pay. A call
// fails if the bank cannot be reached, does not answer in time, or answers with a server error; a bank that
// refuses what it is asked works.

import type { BankCalls, BankConnections } from './connector.ts'

export type Direction = 'in' | 'out'
export type CallCount = { bankCode: string; direction: Direction; answered: number; failed: number }

type Call = (...given: unknown[]) => Promise<unknown>
type Options = { signal?: AbortSignal; isTooLate?: () => boolean }
type Answer = { status: string; isUp?: true; isAccepted?: true; waitsFor?: string }

// That the bank lets us log in, or look for a payout, does not show that it takes orders: of these only
// failures count.
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

export class CallMeter {
  readonly #counts = new Map<string, CallCount>()
  onFailure: () => void = () => {}

  note(bankCode: string, direction: Direction, isOk: boolean): void {
    this.#add({ bankCode, direction, answered: isOk ? 1 : 0, failed: isOk ? 0 : 1 })
    if (!isOk) this.onFailure()
  }

  // Since the last time.
  take(): CallCount[] {
    const counts = [...this.#counts.values()]
    this.#counts.clear()
    return counts
  }

  // They could not be written.
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

function observe(calls: BankCalls, { name, call, bankCode, meter }: Observing): Call {
  const counted = COUNTED[name as keyof BankCalls]
  if (!counted) return call
  const { direction, onlyFailures = false } = counted
  const note = (isOk: boolean) => {
    if (!isOk || !onlyFailures) meter.note(bankCode, direction, isOk)
  }
  return async (...given) => {
    const options = (given.at(-1) ?? {}) as Options
    try {
      const answer = (await Reflect.apply(call, calls, given)) as Answer
      // That we gave up, or had no time left, says nothing of the bank.
      const isOurs = options.signal?.aborted === true || options.isTooLate?.() === true
      if (isAnswered(answer) || !isOurs) note(isAnswered(answer))
      return answer
    } catch (error) {
      note(false)
      throw error
    }
  }
}

function isAnswered({ status, isUp, isAccepted, waitsFor }: Answer): boolean {
  if (status === 'unsent') return false
  if (status === 'no_answer') return isUp === true
  return status !== 'unknown' || isAccepted === true || waitsFor !== undefined
}
