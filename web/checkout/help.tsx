// The merchant's support contacts.

import { checkoutStrings as strings } from '../copy.ts'
import type { Model } from './checkout.ts'

// Links to the merchant’s email address, phone number and help page. Renders nothing if the merchant has set
// none of them.
export function SupportContacts({ checkout }: Pick<Model, 'checkout'>) {
  const { supportEmail, supportPhone, supportUrl, merchantName } = checkout
  const links = [
    supportEmail && { text: supportEmail, href: mailto(supportEmail, referenceOf(checkout)) },
    supportPhone && { text: supportPhone, href: `tel:${supportPhone.replace(/[^+\d]/g, '')}` },
    supportUrl && { text: supportUrl.replace(/^https?:\/\//, ''), href: supportUrl },
  ].filter((link) => typeof link === 'object' && link !== null)
  if (links.length === 0) return null
  return (
    <div class="help">
      <p>{strings.help(merchantName)}</p>
      <ul>
        {links.map(({ text, href }) => (
          <li key={href}>
            <a href={href} rel="noreferrer">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

export function referenceOf(checkout: Model['checkout']): string {
  return checkout.merchantRef ?? checkout.shortCode
}

// Escapes the email address, because a question mark in it could add recipients.
function mailto(address: string, reference: string): string {
  const subject = encodeURIComponent(strings.helpSubject(reference))
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}?subject=${subject}`
}
