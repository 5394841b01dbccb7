import type { KeyObject } from 'node:crypto'
import { compactVerify } from 'jose'
import type { CompactToken } from './compact-token.ts'

/** Whether the key signed the token with the algorithm in its header, which must be one of `algorithms`. */
export async function isSignedBy(
  { text, algorithm, isCritical }: CompactToken,
  key: KeyObject,
  algorithms: readonly string[],
): Promise<boolean> {
  if (isCritical || !algorithms.includes(algorithm)) return false
  try {
    await compactVerify(text, key, { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}
