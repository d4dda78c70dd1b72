// Every error code of the API, with its cause and remedy: /docs/errors.

import { REFUSALS } from '#errors.ts'
import { escapeHtml, printablePage } from '#http/printable-page.ts'
import { ERROR_CODES, remedyOf } from './error-remedies.ts'

const PUBLISHED =
  'These answer with 400 where the table says 404 or 409: create and retrieve a collection account; ' +
  'create, retrieve and cancel an advice; initiate a bank transfer; simulate a payment; verify a ' +
  'payment; push its webhook.'

export function errorPage(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, message } = REFUSALS[code]
    return (
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td>` +
      `<td>${escapeHtml(message)}</td><td>${escapeHtml(remedyOf(code))}</td></tr>`
    )
  })
  const body =
    '<h1>Errors</h1><p>Every error has a <code>code</code>, which never changes, and a ' +
    '<code>message</code> for people, which may. <a href="/docs">API reference</a></p>' +
    `<p>${PUBLISHED}</p>` +
    '<table><thead><tr><th>Code</th><th>Status</th><th>Cause</th><th>Remedy</th></tr></thead>' +
    `<tbody>${rows.join('\n')}</tbody></table>`
  return printablePage({ title: 'Errors', body })
}
