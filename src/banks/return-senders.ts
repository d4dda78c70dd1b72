// How money goes back out: a bank is instructed to return a transfer to its payer. An instruction
// may be sent twice (we may die between sending and hearing the answer), so a connector must treat
// the same reference as the same instruction.

import type { Kobo } from '#money.ts'

export type ReturnInstruction = {
  reference: string
  bankCode: string
  sessionId: string // Of the transfer that is sent back.
  amountKobo: Kobo
  currency: string
  toAccountNumber: string | null
  toAccountName: string | null
  toBankCode: string | null
}

export type ReturnResult =
  | { status: 'confirmed'; bankReference: string }
  | { status: 'pending' } // The bank will say so at POST /rails/{bankCode}/returns.
  | { status: 'failed'; reason: string | null }

export type BankConnector = { sendReturn(instruction: ReturnInstruction): Promise<ReturnResult> }

// The sandbox's bank always does as it is told, at once.
export const sandboxBank: BankConnector = {
  sendReturn: async ({ reference }) => ({
    status: 'confirmed',
    bankReference: `SANDBOX-${reference}`,
  }),
}

// Live: the operator executes what is listed at /api/v1/operator/returns and confirms it there,
// or the bank does by a signed call.
export const operatorDesk: BankConnector = { sendReturn: async () => ({ status: 'pending' }) }
