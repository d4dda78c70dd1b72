// Loads before a test file and `node:test`. The test runner follows every promise through an async hook, to
// find the test that an uncaught error comes from. That makes a promise ten times as expensive, and the
// processes of `npm test` and of the browser tests about a tenth. Here the runner gets a hook that does
// nothing. An uncaught error still fails the run, and is printed with its stack; only the name of its test
// is lost. A test that starts others does so with `t.test`.

import async_hooks from 'node:async_hooks'

const { createHook } = async_hooks

async_hooks.createHook = () => {
  async_hooks.createHook = createHook // The runner asks once.
  process.on('uncaughtException', print)
  process.on('unhandledRejection', print)
  const hook = {
    enable: () => hook,
    // The runner ends, and no longer catches errors itself.
    disable() {
      process.off('uncaughtException', print)
      process.off('unhandledRejection', print)
      return hook
    },
  }
  return hook
}

function print(error: unknown): void {
  console.error('uncaught:', error)
}
