// The entry point of the dashboard.

import { render } from 'preact'
import { language } from '../copy.ts'
import { App } from './app.tsx'
import { followTheme } from './theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/menu.css'
import './styles/term.css'
import './styles/find.css'
import './styles/tables.css'
import './styles/details.css'
import './styles/timeline.css'
import './styles/settlements.css'
import './styles/suspense.css'
import './styles/today.css'
import './styles/sandbox-bank.css'
import './styles/forms.css'
import './styles/developers.css'
import './styles/reconciliation.css'
import './styles/sides.css'
import './styles/responsive.css'

document.documentElement.lang = language.tag
followTheme()
render(<App />, document.getElementById('app') as HTMLElement)
