// A span for every call to a bank, by its name alone: what is asked names people and accounts. Banks
// behind one connection share its calls, and go on doing so (src/workers/send-payouts.ts).

import { inSpan, type Tracer } from '#trace-context.ts'
import type { BankCalls, BankConnections } from './connector.ts'

type Call = (...given: unknown[]) => Promise<unknown>

export function traceBankCalls(
  connections: BankConnections,
  tracer: Tracer | undefined,
): BankConnections {
  if (!tracer) return connections
  const traced = new Map<unknown, Call>()
  const trace = (name: string, call: Call, calls: BankCalls): Call => {
    const known = traced.get(call)
    if (known) return known
    const wrapped: Call = (...given) =>
      inSpan(`bank ${name}`, () => Reflect.apply(call, calls, given))
    traced.set(call, wrapped)
    return wrapped
  }
  return new Map(
    [...connections].map(([bankCode, connection]) => {
      const entries = Object.entries(connection.calls as Record<string, Call>).map(
        ([name, call]) => [name, trace(name, call, connection.calls)],
      )
      return [bankCode, { ...connection, calls: Object.fromEntries(entries) }]
    }),
  )
}
