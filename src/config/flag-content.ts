import { errorMessage } from '../lib/error-message.ts'
import type { FlagName } from './flag-table.ts'
import { FlagError } from './parse-flags.ts'

/** The result of reading what flags name: files, mostly. Throws FlagError with the flags and the reason if that fails. Without `flags`, the reason names them, as in kube-apiserver's words. */
export async function contentOf<T>(flags: readonly FlagName[], read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const names = flags.map(flag => `--${flag}`).join(', ')
    throw new FlagError(names === '' ? errorMessage(error) : `${names}: ${errorMessage(error)}`)
  }
}
