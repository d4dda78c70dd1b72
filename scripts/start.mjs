// `npm start [-- role]`: checks the prerequisites, builds the service if its sources have changed, and runs
// the bundle. It is plain JavaScript for Node 12 and newer, like guard.mjs. `node src/main.ts [role]` runs
// the sources instead.

import { reportProblems } from './guard.mjs'

if (reportProblems()) process.exitCode = 1
else void import('./start-bundle.ts')
