const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A program that can be killed at once. */
export interface Killable {
  kill(): void
}

/**
 * Calls the function when this process gets a signal to end, and then ends it by the signal. The returned function ends
 * this.
 */
export function onInterrupt(cleanUp: () => void): () => void {
  const interrupted = (signal: NodeJS.Signals): void => {
    dispose()
    cleanUp()
    process.kill(process.pid, signal)
  }
  const dispose = (): void => {
    for (const signal of SIGNALS) process.off(signal, interrupted)
  }
  for (const signal of SIGNALS) process.on(signal, interrupted)
  return dispose
}
