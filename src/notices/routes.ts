// /api/v1/notice-settings: which messages a client's payers and users get. /api/v1/notice-previews: previews
// of these messages.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { namedBody } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  MESSAGE_KIND_NAMES,
  MESSAGE_KINDS,
  type MessageFacts,
  type MessageKind,
} from '#messages/kinds.ts'
import { CHANNELS } from '#messages/recipients.ts'
import { renderFacts } from '#messages/render.ts'
import { MessageContent } from '#messages/routes.ts'
import { SEVERITIES } from '#records/alerts.ts'
import {
  type NoticeSettings,
  PAYER_KINDS,
  readNoticeSettings,
  STAFF_KINDS,
  setNoticeSettings,
} from './settings.ts'

const SCOPES = { read: 'webhooks:read', write: 'webhooks:write' } as const

// A list of some of these values, each at most once.
function someOf<T extends string>(values: readonly T[], description: string) {
  return Type.Unsafe<T[]>({
    type: 'array',
    items: { type: 'string', enum: [...values] },
    uniqueItems: true,
    maxItems: values.length,
    description,
    'x-says': `Must be some of ${values.join(', ')}, each once.`,
  })
}

const Channels = someOf(CHANNELS, 'How payers are told. Empty: not at all.')
const PayerKinds = someOf(PAYER_KINDS, 'What payers are told.')
const StaffKinds = someOf(STAFF_KINDS, 'What users of the client are told by email.')
const AlertSeverity = Type.Unsafe<NoticeSettings['alertSeverity']>({
  type: 'string',
  enum: [...SEVERITIES],
  description: 'For operators: the least severe alerts that they get.',
  'x-says': `Must be one of ${SEVERITIES.join(', ')}.`,
})

const SettingsView = view('NoticeSettings', (f: Fields<NoticeSettings>) => ({
  payerChannels: f.as(Channels, ({ payerChannels }) => [...payerChannels]),
  payerKinds: f.as(PayerKinds, ({ payerKinds }) => [...payerKinds]),
  staffKinds: f.as(StaffKinds, ({ staffKinds }) => [...staffKinds]),
  alertSeverity: f.as(AlertSeverity, 'alertSeverity'),
}))

export const noticeSettings = resource('/api/v1/notice-settings', {
  tag: 'Messages',
  noun: 'notice settings',
  view: SettingsView,
  scopes: SCOPES,
  isForWholeClient: true,
})
  .get('getNoticeSettings', {
    path: '',
    summary: 'Retrieve which messages are sent',
    description: 'Payers get none until you turn them on.',
    message: 'Notice settings retrieved successfully',
    run: (db, { clientId }) => readNoticeSettings(db, clientId),
  })
  .replace('setNoticeSettings', {
    path: '',
    summary: 'Choose which messages are sent',
    description: 'Takes effect for what happens from now on.',
    message: 'Notice settings set successfully',
    body: namedBody('NoticeSettingsRequest', {
      payerChannels: Channels,
      payerKinds: PayerKinds,
      staffKinds: StaffKinds,
      alertSeverity: Type.Optional(AlertSeverity),
    }),
    run: (tx, call) => {
      const { alertSeverity = 'warning', ...settings } = call.body
      return setNoticeSettings(tx, call, { ...settings, alertSeverity })
    },
  })

export const noticePreviews = resource('/api/v1/notice-previews', {
  tag: 'Messages',
  noun: 'preview',
  view: MessageContent,
  scopes: SCOPES,
  params: { kind: requireKind },
}).get('previewNotice', {
  path: '/:kind',
  summary: 'Preview a message',
  description: 'With invented facts and your branding. Nothing is sent.',
  errors: ['message_not_found'],
  run: (db, { clientId, publicUrl, messageCopy: copy, params: { kind } }) => {
    const { audience } = MESSAGE_KINDS[kind]
    return renderFacts(db, {
      kind,
      copy,
      facts: SAMPLES[kind],
      brandOf: { clientId, publicUrl, audience },
    })
  },
})

function requireKind(text: string): MessageKind {
  const kind = MESSAGE_KIND_NAMES.find((name) => name === text)
  if (!kind) throw new Refusal('message_not_found')
  return kind
}

const AT = '2026-11-18T09:30:00+01:00'
const UNTIL = '2026-11-18T18:00:00+01:00'
const MONEY = { amount: 25_000, currency: 'NGN' }
const PAYMENT = { ...MONEY, reference: 'ORDER-1042', link: 'https://pay.example/pay/sample' }
const PAY_TO = {
  bankName: 'Guaranty Trust Bank',
  accountNumber: '1000000015',
  accountName: 'Obi Stores/Ada Obi',
  expiresAt: UNTIL,
}
const link = 'https://pay.example/dashboard'

export const SAMPLES: MessageFacts = {
  'user.invitation': {
    clientName: 'Obi Stores',
    invitedBy: 'ada@obi.example',
    link: `${link}/invitation#sample`,
    expiresAt: UNTIL,
  },
  'user.account_reset': {
    clientName: 'Obi Stores',
    resetBy: 'ada@obi.example',
    link: `${link}/invitation#sample`,
    expiresAt: UNTIL,
  },
  'user.password_reset': {
    clientName: 'Obi Stores',
    link: `${link}/password-reset#sample`,
    expiresAt: UNTIL,
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
    name: 'Payments',
    format: 'csv',
    from: '2026-11-09',
    to: '2026-11-15',
    link: `${link}/reports/RPT000000000000001`,
    expiresAt: UNTIL,
  },
  'payer.instructions': { ...PAYMENT, ...PAY_TO },
  'payer.part_payment': { ...PAYMENT, ...PAY_TO, amountPaid: 10_000, amountRemaining: 15_000 },
  'payer.receipt': { ...PAYMENT, at: AT },
  'payer.refund_sent': { ...PAYMENT, bankReference: '000013261118093000123456789012' },
  'merchant.daily_summary': {
    day: '2026-11-17',
    credits: 184,
    gross: 4_312_500,
    fees: 43_125,
    successful: 171,
    expired: 9,
    waiting: 2,
    currency: 'NGN',
    link,
  },
  'merchant.settlement_paid': {
    reference: 'STL000000000000001',
    net: 4_269_375,
    lines: 186,
    currency: 'NGN',
    at: AT,
    link,
    statement: null,
  },
  'merchant.suspense': { ...MONEY, reason: 'amount_mismatch', waiting: 2, link },
  'merchant.webhook_failing': {
    host: 'shop.example.com',
    reason: 'the receiver answered 410',
    link,
  },
  'merchant.payout_failed': {
    ...MONEY,
    reference: 'PYT000000000000001',
    accountName: 'ADA OBI',
    reason: 'the account is closed',
    link,
  },
  'operator.alert': {
    severity: 'critical',
    title: 'A bank’s statement differs from the books',
    remedy: 'Open the day in Reconciliation, and resolve each difference.',
    subject: 'bank/058/2026-11-17',
    at: AT,
    link,
  },
}
