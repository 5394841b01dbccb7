import { readFile, stat } from 'node:fs/promises'
import { steadyClock } from './clock.ts'
import { pause } from './pause.ts'

export interface FollowFileOptions {
  readonly file: string
  /** What has been taken up. */
  readonly bytes: Buffer
  /** Between two looks at the times of the file. */
  readonly intervalMs: number
  /** Called with each content that is another than the one before. */
  changed(bytes: Buffer): Promise<void>
  /** The file can't be read, or `changed` has rejected. Says whether the same content is to be tried again when the file is read next. */
  failed(error: unknown): boolean
}

/** However its times are, the file is read so often. */
const READ_ANYWAY_MS = 60_000
/** No file has this one. */
const NO_STAMP = ''

/** Follows a file of the operator until the signal aborts. It is read when its times have changed, as they may be left as they were at least once a minute. */
export async function followFile({ file, bytes, intervalMs, changed, failed }: FollowFileOptions, signal: AbortSignal): Promise<void> {
  let known = bytes
  // It may have changed since it was read.
  let seen: string | undefined = NO_STAMP
  let readAt = steadyClock.now()
  while (await pause(intervalMs, signal)) {
    const stamp = await stampOf(file)
    if (stamp === seen && steadyClock.now() - readAt < READ_ANYWAY_MS) continue
    seen = stamp
    readAt = steadyClock.now()
    const before = known
    try {
      const now = await readFile(file)
      if (now.equals(known)) continue
      known = now
      await changed(now)
    } catch (error) {
      if (signal.aborted) return
      if (failed(error)) known = before
    }
  }
}

/** Changes with the file, and where another takes its place; undefined: it is not there. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size, ino } = await stat(file)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return undefined
  }
}
