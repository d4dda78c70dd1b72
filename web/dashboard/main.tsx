// The dashboard's entry.

import { render } from 'preact'
import './dashboard.css'
import { STRINGS } from './strings.ts'

render(
  <main>
    <h1>{STRINGS.title}</h1>
  </main>,
  document.body,
)
