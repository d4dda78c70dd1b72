// The only reader of the machine's clock. Everything else is given `now`, so that a test can
// stand at any moment.

export type Clock = () => Date

export const systemClock: Clock = () => new Date()
