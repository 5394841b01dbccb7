import { type FSWatcher, type Stats, statSync, watch } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../lib/error-code.ts'

/** Time without a change after which a check begins, in milliseconds. An editor writes a file in several steps. */
const QUIET_MS = 100

/**
 * Calls `run`, and again after each change of files or folders, until the signal aborts. A change during a run causes
 * another run. Files and folders may be removed, and are watched again when they are created.
 */
export async function runAtChanges(paths: readonly string[], run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let changes = 0
  let wake: (() => void) | undefined
  const changed = (): void => {
    changes++
    wake?.()
  }
  const watches = [...new Set(paths.map(path => resolve(path)))].map(path => new PathWatch(path, changed))
  signal.addEventListener('abort', changed)
  while (!signal.aborted) {
    for (const each of watches) each.follow()
    const seen = changes
    await run()
    while (!signal.aborted && changes === seen)
      await new Promise<void>(resolved => {
        wake = resolved
        if (changes !== seen || signal.aborted) resolved()
      })
    await sleep(QUIET_MS, undefined, { signal }).catch(() => {})
  }
  for (const each of watches) each.close()
}

/** A folder that is watched. */
interface WatchTarget {
  readonly folder: string
  /** Identifies the folder, which may be removed and created again. */
  readonly inode: number
  /** Name in the folder whose changes count. Undefined if all changes count, at any depth. */
  readonly entry: string | undefined
}

/** Watch of a file or folder. While it does not exist, the nearest folder that exists is watched for it. */
class PathWatch {
  readonly #path: string
  readonly #changed: () => void
  #target: WatchTarget | undefined
  #watcher: FSWatcher | undefined

  constructor(path: string, changed: () => void) {
    this.#path = path
    this.#changed = changed
  }

  /** Watches what exists now. To be called after changes. Throws errors of the system. */
  follow(): void {
    for (let target = watchTarget(this.#path); !isSame(target, this.#target); target = watchTarget(this.#path)) {
      this.close()
      this.#target = target
      const { folder, entry } = target
      try {
        this.#watcher = watch(folder, { recursive: entry === undefined }, (_, name) => {
          if (entry === undefined || name === null || name === entry || statOf(folder) === undefined) this.#changed()
        })
      } catch (error) {
        // The folder may have been removed meanwhile.
        if (errorCode(error) !== 'ENOENT') throw error
        this.#target = undefined
        continue
      }
      this.#watcher.on('error', this.#changed)
    }
  }

  close(): void {
    this.#watcher?.close()
  }
}

const isSame = (a: WatchTarget, b: WatchTarget | undefined): boolean => a.folder === b?.folder && a.inode === b.inode && a.entry === b.entry

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

/** Editors replace a file by another one, so that the folder of a file is watched. */
function watchTarget(path: string): WatchTarget {
  const own = statOf(path)
  if (own?.isDirectory()) return { folder: path, inode: own.ino, entry: undefined }
  let folder = dirname(path)
  let found = statOf(folder)
  while (!found?.isDirectory() && folder !== dirname(folder)) {
    folder = dirname(folder)
    found = statOf(folder)
  }
  return { folder, inode: found?.ino ?? 0, entry: relative(folder, path).split(sep)[0] }
}
