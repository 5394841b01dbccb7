import { JSON_TYPE } from '../../../codec/negotiate.ts'
import type { TextStyle } from './text-form.ts'

/** JSON as it is. */
export const compact: TextStyle = {
  contentType: JSON_TYPE,
  write(text) {
    if (typeof text === 'function') return text()
    const [only] = text
    return text.length === 1 && only !== undefined ? only : text
  },
}
