// The only reader of the machine's clock. All other code receives `now`, so that tests can choose
// the time.

export type Clock = () => Date

export const systemClock: Clock = () => new Date()
