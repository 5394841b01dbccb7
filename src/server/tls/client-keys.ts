import { generateKeyPair, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

export type ClientKeys = Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }>

/**
 * Takes a tenth of a second, and three times as long with bad luck, on another thread. RSA: of other keys, programs on fabric8's client (Java) read none without a further library.
 */
export const makeClientKeys = (): ClientKeys => generate('rsa', { modulusLength: 2048 })

/** Begins to make the keys of the administrator where the directory has none, or there is none: what else a first start does takes about as long. */
export function beginAdminKeys(directory: string | undefined): ClientKeys | undefined {
  if (directory !== undefined && existsSync(join(directory, 'admin.key'))) return undefined
  const keys = makeClientKeys()
  // Whoever takes them sees the failure; a start that fails for another reason takes none.
  keys.catch(() => {})
  return keys
}
