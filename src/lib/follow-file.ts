import { stat } from 'node:fs/promises'
import { readConfigFile } from './bounded-input.ts'
import { steadyClock } from './clock.ts'
import { pause } from './pause.ts'

/** A file to follow, its current content, and the callbacks for changes and failures. */
export interface FollowFileOptions {
  readonly file: string
  /** Content that is in effect. */
  readonly bytes: Buffer
  /** Milliseconds between checks of the file's times. */
  readonly intervalMs: number
  /** Called with each content that differs from the previous one. */
  changed(bytes: Buffer): Promise<void>
  /**
   * Called if the file cannot be read or `changed` rejects. Returns whether the same content is to be retried at the
   * next read.
   */
  failed(error: unknown): boolean
}

/** Interval in milliseconds at which the file is read even if its times are unchanged. */
const READ_ANYWAY_MS = 60_000
/** A stamp that no file has. */
const NO_STAMP = ''

/**
 * Follows a file of the operator until the signal aborts. The file is read when its times have changed, and at least
 * once a minute, because a change may preserve its times.
 */
export async function followFile({ file, bytes, intervalMs, changed, failed }: FollowFileOptions, signal: AbortSignal): Promise<void> {
  let known = bytes
  // The file may have changed since it was read.
  let seen: string | undefined = NO_STAMP
  let readAt = steadyClock.now()
  while (await pause(intervalMs, signal)) {
    const stamp = await stampOf(file)
    if (stamp === seen && steadyClock.now() - readAt < READ_ANYWAY_MS) continue
    seen = stamp
    readAt = steadyClock.now()
    const before = known
    try {
      const now = await readConfigFile(file)
      if (now.equals(known)) continue
      known = now
      await changed(now)
    } catch (error) {
      if (signal.aborted) return
      if (failed(error)) known = before
    }
  }
}

/** Returns a stamp that changes when the file is modified or replaced; undefined if it does not exist. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size, ino } = await stat(file)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return undefined
  }
}
