// /api/v1/notice-settings: the messages that payers and users get. /api/v1/notice-previews: previews of the
// messages.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { renderFacts } from '#messages/compose.ts'
import { MESSAGE_KIND_NAMES, MESSAGE_KINDS, type MessageKind } from '#messages/kinds.ts'
import { CHANNELS } from '#messages/recipients.ts'
import { MessageContent } from '#messages/routes.ts'
import { SEVERITIES } from '#records/alerts.ts'
import { SAMPLES } from './samples.ts'
import {
  type NoticeSettings,
  PAYER_KINDS,
  readNoticeSettings,
  STAFF_KINDS,
  setNoticeSettings,
} from './settings.ts'

const SCOPES = { read: 'webhooks:read', write: 'webhooks:write' } as const

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
    body: named(
      'NoticeSettingsRequest',
      {
        payerChannels: Channels,
        payerKinds: PayerKinds,
        staffKinds: StaffKinds,
        alertSeverity: Type.Optional(AlertSeverity),
      },
      { additionalProperties: false },
    ),
    run: (tx, call) => {
      const { alertSeverity = 'warning', ...more } = call.body
      return setNoticeSettings(tx, call, { ...more, alertSeverity })
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
      ...{ kind, copy },
      facts: SAMPLES[kind],
      brandOf: { clientId, publicUrl, audience },
    })
  },
})

function requireKind(text: string): MessageKind {
  const kind = MESSAGE_KIND_NAMES.find((each) => each === text)
  if (!kind) throw new Refusal('message_not_found')
  return kind
}
