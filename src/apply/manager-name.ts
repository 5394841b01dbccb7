import { textBefore } from '../lib/split-text.ts'
import { MANAGER_MAX_BYTES, PRINTABLE } from '../meta/object-meta-validation.ts'

/**
 * Returns the default field manager of a client: its user agent up to the first `/`, only printable characters, at most
 * 128 bytes.
 */
export function managerFromUserAgent(userAgent: string): string {
  let name = ''
  let bytes = 0
  for (const char of textBefore(userAgent, '/')) {
    if (!PRINTABLE.test(char)) continue
    bytes += Buffer.byteLength(char)
    if (bytes > MANAGER_MAX_BYTES) break
    name += char
  }
  return name
}
