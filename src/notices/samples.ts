// Invented facts of each kind, for previews.

import type { MessageFacts } from '#messages/kinds.ts'

const AT = '2026-11-18T09:30:00+01:00'
const UNTIL = '2026-11-18T18:00:00+01:00'
const MONEY = { amount: 25_000, currency: 'NGN' }
const PAYMENT = { ...MONEY, reference: 'ORDER-1042', link: 'https://pay.example/pay/sample' }
const INTO = {
  bankName: 'Guaranty Trust Bank',
  accountNumber: '1000000015',
  accountName: 'Obi Stores/Ada Obi',
  expiresAt: UNTIL,
}
const link = 'https://pay.example/dashboard'

export const SAMPLES: MessageFacts = {
  'user.invitation': {
    ...{ clientName: 'Obi Stores', invitedBy: 'ada@obi.example' },
    ...{ link: `${link}/invitation#sample`, expiresAt: UNTIL },
  },
  'user.account_reset': {
    ...{ clientName: 'Obi Stores', resetBy: 'ada@obi.example' },
    ...{ link: `${link}/invitation#sample`, expiresAt: UNTIL },
  },
  'user.password_reset': {
    ...{ clientName: 'Obi Stores', link: `${link}/password-reset#sample`, expiresAt: UNTIL },
  },
  'user.password_changed': { at: AT, address: '102.89.23.10' },
  'user.new_device': { at: AT, address: '102.89.23.10', device: 'Firefox on Windows' },
  'user.approval_waiting': {
    workflow: 'payout',
    requestedBy: 'user:ada@obi.example',
    at: AT,
    link,
  },
  'user.report_ready': {
    ...{ name: 'Payments', format: 'csv', from: '2026-11-09', to: '2026-11-15' },
    ...{ link: `${link}/reports/RPT000000000000001`, expiresAt: UNTIL },
  },
  'payer.instructions': { ...PAYMENT, ...INTO },
  'payer.part_payment': { ...PAYMENT, ...INTO, amountPaid: 10_000, amountRemaining: 15_000 },
  'payer.receipt': { ...PAYMENT, at: AT },
  'payer.refund_sent': { ...PAYMENT, bankReference: '000013261118093000123456789012' },
  'merchant.daily_summary': {
    ...{ day: '2026-11-17', credits: 184, gross: 4_312_500, fees: 43_125 },
    ...{ successful: 171, expired: 9, waiting: 2, currency: 'NGN', link },
  },
  'merchant.settlement_paid': {
    ...{ reference: 'STL000000000000001', net: 4_269_375, lines: 186, currency: 'NGN' },
    ...{ at: AT, link, statement: null },
  },
  'merchant.suspense': { ...MONEY, reason: 'wrong amount', waiting: 2, link },
  'merchant.webhook_failing': {
    ...{ host: 'shop.example.com', reason: 'the receiver answered 410', link },
  },
  'merchant.payout_failed': {
    ...{ ...MONEY, reference: 'PYT000000000000001', accountName: 'ADA OBI' },
    ...{ reason: 'the account is closed', link },
  },
  'operator.alert': {
    severity: 'critical',
    title: 'A bank’s statement differs from the books',
    remedy: 'Open the day in Reconciliation, and resolve each difference.',
    ...{ subject: 'bank/058/2026-11-17', at: AT, link },
  },
}
