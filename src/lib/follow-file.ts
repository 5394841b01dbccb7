import { readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { steadyClock } from './clock.ts'

export interface FollowFileOptions {
  readonly file: string
  /** What has been taken up. */
  readonly bytes: Buffer
  /** Between two looks at the times of the file. */
  readonly intervalMs: number
  /** Called with each content that is another than the one before. A failure is told to `failed`, and the content not tried again. */
  changed(bytes: Buffer): Promise<void>
  /** The file can't be read, or its content can't be used. */
  failed(error: unknown): void
}

/** However its times are, the file is read so often. */
const READ_ANYWAY_MS = 60_000

/** Follows a file of the operator until the signal aborts. */
export async function followFile({ file, bytes, intervalMs, changed, failed }: FollowFileOptions, signal: AbortSignal): Promise<void> {
  let known = bytes
  let seen = await stampOf(file)
  let readAt = steadyClock.now()
  while (await passed(intervalMs, signal)) {
    const stamp = await stampOf(file)
    if (stamp === seen && steadyClock.now() - readAt < READ_ANYWAY_MS) continue
    seen = stamp
    readAt = steadyClock.now()
    try {
      const now = await readFile(file)
      if (now.equals(known)) continue
      known = now
      await changed(now)
    } catch (error) {
      failed(error)
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

const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  )
