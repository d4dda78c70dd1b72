// A payment from beginning to end, as its parties would make it: the merchant creates an advice, the
// payer's page asks for a number, the bank reports the money, the merchant verifies. Each step
// needs the answer before it, so nothing can be made beforehand but the merchant's request.

import { randomInt } from 'node:crypto'
import { watDigits } from '#wat-time.ts'
import { INSTITUTIONS } from './bank-feed.ts'
import type { WorkOrder } from './load.ts'
import { getText, NOBODY_URL, postText, signedPostText } from './request-bytes.ts'
import type { Work } from './work.ts'

const NAIRA = 6000
const BANK_CODE = '035'

type Step = 'advice' | 'number' | 'credit' | 'verification'

const ADVICE = JSON.stringify({
  amount: NAIRA,
  currency: 'NGN',
  narration: 'A pair of shoes',
  callBackUrl: NOBODY_URL,
  customer: {
    customerId: 'C-1',
    customerFirstName: 'Ada',
    customerLastName: 'Obi',
    customerEmail: 'ada@example.com',
    customerPhoneNumber: '08012345678',
  },
})

export class JourneyWork implements Work {
  readonly #token: string
  readonly #tag: number
  readonly #first: Buffer
  readonly #ahead = new Map<number, { step: Step; request: Buffer; payment: string }>()
  readonly #firstId = randomInt(1e9)
  #credits = 0

  constructor({ token, tag }: Extract<WorkOrder, { kind: 'journeys' }>) {
    this.#token = token
    this.#tag = tag
    this.#first = Buffer.from(postText('/Payment/advice', ADVICE, token), 'latin1')
  }

  next(place: number): Uint8Array {
    return this.#ahead.get(place)?.request ?? this.#first
  }

  take(place: number, status: number, body: Buffer): number | undefined {
    const { step, payment } = this.#ahead.get(place) ?? { step: 'advice', payment: '' }
    this.#ahead.delete(place)
    if (status !== 200) return undefined
    const answer = JSON.parse(body.toString())
    const data = answer.responseData
    if (step === 'advice') {
      const path = `/Payment/process/banktransfer/${data.adviceReference}`
      return this.#go(place, 'number', postText(path, `{"bankCode":"${BANK_CODE}"}`), '')
    }
    if (step === 'number') {
      return this.#go(place, 'credit', this.#credit(data.bankAccount), data.paymentReference)
    }
    if (step === 'credit') {
      if (answer.responseCode !== '00' || answer.outcome !== 'booked') return undefined
      const path = `/api/Transaction/bypaymentreference/${payment}`
      return this.#go(place, 'verification', getText(path, this.#token), payment)
    }
    return data.transactionStatus === 'Successful' ? 1 : undefined
  }

  #go(place: number, step: Step, text: string, payment: string): number {
    this.#ahead.set(place, { step, request: Buffer.from(text, 'latin1'), payment })
    return 0
  }

  #credit(accountNumber: string): string {
    const now = new Date()
    const count = this.#credits++
    const tag = String(this.#tag).padStart(2, '0')
    const unique = `${String((this.#firstId + count) % 1e10).padStart(10, '0')}${tag}`
    const sessionId = `${INSTITUTIONS[count % INSTITUTIONS.length]}${watDigits(now)}${unique}`
    const body = JSON.stringify({
      sessionId,
      accountNumber,
      amount: `${NAIRA}.00`,
      currency: 'NGN',
      sourceAccountNumber: '1000000001',
      sourceAccountName: 'Ada Obi',
      sourceBankCode: '058',
      narration: 'A pair of shoes',
      transactionTime: now.toISOString(),
    })
    return signedPostText(`/rails/${BANK_CODE}/credits`, `msg_${sessionId}`, body, now.getTime())
  }
}
