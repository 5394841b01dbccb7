import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { BackendError } from '../backend.ts'

const magic = 0xbeefc0de
const headerBytes = 24
/** Offsets in a meta page of LMDB 1.0, after the page's header: page size, last page, transaction. */
const pageSizeAt = headerBytes + 24
const lastPageAt = headerBytes + 120
const transactionAt = headerBytes + 128

/**
 * Looks at the data file before LMDB maps it: a foreign file is refused by name, and so is one that was cut short, for reading a mapped page beyond the
 * end of a file kills the process. A missing or empty file is a new store.
 * @throws BackendError `corrupt`
 */
export function inspectDataFile(dir: string): void {
  const path = join(dir, 'data.mdb')
  const refuse = (why: string): never => {
    throw new BackendError('corrupt', `${path} ${why}; restore the directory from a copy, or remove it to start with an empty store`)
  }
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  try {
    const size = fstatSync(fd).size
    if (size === 0) return
    const first = metaPage(fd, 0) ?? refuse('is not a store of this program')
    const second = metaPage(fd, first.pageSize)
    const newest = second && second.transaction > first.transaction ? second : first
    const expected = (newest.lastPage + 1) * newest.pageSize
    if (size < expected) refuse(`is cut short: ${size} bytes of ${expected}`)
  } finally {
    closeSync(fd)
  }
}

function metaPage(fd: number, offset: number): { pageSize: number; lastPage: number; transaction: number } | undefined {
  const bytes = Buffer.alloc(transactionAt + 8)
  if (readSync(fd, bytes, 0, bytes.length, offset) < bytes.length || bytes.readUInt32LE(headerBytes) !== magic) return undefined
  return {
    pageSize: bytes.readUInt32LE(pageSizeAt),
    lastPage: Number(bytes.readBigUInt64LE(lastPageAt)),
    transaction: Number(bytes.readBigUInt64LE(transactionAt)),
  }
}
