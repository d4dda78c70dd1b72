// What every view is given.

import type { Place } from './routing.ts'
import type { Session } from './session.ts'

export type ViewProps = { session: Session; place: Place }
