import { onOneLine } from '../../lib/printable.ts'
import { decodeRecord, readNumber } from './layout.ts'
import { HEAD_BYTES, type TableName } from './row-checksum.ts'

/**
 * Names a row for a message: by its key, and by its revision or deadline if it has one. `stored` is the stored value,
 * which may be damaged.
 */
export function rowName(table: TableName, id: Buffer, stored: Buffer): string {
  switch (table) {
    case 'log':
      return `revision ${numberAt(id, 0)} of ${keyIn(stored)}`
    case 'latest':
      return `the entry of ${onOneLine(id.toString())}`
    case 'deleted':
      return `the entry of the deleted ${onOneLine(id.toString())}`
    case 'expiry':
      return `the time to live of ${onOneLine(stored.toString('utf8', HEAD_BYTES, stored.length))}, set by revision ${numberAt(id, 8)}`
    case 'meta':
      return `the entry "${onOneLine(id.toString())}" of the store itself`
  }
}

const numberAt = (bytes: Buffer, offset: number): number => (bytes.length >= offset + 8 ? readNumber(bytes, offset) : 0)

/** Returns the key of a change that may be damaged, if it can be read. */
function keyIn(stored: Buffer): string {
  const start = (stored[0] ?? 0) > 4 ? HEAD_BYTES : 0
  try {
    const { key } = decodeRecord(stored.subarray(start, stored.length))
    if (key.length > 0) return onOneLine(key.toString())
  } catch {
    // The record is shorter than its lengths.
  }
  return 'an unknown key'
}
