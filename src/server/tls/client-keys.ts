import { generateKeyPair, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

/** A key pair that may still be generated on another thread. */
export type ClientKeys = Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }>

/**
 * Generates a client key on another thread. Takes a tenth of a second, in bad cases three times as long. RSA: fabric8's
 * client (Java) cannot read other keys without a further library.
 */
export const makeClientKeys = (): ClientKeys => generate('rsa', { modulusLength: 2048 })

/**
 * Starts to generate the administrator's key if the directory has none. The rest of a first start takes about as long.
 */
export function beginAdminKeys(directory: string | undefined): ClientKeys | undefined {
  if (directory !== undefined && existsSync(join(directory, 'admin.key'))) return undefined
  const keys = makeClientKeys()
  // A rejection is reported to the caller that awaits the keys. A start that fails for another reason never does.
  keys.catch(() => {})
  return keys
}
