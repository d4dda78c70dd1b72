// The words of all messages, in English. Each kind has its subject, its parts in their order, and the short
// text for SMS and WhatsApp. The texts are not HTML: messages/render.ts lays them out and escapes them.

import type { Copy, Workflow } from '#messages/kinds.ts'
import type { Severity } from '#records/alerts.ts'
import { codeOf } from '#short-codes.ts'

const minute = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

const formatTime = (time: string) => `${minute.format(new Date(time))} (Lagos)`

const figures = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const money = (amount: number, currency: string) => `${currency} ${figures.format(amount)}`

const formatItems = (count: number) => (count === 1 ? '1 item' : `${count} items`)

// The row of a message about money of a collection account.
const rowOfAccount = (accountNumber: string | undefined) =>
  accountNumber === undefined ? [] : [['Paid to account', accountNumber] as const]

// A button, or nothing if there is no link.
const buttonTo = (label: string, link: string | null) =>
  link === null ? [] : [{ button: { label, link } }]

const SEVERITY: Readonly<Record<Severity, string>> = {
  notice: 'Notice',
  warning: 'Warning',
  critical: 'Critical',
}

// The reasons why money is suspended. suspenseReason() shows a reason without words here as its plain code.
const SUSPENSE_REASONS: Readonly<Record<string, string>> = {
  unknown_number: 'nobody has the account number',
  wrong_bank: 'another bank reported it',
  wrong_currency: 'in another currency',
  account_inactive: 'the account is not active',
  amount_suspicious: 'suspicious amount',
  already_paid: 'the payment was already paid',
  cancelled: 'the payment was cancelled',
  payment_reversed: 'the payment was reversed',
  late: 'it came after the payment had expired',
  below_minimum: 'below the minimum of the account',
  above_maximum: 'above the maximum of the account',
  payer_not_allowed: 'this payer may not pay into the account',
  over_credit_limit: 'above the limit for one credit',
  over_daily_limit: 'above the limit for one day',
  over_balance_limit: 'above the limit of the balance',
  amount_mismatch: 'not the amount that was due',
  excess: 'more than was due',
  underpaid: 'the payment expired before it was paid in full',
}

const suspenseReason = (reason: string) => SUSPENSE_REASONS[reason] ?? reason.replaceAll('_', ' ')

const FORMATS = { csv: 'CSV', xlsx: 'Excel (XLSX)' } as const

const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' })

const formatDays = (from: string, to: string) =>
  from === to ? day.format(new Date(from)) : day.formatRange(new Date(from), new Date(to))

const WORKFLOW: Readonly<Record<Workflow, string>> = {
  payout: 'A payout',
  settlement: 'A settlement',
  suspense: 'A decision about money in suspense',
  payout_failure: 'Marking a payout as failed',
  adjustment: 'An adjustment of what a client owes',
  entry: 'An adjusting entry',
  difference: 'The resolution of a difference',
  hold: 'The end of a hold',
  month: 'Reopening a month',
  screening: 'A change of screening',
}

export const en: Copy = {
  language: 'en',
  sentBy: (name) => `Sent by ${name}.`,
  questions: 'Questions?',
  via: (name, sender) => `${name} via ${sender}`,
  kinds: {
    'user.invitation': ({ clientName, invitedBy, link, expiresAt }) => ({
      subject: `You’re invited to ${clientName} on Manilla`,
      heading: `Join ${clientName}`,
      parts: [
        { text: `${invitedBy} has invited you to the dashboard of ${clientName}.` },
        { text: 'Open the link to choose your own password and second factor.' },
        { button: { label: 'Accept the invitation', link } },
        { note: `The link works once, until ${formatTime(expiresAt)}.` },
        { note: 'If you don’t expect this invitation, ignore this message. Nothing happens.' },
      ],
      short: `${invitedBy} has invited you to ${clientName} on Manilla: ${link}`,
    }),
    'user.account_reset': ({ clientName, resetBy, link, expiresAt }) => ({
      subject: `Your access to ${clientName} was reset`,
      heading: 'Choose a new password',
      parts: [
        {
          text:
            `${resetBy} has reset your password for the dashboard of ${clientName}. You’ve been signed ` +
            'out everywhere, and your passkeys were removed.',
        },
        { text: 'Open the link to choose your own password and second factor.' },
        { button: { label: 'Choose a new password', link } },
        { note: `The link works once, until ${formatTime(expiresAt)}.` },
        { note: `If you don’t expect this, ask ${resetBy} before you open the link.` },
      ],
      short: `${resetBy} has reset your password for ${clientName} on Manilla: ${link}`,
    }),
    'user.password_reset': ({ clientName, link, expiresAt }) => ({
      subject: 'Reset your password',
      heading: 'Reset your password',
      parts: [
        {
          text: `Somebody, probably you, asked to reset your password for the dashboard of ${clientName}.`,
        },
        { button: { label: 'Choose a new password', link } },
        { note: `The link works once, until ${formatTime(expiresAt)}.` },
        { note: 'If it wasn’t you, ignore this message. Your password stays as it is.' },
      ],
      short: `Reset your Manilla password: ${link}`,
    }),
    'user.password_changed': ({ at: time, address }) => ({
      subject: 'Your password was changed',
      heading: 'Your password was changed',
      parts: [
        { text: 'Your Manilla account has a new password. All other sessions were ended.' },
        {
          rows: [
            ['When', formatTime(time)],
            ['Network address', address],
          ],
        },
        { text: 'If it was you, there’s nothing to do.' },
        {
          note:
            'If it wasn’t you, ask an owner of your organisation at once to reset your password, and ' +
            'check who else can read your email.',
        },
      ],
      short: `Your Manilla password was changed, ${formatTime(time)}. Not you? Ask an owner to reset it.`,
    }),
    'user.new_device': ({ at: time, address, device }) => ({
      subject: 'New sign-in to your account',
      heading: 'New sign-in to your account',
      parts: [
        {
          text: 'Somebody signed in to your Manilla account on a device that you haven’t used before.',
        },
        {
          rows: [
            ['When', formatTime(time)],
            ['Device', device],
            ['Network address', address],
          ],
        },
        { text: 'If it was you, there’s nothing to do.' },
        {
          note:
            'If it wasn’t you, change your password now and end the other sessions on the page ' +
            'Your account.',
        },
      ],
      short:
        `New sign-in to your Manilla account: ${device}, ${formatTime(time)}. ` +
        'Not you? Change your password.',
    }),
    'user.approval_waiting': ({ workflow, requestedBy, at: time, link }) => ({
      subject: `Waiting for your approval: ${WORKFLOW[workflow].toLowerCase()}`,
      heading: 'Waiting for your approval',
      parts: [
        { text: `${WORKFLOW[workflow]} waits for a second person.` },
        {
          rows: [
            ['Requested by', requestedBy],
            ['Requested', formatTime(time)],
          ],
        },
        { button: { label: 'Review', link } },
      ],
      short: `${WORKFLOW[workflow]} waits for your approval.`,
    }),
    'user.report_ready': ({ name, format, from, to, link, expiresAt }) => ({
      subject: `${name}: ${formatDays(from, to)}`,
      heading: name,
      parts: [
        { text: 'Your report is ready.' },
        {
          rows: [
            ['Period', formatDays(from, to)],
            ['Format', FORMATS[format]],
          ],
        },
        { button: { label: 'Open the report', link } },
        { note: `The link works until ${formatTime(expiresAt)}. It asks you to sign in.` },
        { note: 'Your role must allow this report when you open it.' },
      ],
      short: `${name}, ${formatDays(from, to)}: ${link}`,
    }),
    'payer.instructions': ({ amount, currency, reference, link, ...into }) => ({
      subject: `Pay ${money(amount, currency)} by bank transfer`,
      heading: `Pay ${money(amount, currency)}`,
      parts: [
        { text: 'Transfer exactly this amount to this account, from any bank:' },
        {
          rows: [
            ['Amount', money(amount, currency)],
            ['Bank', into.bankName],
            ['Account number', into.accountNumber],
            ['Account name', into.accountName],
            ['Pay before', formatTime(into.expiresAt)],
            ['Reference', reference],
          ],
        },
        { button: { label: 'Open the payment page', link } },
        { note: 'The account is for this payment only. Don’t save it for later.' },
      ],
      short:
        `Pay ${money(amount, currency)} to ${into.accountNumber}, ${into.bankName}, ` +
        `${into.accountName}, before ${formatTime(into.expiresAt)}. ${link}`,
    }),
    'payer.part_payment': ({
      amountPaid,
      amountRemaining,
      currency,
      reference,
      link,
      ...into
    }) => ({
      subject: `${money(amountRemaining, currency)} still due`,
      heading: `${money(amountRemaining, currency)} still due`,
      parts: [
        { text: `We received ${money(amountPaid, currency)} of ${money(into.amount, currency)}.` },
        {
          rows: [
            ['Still due', money(amountRemaining, currency)],
            ['Bank', into.bankName],
            ['Account number', into.accountNumber],
            ['Account name', into.accountName],
            ['Pay before', formatTime(into.expiresAt)],
            ['Reference', reference],
          ],
        },
        { button: { label: 'Open the payment page', link } },
      ],
      short:
        `We received ${money(amountPaid, currency)}. ${money(amountRemaining, currency)} is still due ` +
        `to ${into.accountNumber}, ${into.bankName}, before ${formatTime(into.expiresAt)}. ${link}`,
    }),
    'payer.receipt': ({ amount, currency, reference, at: time, link, accountNumber }) => ({
      subject: `Receipt: ${money(amount, currency)}`,
      heading: link
        ? 'Thank you. Your payment is complete.'
        : 'Thank you. We received your transfer.',
      parts: [
        {
          rows: [
            ['Amount', money(amount, currency)],
            ['Received', formatTime(time)],
            ...rowOfAccount(accountNumber),
            ['Reference', reference],
          ],
        },
        ...buttonTo('See the receipt', link),
      ],
      short:
        `We received your payment of ${money(amount, currency)}, reference ${reference}.` +
        (link ? ` Receipt: ${link}` : ''),
    }),
    'payer.refund_sent': ({ amount, currency, reference, bankReference, link, accountNumber }) => ({
      subject: `Refund: ${money(amount, currency)}`,
      heading: `We refunded ${money(amount, currency)}`,
      parts: [
        { text: 'Our bank has sent your refund to the account that you paid from.' },
        {
          rows: [
            ['Amount', money(amount, currency)],
            ...rowOfAccount(accountNumber),
            ['Payment', reference],
            ...(bankReference === null ? [] : [['Bank’s reference', bankReference] as const]),
          ],
        },
        ...buttonTo('See the payment', link),
        {
          note: 'If it doesn’t arrive within a business day, ask your bank with the bank’s reference.',
        },
      ],
      short:
        `We refunded ${money(amount, currency)} of payment ${reference} to the account that you ` +
        'paid from.',
    }),
    'merchant.daily_summary': ({ day, currency, link, ...sums }) => ({
      subject: `${day}: ${money(sums.gross, currency)} received`,
      heading: `Your day, ${day}`,
      parts: [
        {
          rows: [
            ['Received', money(sums.gross, currency)],
            ['Credits', String(sums.credits)],
            ['Fees with VAT', money(sums.fees, currency)],
            ['Payments completed', String(sums.successful)],
            ['Payments expired', String(sums.expired)],
            ['In suspense now', formatItems(sums.waiting)],
          ],
        },
        { button: { label: 'Open the dashboard', link } },
      ],
      short: `${day}: ${money(sums.gross, currency)} received in ${sums.credits} credits.`,
    }),
    'merchant.settlement_paid': ({
      reference,
      net,
      lines,
      currency,
      at: time,
      link,
      statement,
    }) => ({
      subject: `Settlement paid: ${money(net, currency)}`,
      heading: `Your settlement of ${money(net, currency)} was paid`,
      parts: [
        {
          rows: [
            ['Settlement', codeOf(reference)],
            ['Paid out', money(net, currency)],
            ['Lines', String(lines)],
            ['Paid', formatTime(time)],
          ],
        },
        { text: statement ? 'The statement is attached.' : 'The statement is in the dashboard.' },
        { button: { label: 'Open the settlement', link } },
      ],
      short: `Settlement ${codeOf(reference)} of ${money(net, currency)} was paid.`,
      attachments: statement
        ? [{ name: `${reference}.csv`, mediaType: 'text/csv', text: statement }]
        : [],
    }),
    'merchant.suspense': ({ amount, currency, reason, waiting, link }) => ({
      subject: `Money to review: ${money(amount, currency)}`,
      heading: 'Money waits for your decision',
      parts: [
        { text: 'A transfer, or a part of it, couldn’t be booked and waits in suspense.' },
        {
          rows: [
            ['Amount', money(amount, currency)],
            ['Reason', suspenseReason(reason)],
            ['In suspense now', formatItems(waiting)],
          ],
        },
        { button: { label: 'Open Suspense', link } },
        { note: 'You get one such message an hour at most.' },
      ],
      short: `${money(amount, currency)} waits in suspense: ${suspenseReason(reason)}.`,
    }),
    'merchant.webhook_failing': ({ host, reason, link }) => ({
      subject: `Webhook disabled: ${host}`,
      heading: 'A webhook was disabled',
      parts: [
        {
          text: `Your receiver at ${host} kept failing, so we stopped sending it events: ${reason}.`,
        },
        { text: 'Repair it, enable it again, and replay the events that it missed. None is lost.' },
        { button: { label: 'Open Webhooks', link } },
      ],
      short: `Your webhook at ${host} was disabled: ${reason}.`,
    }),
    'merchant.payout_failed': ({ reference, amount, currency, accountName, reason, link }) => ({
      subject: `Payout failed: ${money(amount, currency)}`,
      heading: 'A payout failed',
      parts: [
        {
          rows: [
            ['Payout', codeOf(reference)],
            ['Amount', money(amount, currency)],
            ['To', accountName],
            ['Reason', reason],
          ],
        },
        { text: 'The money is available to you again.' },
        { button: { label: 'Open the payout', link } },
      ],
      short: `Payout ${codeOf(reference)} of ${money(amount, currency)} failed: ${reason}.`,
    }),
    'operator.alert': ({ severity, title, remedy, subject, at: time, link }) => ({
      subject: `${SEVERITY[severity]}: ${title}`,
      heading: title,
      parts: [
        {
          rows: [
            ['Severity', SEVERITY[severity]],
            ['About', subject],
            ['Raised', formatTime(time)],
          ],
        },
        { text: remedy },
        { button: { label: 'Open Alerts', link } },
        ...(severity === 'critical'
          ? []
          : [{ note: 'You get one message an hour at most for each kind of alert.' }]),
      ],
      short: `${SEVERITY[severity]}: ${title} (${subject}).`,
    }),
  },
}
