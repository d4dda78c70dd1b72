// `npm start [-- role]`: checks the prerequisites, builds what has changed, and runs the service from its
// bundle. Plain JavaScript for Node 12 and newer, like guard.mjs. `node src/main.ts [role]` runs the sources.

import { reportProblems } from './guard.mjs'

if (reportProblems()) process.exitCode = 1
else void import('./start-bundle.ts')
