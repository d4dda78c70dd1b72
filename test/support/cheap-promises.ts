// Loaded before a test file, and before `node:test`. The test runner follows every promise through an
// async hook, to name the test that an uncaught error comes from. That makes a promise ten times as
// expensive: a third of the CPU time of `npm test`. Here the runner gets a hook that does nothing. An
// uncaught error still fails the run, and is printed with its stack; only the name of its test is lost.
// A test that starts others must do so with `t.test`.

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
