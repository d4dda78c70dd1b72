// The outcome of one attempt to send a message, by mail server or gateway.

import type { MessageSettings } from '#config/message-settings.ts'
import type { Channel } from './recipients.ts'

export type SendResult =
  | { outcome: 'accepted' }
  | { outcome: 'deferred'; problem: string; isOutage: boolean } // Not accepted: try again.
  | { outcome: 'refused'; problem: string; isBounce: boolean } // Final: not to be sent again.
  | { outcome: 'unknown'; problem: string } // No answer came after the whole message was handed over.
  | { outcome: 'withdrawn' } // The message must not be sent any more.

export type TransportName = 'smtp' | 'gateway'

export const TRANSPORT_CHANNELS: Readonly<Record<TransportName, readonly Channel[]>> = {
  smtp: ['email'],
  gateway: ['sms', 'whatsapp'],
}

type Sending = { mode: 'sandbox' | 'live'; messages: Pick<MessageSettings, 'smtp' | 'from'> }

// Whether mails leave, or are caught for the inbox of a sandbox.
export function mailsUsers({ mode, messages: { smtp, from } }: Sending): boolean {
  return mode === 'sandbox' || (smtp !== undefined && from !== undefined)
}
