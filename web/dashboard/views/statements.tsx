// Links to all kinds of statements. This page itself shows the client's own statement.

import { statementsStrings as strings } from '../../copy.ts'
import { Link } from '../parts/controls.tsx'
import { StatementLinks } from '../parts/exports.tsx'
import { hrefOf } from '../routing.ts'
import type { ViewProps } from '../session.ts'

const PLACES = [
  ['accounts', 'accounts:read', hrefOf('accounts')],
  ['settlements', 'payouts:read', hrefOf('settlements')],
  ['subaccounts', 'payouts:read', hrefOf('settings', undefined, { tab: 'subaccounts' })],
  ['ledger', 'credits:read', hrefOf('ledger')],
  ['bank', 'accounting:read', hrefOf('reconciliation', undefined, { tab: 'statements' })],
] as const

// The statement of the client’s balances, and links to the views with all other statements.
export default function Statements({ session: { scopes } }: ViewProps) {
  const places = PLACES.filter(([, scope]) => scopes.includes(scope))
  return (
    <>
      <section class="card panel" aria-labelledby="own-statement">
        <h2 id="own-statement">{strings.own}</h2>
        <p class="muted">{strings.ownText}</p>
        <StatementLinks path="/api/v1/balances/statement" />
      </section>
      <section class="card panel" aria-labelledby="other-statements">
        <h2 id="other-statements">{strings.elsewhere}</h2>
        <dl class="places">
          {places.map(([name, , href]) => (
            <div key={name}>
              <dt>
                <Link href={href}>{strings.places[name][0]}</Link>
              </dt>
              <dd class="muted">{strings.places[name][1]}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}
