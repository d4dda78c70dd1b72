// Verifies rail calls, signed by each bank per Standard Webhooks. Two secrets are valid during a
// rotation.

import type { FastifyRequest } from 'fastify'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { loadSecret, type SigningSecret, verify } from '#domain/webhooks/signature.ts'
import { Refusal } from '#errors.ts'

type RailRequest = FastifyRequest<{ Params: { bankCode: string } }>

export class RailSignatures {
  readonly #secrets: Map<string, SigningSecret[]>
  readonly #clock: Clock

  constructor({ banks, clock }: { banks: readonly BankSettings[]; clock: Clock }) {
    this.#secrets = new Map(banks.map((bank) => [bank.code, bank.railSecrets.map(loadSecret)]))
    this.#clock = clock
  }

  // Over the raw body: parsing could change it.
  check(request: RailRequest): void {
    const secrets = this.#secrets.get(request.params.bankCode)
    if (!secrets) throw new Refusal('bank_not_supported')
    const { headers } = request
    const verdict = verify({
      secrets,
      headers: {
        id: single(headers['webhook-id']),
        timestamp: single(headers['webhook-timestamp']),
        signature: single(headers['webhook-signature']),
      },
      body: request.body as Buffer,
      nowMs: this.#clock().getTime(),
    })
    if (verdict === 'ok') return
    const isTime = verdict === 'too_old' || verdict === 'too_new'
    throw new Refusal(isTime ? 'signature_too_old' : 'invalid_signature')
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header
}
