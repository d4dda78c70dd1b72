// /api/v1/messages: the log of messages to people; in a sandbox it includes their text.
// /api/v1/message-suppressions: addresses that get no messages.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { choice, parseWindow, WindowQuery } from '#http/lists.ts'
import { publicIdKey, referenceKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import { named, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { MESSAGE_KIND_NAMES, MESSAGE_KINDS } from './kinds.ts'
import { getMessage, listMessages, type Message, mayReadSecretsOf } from './message.ts'
import {
  CHANNELS,
  type Channel,
  listSuppressions,
  maskRecipient,
  parseRecipient,
  recipientHash,
  removeSuppression,
  SUPPRESSION_REASONS,
  type Suppression,
  suppressByHand,
} from './recipients.ts'
import { renderMessage } from './render.ts'
import { MESSAGE_STATES } from './states.ts'

const ADDRESS_LENGTH_MAX = 254

type SealerContext = { sealer: Sealer }

// Returns the masked address of a message, or null if it was erased.
function maskedRecipient(channel: Channel, sealed: Buffer | null, { sealer }: SealerContext) {
  return sealed && maskRecipient(channel, sealer.open(sealed))
}

const MessageView = view('Message', (f: Fields<Message, SealerContext>) => ({
  reference: f.text('reference', 'MSG and digits. Also its Message-ID.'),
  channel: f.oneOf('channel', CHANNELS, 'email, sms or whatsapp.'),
  kind: f.text('kind', `One of ${MESSAGE_KIND_NAMES.join(', ')}.`),
  recipient: f.textOrNull(
    ({ channel, addressSealed }, context) => maskedRecipient(channel, addressSealed, context),
    'Masked. Null: erased.',
  ),
  state: f.oneOf('state', MESSAGE_STATES, 'docs/states.md explains them.'),
  problem: f.textOrNull('problem', 'Why it was not accepted, the last time.'),
  attempts: f.integer('attempts'),
  nextAttemptAt: f.timeOrNull('nextAttemptAt', 'Of a queued one; in quiet hours later.'),
  expiresAt: f.time('expiresAt', 'Not sent after this time.'),
  createdAt: f.time('createdAt'),
  endedAt: f.timeOrNull('endedAt', 'When it was sent, or given up.'),
}))

export const MessageContent = named('MessageContent', {
  subject: Type.String(),
  text: Type.String({ description: 'Plain text of the mail.' }),
  html: Type.String({ description: 'HTML of the mail.' }),
  short: Type.String({ description: 'Text of an SMS or WhatsApp message.' }),
})

export const messages = resource('/api/v1/messages', {
  tag: 'Messages',
  noun: 'message',
  view: MessageView,
  scopes: { read: 'webhooks:read', write: 'webhooks:write' },
  params: { reference: referenceKey('MSG', 'message_not_found') },
  isForWholeClient: true,
})
  .list('listMessages', {
    summary: 'List messages to people, newest first',
    description:
      'What was sent to payers, users and operators by email, SMS and WhatsApp, and what became of it. ' +
      'Texts are not kept: they may hold links that let their holder in.',
    filters: {
      state: choice(MESSAGE_STATES, 'Filter by state.'),
      channel: choice(CHANNELS, 'Filter by channel.'),
      kind: choice(MESSAGE_KIND_NAMES, 'Filter by kind.'),
      recipient: Type.Optional(
        text(ADDRESS_LENGTH_MAX, 'Filter by email address or phone number.'),
      ),
      ...WindowQuery,
    },
    rows: (db, { sealer, clientId, query, after, limit }) => {
      const { state, channel, kind, recipient } = query
      const address = recipient === undefined ? undefined : parseEmailOrPhone(recipient)
      if (recipient !== undefined && address === undefined) return Promise.resolve([])
      return listMessages(db, clientId, {
        state,
        channel,
        kind,
        after,
        limit,
        recipient: address === undefined ? undefined : recipientHash(sealer, address),
        ...parseWindow(query),
      })
    },
  })
  .get('getMessage', {
    summary: 'Retrieve a message',
    description: 'Its state, its attempts and what the mail server or the gateway said.',
    errors: ['message_not_found'],
    run: (db, { clientId, params }) => getMessage(db, clientId, params.reference),
  })
  .get('getMessageContent', {
    path: '/:reference/content',
    summary: 'Retrieve the text of a message (sandbox only)',
    description:
      'A sandbox catches messages and sends none. Messages whose links let their holder in are shown at ' +
      'the dashboard only, to people who manage the user.',
    view: MessageContent,
    errors: ['message_not_found', 'people_only', 'role_not_allowed', 'sandbox_only'],
    run: readContent,
  })

// Renders a message that a sandbox has caught. A message with a secret link is only shown to people who may
// manage its user, and an operator's alert only to people who may see alerts.
async function readContent(db: Deps['db'], call: Call<{ reference: (text: string) => string }>) {
  const {
    mode,
    clientId,
    params,
    sealer,
    publicUrl,
    messageCopy,
    isPerson,
    withoutAlerts,
    userId: reader,
  } = call
  if (mode === 'live') throw new Refusal('sandbox_only')
  const { kind, factsSealed, userId } = await getMessage(db, clientId, params.reference)
  const { isSecret, audience } = MESSAGE_KINDS[kind]
  if (isSecret && !isPerson) throw new Refusal('people_only')
  if (isSecret && !(await mayReadSecretsOf(db, { reader, userId }))) {
    throw new Refusal('role_not_allowed')
  }
  if (!factsSealed || (audience === 'operator' && withoutAlerts)) {
    throw new Refusal('message_not_found')
  }
  const message = { kind, factsSealed, clientId }
  return (await renderMessage({ db, sealer, publicUrl, messageCopy }, message)).rendered
}

// Parses the address of a filter. Text with an @ is an email address, other text a phone number.
function parseEmailOrPhone(address: string): string | undefined {
  const channel: Channel = address.includes('@') ? 'email' : 'sms'
  return parseRecipient(channel, address)
}

const SuppressionView = view('MessageSuppression', (f: Fields<Suppression, SealerContext>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'suppression', id)),
  recipient: f.text(({ addressSealed }, { sealer }) => sealer.open(addressSealed)),
  reason: f.oneOf(
    'reason',
    SUPPRESSION_REASONS,
    'bounced: the mail server said that there is no such mailbox, so it gets no message; security mail of ' +
      'a user is tried again after a day. manual: added by hand, so it gets none for payers.',
  ),
  detail: f.textOrNull('detail', 'What the server said, or the note.'),
  createdBy: f.text('createdBy'),
  createdAt: f.time('createdAt', 'Of one that bounced: the last time.'),
}))

const SuppressionRequest = namedBody('MessageSuppressionRequest', {
  address: text(ADDRESS_LENGTH_MAX, 'Email address, or phone number such as +2348012345678.'),
  detail: Type.Optional(text(200, 'A note.')),
})

export const messageSuppressions = resource('/api/v1/message-suppressions', {
  tag: 'Messages',
  noun: 'suppressed address',
  view: SuppressionView,
  scopes: { read: 'webhooks:read', write: 'webhooks:write' },
  params: { id: publicIdKey('suppression', 'suppression_not_found') },
  isForWholeClient: true,
})
  .list('listMessageSuppressions', {
    summary: 'List suppressed addresses, newest first',
    description:
      'Addresses that get none of your messages, because one bounced or somebody said so.',
    message: 'Suppressed addresses retrieved successfully',
    rows: (db, { clientId, after, limit }) => listSuppressions(db, { clientId, after, limit }),
  })
  .create('suppressAddress', {
    summary: 'Suppress an address',
    description:
      'It gets no further message for payers. Users still get theirs: nobody silences the security mail ' +
      'of another. Idempotent: the first reason stays.',
    body: SuppressionRequest,
    message: 'Address suppressed successfully',
    run: (tx, call) => {
      const { address, detail = null } = call.body
      return suppressByHand(tx, call, { address, detail })
    },
  })
  .remove('unsuppressAddress', {
    summary: 'Send to a suppressed address again',
    description: 'Messages that were suppressed meanwhile stay unsent.',
    message: 'Address removed successfully',
    errors: ['suppression_not_found'],
    run: (tx, call) => removeSuppression(tx, call, call.params.id),
  })
