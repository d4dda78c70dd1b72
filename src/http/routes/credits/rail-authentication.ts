// Authenticates rail calls, each bank by its connector, over the raw body.

import type { FastifyRequest } from 'fastify'
import type { BankConnection, RailCall } from '#banks/connector.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { addressMatcher } from '#ip-allowlist.ts'

export type RailRequest = FastifyRequest<{
  Params: { bankCode: string }
  Querystring: { format?: string }
}>

export type AuthenticatedCall = { call: RailCall; connection: BankConnection }

export function railAuthenticator({ bankConnections, trustedProxies, clock }: Deps) {
  const isProxy = addressMatcher(trustedProxies)
  return (request: RailRequest): AuthenticatedCall => {
    const connection = bankConnections.get(request.params.bankCode)
    if (!connection) throw new Refusal('bank_not_supported')
    const call: RailCall = {
      headers: request.headers,
      rawBody: request.body as Buffer,
      format: request.query.format,
      address: request.ip,
      isProxied: () => isProxy(request.socket.remoteAddress ?? ''),
      now: clock(),
    }
    const result = connection.authenticate(call)
    if (result !== 'ok') throw new Refusal(result)
    return { call, connection }
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    rail: AuthenticatedCall // Of authenticated calls under /rails.
  }
}
