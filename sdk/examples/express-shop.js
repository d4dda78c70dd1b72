// A shop with Express: an order gets an account number to pay to, and is paid when the webhook says so.
//
//   MANILLA_URL=… MANILLA_CLIENT_ID=… MANILLA_CLIENT_SECRET=… MANILLA_WEBHOOK_SECRET=whsec_… node express-shop.js

import { Manilla, ManillaError, WebhookVerificationError } from '@manilla/sdk'
import express from 'express'

const { MANILLA_URL, MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET, MANILLA_WEBHOOK_SECRET } =
  process.env
const { PORT = '3000', SHOP_URL = 'https://shop.example.com' } = process.env

const manilla = new Manilla({
  baseUrl: MANILLA_URL,
  clientId: MANILLA_CLIENT_ID,
  clientSecret: MANILLA_CLIENT_SECRET,
})
const orders = new Map() // A database, in a real shop.
const app = express()

app.post('/orders', express.json(), async (request, response) => {
  const { id, amount, name, email } = request.body
  // The key contains the order's id, so an order submitted twice has only one advice and one payment.
  const advice = await manilla.advices.create(
    {
      merchantRef: id,
      amount,
      currency: 'NGN',
      narration: `Order ${id}`,
      callBackUrl: `${SHOP_URL}/orders/${id}`,
      notificationUrl: `${SHOP_URL}/hook`,
      customer: { customerId: email, customerEmail: email, customerFullName: name },
    },
    { idempotencyKey: `advice-${id}` },
  )
  const { bankName, bankAccount, paymentReference } = await manilla.payments.initiate(
    advice.adviceReference,
    { bankCode: '035' },
  )
  orders.set(id, { id, amount, bankName, bankAccount, paymentReference, status: 'pending' })
  response.status(201).json(orders.get(id))
})

app.get('/orders/:id', (request, response) => {
  const order = orders.get(request.params.id)
  if (order) response.json(order)
  else response.status(404).json({ message: 'No such order.' })
})

// The payer's browser returns to this address, and the service posts the result to it too. The webhook has
// already reported the result, so there is nothing to do.
app.post('/orders/:id', (_request, response) => response.sendStatus(204))

// Takes the raw body, because a parsed body cannot be verified.
app.post('/hook', express.raw({ type: '*/*' }), async (request, response) => {
  const event = await manilla.webhooks.verify(request.body, request.headers, MANILLA_WEBHOOK_SECRET)
  if (event.type === 'payment.successful') {
    const order = orders.get(event.data.merchantRef)
    if (order) order.status = 'paid' // Webhooks may repeat, and setting the status twice is harmless.
  }
  response.sendStatus(204)
})

app.use((error, _request, response, _next) => {
  if (error instanceof WebhookVerificationError) {
    response.status(400).json({ message: error.message })
  } else if (error instanceof ManillaError) {
    const { code, message, errors, requestId } = error
    response.status(error.status === 400 ? 400 : 502).json({ code, message, errors, requestId })
  } else {
    response.status(500).json({ message: 'Internal error.' })
  }
})

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
