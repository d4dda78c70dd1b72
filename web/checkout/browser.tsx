// What runs on the payer's phone: takes over the page as the server drew it.

import { hydrate } from 'preact'
import './checkout.css'
import { Page } from './page.tsx'

hydrate(<Page />, document.body)
