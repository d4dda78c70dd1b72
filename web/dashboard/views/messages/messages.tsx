// The tabs of Messages: the log, which is the inbox in a sandbox; previews; the settings of notices; and
// addresses to which the service sends no messages.

import { messagesStrings as strings } from '../../../copy.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import { MessageLog } from './message-log.tsx'
import { Notices } from './notices.tsx'
import { Previews } from './previews.tsx'
import { Suppressions } from './suppressions.tsx'

export default tabbedView({
  view: 'messages',
  words: strings,
  tabs: { log: MessageLog, previews: Previews, notices: Notices, suppressions: Suppressions },
})
