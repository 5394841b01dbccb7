import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** For keys that clients hold: of other keys, programs on fabric8's client (Java) read none without a further library. */
export const CLIENT_ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' } as const

export type ClientKeys = ReturnType<typeof makeClientKeys>

/** Takes a tenth of a second, and three times as long with bad luck, on another thread. */
export const makeClientKeys = () => crypto.subtle.generateKey(CLIENT_ALGORITHM, true, ['sign', 'verify'])

/** Begins to make the keys of the administrator where the directory has none: what else a first start does takes about as long. */
export function beginAdminKeys(directory: string): ClientKeys | undefined {
  if (existsSync(join(directory, 'admin.key'))) return undefined
  const keys = makeClientKeys()
  // Whoever takes them is told; a start that fails for another reason takes none.
  keys.catch(() => {})
  return keys
}
