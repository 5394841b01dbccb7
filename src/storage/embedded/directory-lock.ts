/// <reference path="./fs-native-extensions.d.ts" />
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '../../lib/error-message.ts'
import { BackendError } from '../backend.ts'

/** Exclusive lock on a store's directory. */
export interface DirectoryLock {
  /**
   * Throws BackendError `unavailable` if the lock file was removed or replaced, because another process may have locked
   * the directory since.
   */
  check(): void
  release(): void
}

/**
 * Offset of the locked byte in the file. It lies beyond the text, because on Windows other processes cannot read locked
 * bytes.
 */
const LOCKED_BYTE = 1 << 30
/** The file must not be a symbolic link. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
/** Attempts to lock the file if it is being replaced at the same time. */
const MOST_ATTEMPTS = 10

/**
 * Locks the directory with the file `lock` in it, whose text names the holder. The system ties the lock to the open
 * file and releases it when the process ends, in whatever way. Thus a stopped holder keeps the lock, a zombie has none,
 * and process ids of other namespaces are irrelevant. The file remains after the release: removing it would let two
 * processes lock different files of the same name.
 * @throws BackendError `unavailable` if this or another process holds the directory, or the file system does not
 * support locks
 */
export async function lockDirectory(dir: string): Promise<DirectoryLock> {
  const tryLock = await loadTryLock(dir)
  const path = join(dir, 'lock')
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const descriptor = openLock(dir, path)
    try {
      if (!tryLock(descriptor, LOCKED_BYTE, 1)) throw new BackendError('unavailable', inUse(dir, path, descriptor))
      if (isSameFile(path, descriptor)) {
        ftruncateSync(descriptor)
        // The second space is for earlier versions: they read a start time between the two, and without one consider
        // the lock held while the process exists.
        writeSync(descriptor, `${process.pid}  ${hostname()}\n`, 0)
        return heldLock(dir, path, descriptor)
      }
    } catch (error) {
      closeSync(descriptor)
      if (error instanceof BackendError) throw error
      throw new BackendError(
        'unavailable',
        `the store in ${dir} cannot be locked: ${errorMessage(error)}; it needs a file system with locks`,
        { cause: error },
      )
    }
    closeSync(descriptor)
  }
  throw new BackendError('unavailable', `the store in ${dir} cannot be locked: ${path} is being replaced`)
}

/** Runs `use` while this process holds the directory. Throws like `lockDirectory`. */
export async function whileLocked<T>(dir: string, use: () => Promise<T>): Promise<T> {
  const lock = await lockDirectory(dir)
  try {
    return await use()
  } finally {
    lock.release()
  }
}

async function loadTryLock(dir: string): Promise<typeof import('fs-native-extensions').tryLock> {
  try {
    return (await import('fs-native-extensions')).tryLock
  } catch (error) {
    const reason = `fs-native-extensions has no addon for ${process.platform}-${process.arch}`
    throw new BackendError('unavailable', `the store in ${dir} cannot be locked: ${reason}: ${errorMessage(error)}`, { cause: error })
  }
}

function openLock(dir: string, path: string): number {
  try {
    return openSync(path, FLAGS, 0o600)
  } catch (error) {
    throw new BackendError('unavailable', `the store in ${dir} cannot be locked: ${errorMessage(error)}`, { cause: error })
  }
}

/**
 * Returns the lock that a descriptor holds. `check` throws once the file at the path is another one, because another
 * process may hold that.
 */
function heldLock(dir: string, path: string, descriptor: number): DirectoryLock {
  let isHeld = true
  return {
    check() {
      if (isHeld && isSameFile(path, descriptor)) return
      throw new BackendError(
        'unavailable',
        `the store in ${dir} no longer accepts writes: its lock ${path} was removed or replaced; restart the server`,
      )
    },
    release() {
      if (!isHeld) return
      isHeld = false
      ftruncateSync(descriptor)
      closeSync(descriptor)
    },
  }
}

/** Whether the path refers to the open file. */
function isSameFile(path: string, descriptor: number): boolean {
  const named = statSync(path, { bigint: true, throwIfNoEntry: false })
  const opened = fstatSync(descriptor, { bigint: true })
  return named !== undefined && named.ino === opened.ino && named.dev === opened.dev
}

/** Message that names the holder, which writes its name into the file right after locking it. */
function inUse(dir: string, path: string, descriptor: number): string {
  const [, pid, host] = /^(\d+) +(\S+)\n$/.exec(readFileSync(descriptor, 'utf8')) ?? []
  const holder = pid === undefined ? 'another process' : `process ${pid} on host ${host} since ${fstatSync(descriptor).mtime.toISOString()}`
  return `the store in ${dir} is in use by ${holder}: stop it, or use another directory (the lock ${path} ends with its process and must not be removed)`
}
