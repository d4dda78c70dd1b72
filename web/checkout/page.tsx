// The payer's page: a pure function of what is known.

import { STRINGS } from './strings.ts'

export function Page() {
  return (
    <main>
      <h1>{STRINGS.notFoundTitle}</h1>
    </main>
  )
}
