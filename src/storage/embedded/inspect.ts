import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { refuseFile } from '../../lib/refuse-file.ts'
import { BackendError } from '../backend.ts'
import { META_BYTES, type MetaPage, metaPage } from './data-file/meta-page.ts'

/** Exceptions from the inspection. */
export interface InspectOptions {
  /**
   * Whether a file that was cut short, or has a second name, is accepted because a new one will replace it. Default:
   * false.
   */
  readonly isReplaced?: boolean
}

/**
 * Throws a BackendError `unavailable` if the directory has no data file, and an Error with the code ENOTDIR if it is a
 * file.
 */
export function requireDataFile(dir: string): void {
  refuseFile(dir)
  if (statSync(join(dir, 'data.mdb'), { throwIfNoEntry: false }) === undefined)
    throw new BackendError('unavailable', `there is no store in ${dir}`)
}

/**
 * Inspects the data file before LMDB maps it. Refuses a file of another format, and one that was cut short, because
 * reading a mapped page beyond the end of a file kills the process. Also refuses a file with a second name (a hard
 * link), which another directory may use under its own lock. A missing file is a new store, but an empty one has lost
 * its contents and is refused.
 * @throws BackendError `corrupt`
 */
export function inspectDataFile(dir: string, { isReplaced = false }: InspectOptions = {}): void {
  const path = join(dir, 'data.mdb')
  const refuse = (why: string, remedy = 'restore the directory from a copy, or remove it to start with an empty store'): never => {
    throw new BackendError('corrupt', `${path} ${why}; ${remedy}`)
  }
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  try {
    const { size, nlink } = fstatSync(fd)
    if (nlink > 1 && !isReplaced)
      refuse('has another name (a hard link), by which another server may write it', 'remove the other name, or use a copy of the file')
    if (size === 0) refuse('is empty: its contents are lost, or the first start was interrupted before anything was stored')
    const first = metaAt(fd, 0) ?? refuse('is not a store of this program')
    const second = metaAt(fd, first.pageSize)
    const newest = second && second.transaction > first.transaction ? second : first
    const expected = (newest.lastPage + 1) * newest.pageSize
    if (size < expected && !isReplaced) refuse(`is cut short: ${size} bytes of ${expected}`)
  } finally {
    closeSync(fd)
  }
}

function metaAt(fd: number, offset: number): MetaPage | undefined {
  const bytes = Buffer.alloc(META_BYTES)
  return readSync(fd, bytes, 0, bytes.length, offset) < bytes.length ? undefined : metaPage(bytes)
}
