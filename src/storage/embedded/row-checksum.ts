import { crc32, ownCrc32 } from '../../lib/crc32.ts'
import type { Part } from './data-file/part.ts'

export type TableName = 'log' | 'latest' | 'deleted' | 'expiry' | 'meta'

/** Begins a value with a checksum. No value of a store without checksums begins with it: see `beginsPlain`. */
const MARK = 0xff
/** The mark, and the CRC-32 of the table, the key and the value. */
export const HEAD_BYTES = 5

/** Start values of the checksums: a row that turns up in another table does not pass. */
const seeds: Record<TableName, number> = { log: 0x811c9dc5, latest: 0x9e3779b9, deleted: 0x7f4a7c15, expiry: 0x85ebca6b, meta: 0xc2b2ae35 }

/** The row of `meta` with the format of the store. It has no checksum: programs that know none read it, and refuse a later format. */
export const FORMAT_WORD = Buffer.from('format')
/** The row of `meta` by which every row of the store has a checksum. Its value is 1. */
export const CHECKED_WORD = Buffer.from('checked')

const isPlainByDesign = (table: TableName, id: Buffer): boolean => table === 'meta' && id.equals(FORMAT_WORD)

/** FNV-1a: keys are short, so that a loop is faster than a call of zlib. */
function hashOf(seed: number, id: Buffer, start = 0, end = id.length): number {
  let hash = seed
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (id[i] ?? 0), 0x01000193)
  return hash >>> 0
}

/** Bytes of a stored value whose checksum takes less time in JavaScript than by a call of zlib. */
const SHORT = 64

const shortChecksum = (table: TableName, id: Buffer, stored: Buffer, end: number): number => ownCrc32(stored, hashOf(seeds[table], id), HEAD_BYTES, end)
const checksum = (table: TableName, id: Buffer, value: Buffer): number => crc32(value, hashOf(seeds[table], id))

const checksumIn = (bytes: Buffer): number => bytes.readUInt32BE(1)

/** A copy of a few bytes. */
function copied(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start)
  for (let i = 0; i < copy.length; i++) copy[i] = bytes[start + i] ?? 0
  return copy
}

/** A value as it is stored: with its checksum before it. */
export function withChecksum(table: TableName, id: Buffer, value: Buffer): Buffer {
  if (isPlainByDesign(table, id)) return value
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + value.length)
  bytes[0] = MARK
  bytes.writeUInt32BE(checksum(table, id, value), 1)
  value.copy(bytes, HEAD_BYTES)
  return bytes
}

/** Whether a value without a checksum may begin with the byte: a kind of change, the first byte of a revision or a number (`layout.ts`), or that of a key, which is ASCII. */
function beginsPlain(table: TableName, first: number): boolean {
  if (table === 'log') return first >= 1 && first <= 4
  return table === 'expiry' ? first < 0x7f : first === 0
}

/**
 * The value of a row as it is stored: a view of exactly its bytes. Undefined if the row is damaged. `bytes` may be a buffer that is longer than its `length`, as those that `getBinaryFast` of lmdb uses again are:
 * methods of Buffer go by that property up to Node 22, and by the real length from Node 24 on.
 * @param isChecked whether every row of the store has a checksum; otherwise those that an earlier program wrote have none
 */
export function checkedValue(table: TableName, id: Buffer, bytes: Buffer, isChecked: boolean): Buffer | undefined {
  const { length } = bytes
  const first = bytes[0]
  if (first !== MARK || length < HEAD_BYTES) {
    const isPlain = first !== undefined && beginsPlain(table, first) && (!isChecked || isPlainByDesign(table, id))
    return isPlain ? bytes.subarray(0, length) : undefined
  }
  // V8 keeps a short buffer in its heap, and moves it out for a view, which takes longer than to copy it.
  if (length <= SHORT)
    return shortChecksum(table, id, bytes, length) !== checksumIn(bytes)
      ? undefined
      : bytes.byteLength > SHORT
        ? bytes.subarray(HEAD_BYTES, length)
        : copied(bytes, HEAD_BYTES, length)
  const value = bytes.subarray(HEAD_BYTES, length)
  return checksum(table, id, value) === checksumIn(bytes) ? value : undefined
}

/** Where the value begins in a row as it is stored, for `checkStore`, which makes no views; undefined if the row is damaged. A row without a checksum passes. */
export function valueStart(table: TableName, { bytes: idBytes, start: idStart, end: idEnd }: Part, { bytes, start, end }: Part): number | undefined {
  const first = start < end ? bytes[start] : undefined
  if (first !== MARK || end - start < HEAD_BYTES) return first !== undefined && beginsPlain(table, first) ? start : undefined
  const from = start + HEAD_BYTES
  const hash = hashOf(seeds[table], idBytes, idStart, idEnd)
  const sum = end - start <= SHORT ? ownCrc32(bytes, hash, from, end) : crc32(bytes.subarray(from, end), hash)
  return sum === bytes.readUInt32BE(start + 1) ? from : undefined
}
