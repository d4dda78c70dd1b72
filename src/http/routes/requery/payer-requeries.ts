// POST /pay/{reference}/sent: the payer says that the money is sent, and the banks of the payment's
// numbers are asked for it. The advice reference is the only credential, as on the whole page.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { findPaymentOfAdvice, type PaymentStatus } from '#domain/payments/payments.ts'
import { askForPayment } from '#domain/requery/questions.ts'
import { Refusal } from '#errors.ts'
import { atTimeOfAdvice } from '#http/client-time.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { checkoutReader, requireReference } from '#http/routes/payments/checkout.ts'
import { CHECKOUT } from '#http/routes/payments/checkout-pages.ts'
import { CheckoutBody } from '#http/routes/payments/checkout-presenters.ts'
import { ApiEnvelope } from '#http/schemas.ts'
import { scoped } from '#http/scopes.ts'

// Others need nothing more, and a question for them would only be dropped.
const ASKED_FOR: readonly PaymentStatus[] = ['Processing', 'PartPayment', 'Expired']

// A form, to work without JavaScript; scripts request JSON.
export const payerRequeryRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { db, clock, realClock, bankConnections } = deps
  const read = checkoutReader(deps)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, null))

  app.post(
    `${CHECKOUT}/:reference/sent`,
    {
      config: { rate: 'initiate' },
      schema: {
        hide: true,
        params: Type.Object({ reference: Type.String() }),
        response: { 200: ApiEnvelope(CheckoutBody) },
      },
    },
    async (request, reply) => {
      const adviceId = requireReference(request.params.reference)
      const payment = await findPaymentOfAdvice(db, adviceId)
      if (!payment) throw new Refusal('advice_not_found')
      if (ASKED_FOR.includes(payment.status)) {
        await atTimeOfAdvice(deps, adviceId, () =>
          withTransaction(db, (tx) =>
            askForPayment(tx, { now: clock(), bankConnections }, { payment, reason: 'payer' }),
          ),
        )
      }
      const wantsJson = request.headers.accept?.includes('application/json') ?? false
      const sent = String(realClock().getTime())
      const { bank } = request.query as { bank?: unknown }
      const back = new URLSearchParams({ adviceReference: adviceId, sent })
      if (typeof bank === 'string') back.set('bank', bank) // Whose number the page shows.
      if (!wantsJson) return reply.redirect(`${CHECKOUT}?${back}`, 303)
      const { checkout } = await read(adviceId)
      return accepted('Checking with the bank', checkout)
    },
  )
})
