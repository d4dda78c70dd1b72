// The props of every view.

import type { Place } from './routing.ts'
import type { Session } from './session.ts'

export type ViewProps = { session: Session; place: Place }
