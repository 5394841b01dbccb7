import { crc32 } from 'node:zlib'
import type { Part } from './data-file/part.ts'

/** Tables of the store, described in `layout.ts`. */
export type TableName = 'log' | 'latest' | 'deleted' | 'expiry' | 'meta'

/** First byte of a value with a checksum. No value without one begins with it: see `beginsPlain`. */
const MARK = 0xff
/** Size of the head: the mark, and the CRC-32 of the table, the key and the value. */
export const HEAD_BYTES = 5

/** Initial values of the hashes, by which a row that appears in another table is detected. */
const seeds: Record<TableName, number> = { log: 0x811c9dc5, latest: 0x9e3779b9, deleted: 0x7f4a7c15, expiry: 0x85ebca6b, meta: 0xc2b2ae35 }

/**
 * Key of the row of `meta` with the format of the store. It has no checksum, so that older programs can read it and
 * refuse a later format.
 */
export const FORMAT_WORD = Buffer.from('format')
/** Key of the row of `meta` that states that every row has a checksum. Its value is 1. */
export const CHECKED_WORD = Buffer.from('checked')

const isPlainByDesign = (table: TableName, id: Buffer): boolean => table === 'meta' && id.equals(FORMAT_WORD)

/** Hashes a key with FNV-1a. Keys are short, so a loop is faster than a call of zlib. */
function hashKey(seed: number, id: Buffer, start = 0, end = id.length): number {
  let hash = seed
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (id[i] ?? 0), 0x01000193)
  return hash >>> 0
}

/**
 * Size of a buffer in bytes up to which V8 keeps it in its heap. It moves it out to create a view, which takes longer
 * than copying it.
 */
const SHORT = 64

const checksum = (table: TableName, id: Buffer, value: Buffer): number => crc32(value, hashKey(seeds[table], id))

const checksumIn = (bytes: Buffer): number => bytes.readUInt32BE(1)

/** Copies a few bytes. A loop is faster than a call into the runtime for so few. */
function copied(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start)
  for (let i = 0; i < copy.length; i++) copy[i] = bytes[start + i] ?? 0
  return copy
}

/** Returns the stored form of a value: with its checksum before it. */
export function withChecksum(table: TableName, id: Buffer, value: Buffer): Buffer {
  if (isPlainByDesign(table, id)) return value
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + value.length)
  bytes[0] = MARK
  bytes.writeUInt32BE(checksum(table, id, value), 1)
  value.copy(bytes, HEAD_BYTES)
  return bytes
}

/**
 * Whether a value without a checksum may begin with this byte: the kind of a change, the first byte of a revision or
 * number (`layout.ts`), or that of a key, which is ASCII.
 */
function beginsPlain(table: TableName, first: number): boolean {
  if (table === 'log') return first >= 1 && first <= 4
  return table === 'expiry' ? first < 0x7f : first === 0
}

/**
 * Verifies a stored row and returns its value, as a view or copy of exactly its bytes. Undefined if the row is damaged.
 * `bytes` may be a buffer longer than its `length`, like those that lmdb's `getBinaryFast` reuses: methods of Buffer
 * use that property up to Node 22, and the real length from Node 24 on.
 * @param isChecked whether every row of the store has a checksum. Otherwise rows of an earlier program have none
 */
export function checkedValue(table: TableName, id: Buffer, bytes: Buffer, isChecked: boolean): Buffer | undefined {
  const { length } = bytes
  const first = bytes[0]
  if (first !== MARK || length < HEAD_BYTES) {
    const isPlain = first !== undefined && beginsPlain(table, first) && (!isChecked || isPlainByDesign(table, id))
    return isPlain ? bytes.subarray(0, length) : undefined
  }
  const value = bytes.byteLength > SHORT ? bytes.subarray(HEAD_BYTES, length) : copied(bytes, HEAD_BYTES, length)
  return checksum(table, id, value) === checksumIn(bytes) ? value : undefined
}

/**
 * Verifies a stored row for `checkStore`, and returns where its value begins; undefined if the row is damaged. A row
 * without a checksum passes.
 */
export function valueStart(
  table: TableName,
  { bytes: idBytes, start: idStart, end: idEnd }: Part,
  { bytes, start, end }: Part,
): number | undefined {
  const first = start < end ? bytes[start] : undefined
  if (first !== MARK || end - start < HEAD_BYTES) return first !== undefined && beginsPlain(table, first) ? start : undefined
  const from = start + HEAD_BYTES
  const sum = crc32(bytes.subarray(from, end), hashKey(seeds[table], idBytes, idStart, idEnd))
  return sum === bytes.readUInt32BE(start + 1) ? from : undefined
}
