import { errorMessage } from '../lib/error-message.ts'
import type { FlagName } from './flag-table.ts'
import { FlagError } from './parse-flags.ts'

/**
 * Reads what flags refer to, mostly files. On failure, throws FlagError with the flags and the reason. Without `flags`,
 * the reason must name them, as kube-apiserver's messages do.
 */
export async function contentOf<T>(flags: readonly FlagName[], read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const names = flags.map(flag => `--${flag}`).join(', ')
    throw new FlagError(names === '' ? errorMessage(error) : `${names}: ${errorMessage(error)}`)
  }
}
