import { statSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time without a change after which a check begins, in milliseconds. An editor writes a file in several steps. */
const QUIET_MS = 100

/**
 * Calls `run`, and again after each change of files or folders, until the signal aborts. A change during a run causes
 * another run.
 */
export async function runAtChanges(paths: readonly string[], run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let changes = 0
  let wake: (() => void) | undefined
  const changed = (): void => {
    changes++
    wake?.()
  }
  const watchers = [...new Set(paths.map(watchedPath))].map(path => watch(path, { recursive: true, signal }, changed))
  for (const watcher of watchers) watcher.on('error', changed)
  signal.addEventListener('abort', changed)
  while (!signal.aborted) {
    const seen = changes
    await run()
    while (!signal.aborted && changes === seen)
      await new Promise<void>(resolve => {
        wake = resolve
        if (changes !== seen || signal.aborted) resolve()
      })
    await sleep(QUIET_MS, undefined, { signal }).catch(() => {})
  }
}

/** Editors replace a file by another one, so that the folder of a file is watched. */
const watchedPath = (path: string): string => (statSync(path).isDirectory() ? path : dirname(path))
