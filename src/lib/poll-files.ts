import { errorMessage } from './error-message.ts'
import { pause } from './pause.ts'

/** Files to follow, and the callbacks for their changes and failures. */
export interface PollFilesOptions<T> {
  /** Reads the files. Rejects if they cannot be used. */
  read(): Promise<T>
  /** Returns a text that differs between values. */
  identityOf(value: T): string
  /** Identity of the value that is in effect. */
  readonly inForce: string
  readonly intervalMs: number
  /**
   * Puts a value into effect. If it rejects, the previous value stays in effect and the new one is tried again at the
   * next poll.
   */
  changed(value: T): void | Promise<void>
  /** Called once for each failure, and again only after another failure or a success. */
  failed(message: string): void
}

/**
 * Follows small files that belong together, such as a certificate and its key. Reads them at each interval until the
 * signal aborts.
 */
export async function pollFiles<T>(
  { read, identityOf, inForce, intervalMs, changed, failed }: PollFilesOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  let present = inForce
  let reported = ''
  while (await pause(intervalMs, signal)) {
    try {
      const value = await read()
      const identity = identityOf(value)
      if (identity !== present) await changed(value)
      present = identity
      reported = ''
    } catch (error) {
      if (signal.aborted) return
      const message = errorMessage(error)
      if (message !== reported) failed(message)
      reported = message
    }
  }
}
