// Help next to the title of a view: its terms, as docs/glossary.md defines them, and its guides, which the
// service serves (src/http/reference/guides.ts).

import { useId, useRef, useState } from 'preact/hooks'
import { definitionsStrings as definitions, helpStrings as strings } from '../copy.ts'
import { useCloseOutside } from './parts/controls.tsx'
import type { TermName } from './parts/term.tsx'

type GuideName = keyof typeof strings.guides
type Help = { terms: readonly TermName[]; guides: readonly GuideName[] }

// The terms and guides of each view, by the path of the view.
const HELP: Readonly<Record<string, Help>> = {
  '': {
    terms: ['gross', 'net', 'available', 'inSuspense', 'failingWebhooks'],
    guides: ['reconciling-your-day'],
  },
  payments: {
    terms: ['advice', 'payment', 'amountPolicy', 'refund'],
    guides: ['one-off-payments', 'integrating#where-is-my-money'],
  },
  accounts: {
    terms: ['collectionAccount', 'limitProfile', 'payerRule', 'kycTier'],
    guides: ['recurring-collections', 'kyc'],
  },
  credits: {
    terms: ['credit', 'sessionId', 'reversal'],
    guides: ['integrating#where-is-my-money', 'requery'],
  },
  suspense: {
    terms: ['suspenseItem', 'return', 'makerChecker'],
    guides: ['under-and-overpayment', 'integrating#where-is-my-money'],
  },
  returns: { terms: ['return', 'suspenseItem'], guides: ['under-and-overpayment'] },
  'rail-items': { terms: ['railItem'], guides: ['connectors'] },
  holds: { terms: ['hold', 'makerChecker'], guides: ['holds'] },
  screening: { terms: ['screening', 'makerChecker'], guides: ['screening'] },
  cases: { terms: ['case', 'hold'], guides: ['cases'] },
  settlements: { terms: ['settlement', 'cutOff', 'reserve'], guides: ['settlement'] },
  payouts: { terms: ['payout', 'bankAccount', 'makerChecker'], guides: ['payouts'] },
  refunds: { terms: ['refund'], guides: ['refunds'] },
  ledger: {
    terms: ['ledgerAccount', 'transfer', 'available', 'inTransit'],
    guides: ['money-flow'],
  },
  statements: { terms: ['statement'], guides: ['exports'] },
  reconciliation: {
    terms: ['dailyProof', 'difference', 'timing', 'reconcilingItem', 'adjustingEntry'],
    guides: ['reconciliation', 'statement-formats'],
  },
  accounting: { terms: ['ledgerAccount', 'statement'], guides: ['accounting'] },
  adjustments: { terms: ['adjustment', 'makerChecker'], guides: ['accounting'] },
  alerts: { terms: ['alert'], guides: ['operating'] },
  banks: { terms: ['bankHealth'], guides: ['connectors', 'routing'] },
  clients: { terms: ['client', 'scope'], guides: ['clients'] },
  'sandbox-bank': { terms: ['sandboxTransfer', 'testClock'], guides: ['sandbox', 'test-clock'] },
  webhooks: {
    terms: ['webhookEndpoint', 'event', 'delivery', 'attempt'],
    guides: ['never-miss-a-webhook', 'webhooks'],
  },
  messages: { terms: ['suppressionList'], guides: ['messages'] },
  developers: { terms: ['client', 'signingSecret'], guides: ['quick-start', 'go-live'] },
  settings: {
    terms: ['role', 'makerChecker', 'branding', 'feeRule', 'split', 'auditLog'],
    guides: ['users-and-roles', 'branding'],
  },
  reports: { terms: [], guides: ['exports'] },
}

export function ViewHelp({ path, name }: { path: string; name: string }) {
  const id = useId()
  const wrapper = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  useCloseOutside(wrapper, isOpen, () => setOpen(false))
  const help = HELP[path]
  if (!help) return null
  // Escape closes the help, and the focus returns to its button.
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    setOpen(false)
    button.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from anywhere in it.
    <div ref={wrapper} class="view-help" onKeyDown={closeOnEscape}>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={strings.open(name)}
        title={strings.open(name)}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">?</span>
      </button>
      <section id={id} class="view-help-text" aria-label={strings.open(name)} hidden={!isOpen}>
        {help.terms.length > 0 && (
          <dl>
            {help.terms.map((term) => (
              <div key={term}>
                <dt>{definitions[term].name}</dt>
                <dd>{definitions[term].meaning}</dd>
              </div>
            ))}
          </dl>
        )}
        <p>{strings.more}</p>
        <ul>
          {help.guides.map((guide) => (
            <li key={guide}>
              <a href={`/docs/guides/${guide}`} target="_blank" rel="noreferrer">
                {strings.guides[guide]}
              </a>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
