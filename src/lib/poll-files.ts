import { errorMessage } from './error-message.ts'
import { pause } from './pause.ts'

export interface PollFilesOptions<T> {
  /** Reads the files, and rejects where they can't be used. */
  read(): Promise<T>
  /** Distinguishes values. */
  identityOf(value: T): string
  /** The identity of what is in force. */
  readonly inForce: string
  readonly intervalMs: number
  /** Puts a value in force. Where it rejects, what was in force stays so, and the value is tried again at the next look. */
  changed(value: T): void | Promise<void>
  /** Called once for a failure, until there is another one or the files can be used. */
  failed(message: string): void
}

/** Follows small files that belong together, a certificate and its key for instance: they are read at each look, until the signal aborts. */
export async function pollFiles<T>({ read, identityOf, inForce, intervalMs, changed, failed }: PollFilesOptions<T>, signal: AbortSignal): Promise<void> {
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
