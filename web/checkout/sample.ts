// A sample payment, for the branding preview.

import { checkoutStrings as strings } from '../copy.ts'
import { type Checkout, firstModel, type Logo, type Model } from './checkout.ts'

export type SampleBranding = {
  merchantName: string
  accountNameStyle: string // With {merchant} and {customer}.
  accountNameMerchant: string
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
  logo: Logo | null
}

const NOW = '2026-11-15T08:00:48.000Z'
const EXPIRES_AT = '2026-11-15T08:30:00.000Z'
const CLOSES_AT = '2026-11-15T08:35:00.000Z'
const REFERENCE = '00000000-0000-0000-0000-000000000000'
const AMOUNT = 6_000
const NUMBER = { bankCode: '058', bankName: strings.sample.bank, accountNumber: '0123456789' }

const PAID: Partial<Checkout> = {
  status: 'Successful',
  amountPaid: AMOUNT,
  amountRemaining: 0,
  paidAt: NOW,
  banks: [],
  payerBanks: [strings.sample.payerBank],
  paidInto: [NUMBER],
}

export function sampleModel(branding: SampleBranding, state: 'waiting' | 'paid'): Model {
  const { accountNameStyle, accountNameMerchant, ...shown } = branding
  const names: Record<string, string> = {
    merchant: accountNameMerchant,
    customer: strings.sample.customer,
  }
  const checkout: Checkout = {
    ...shown,
    now: NOW,
    isTest: false,
    adviceReference: REFERENCE,
    paymentReference: REFERENCE,
    merchantRef: strings.sample.merchantRef,
    narration: strings.sample.narration,
    status: 'Processing',
    amountPolicy: 'allow_under',
    amount: AMOUNT,
    fees: null,
    amountPaid: 0,
    amountRemaining: AMOUNT,
    amountRefunded: 0,
    amountHeld: 0,
    accountName: accountNameStyle.replace(/\{(merchant|customer)\}/g, (_, who) => names[who] ?? ''),
    numbers: [NUMBER],
    banks: [{ code: '035', name: strings.sample.otherBank, otherNames: [] }],
    expiresAt: EXPIRES_AT,
    closesAt: CLOSES_AT,
    paidAt: null,
    canRequery: true,
    payerBanks: [],
    paidInto: [],
    returnUrl: '#',
    ...(state === 'paid' ? PAID : {}),
  }
  return firstModel({ checkout, isSent: false })
}
