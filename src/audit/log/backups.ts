import { constants, createReadStream } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** Which rotated logs are kept. 0 means no limit. */
export interface Retention {
  readonly maxAgeDays: number
  readonly maxBackups: number
  readonly compress: boolean
}

const DAY_MS = 24 * 60 * 60 * 1000
const GZIPPED = '.gz'
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}\.\d{3})$/

/**
 * Returns prefix and suffix of the names of a log's backups: `audit-2006-01-02T15-04-05.000.log`, as named by
 * lumberjack, which kube-apiserver rotates logs with.
 */
function affixes(file: string): { readonly prefix: string; readonly suffix: string } {
  const suffix = extname(file)
  return { prefix: `${basename(file, suffix)}-`, suffix }
}

/** Returns the path to which a log is moved at this time. */
export function backupPath(file: string, now: number): string {
  const { prefix, suffix } = affixes(file)
  return join(dirname(file), `${prefix}${new Date(now).toISOString().slice(0, -1).replaceAll(':', '-')}${suffix}`)
}

/** Returns the time in the name of a backup, compressed or not. Undefined for other files. */
export function backupTime(file: string, name: string): number | undefined {
  const { prefix, suffix } = affixes(file)
  const plain = name.endsWith(`${suffix}${GZIPPED}`) ? name.slice(0, -GZIPPED.length) : name
  if (!plain.startsWith(prefix) || !plain.endsWith(suffix)) return undefined
  const [, day, hour, minute, second] = TIMESTAMP.exec(plain.slice(prefix.length, plain.length - suffix.length)) ?? []
  const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

/**
 * Returns which files in the log's directory are to be removed and compressed. A backup that exists both compressed and
 * uncompressed counts once.
 */
export function overdue(
  file: string,
  names: readonly string[],
  retention: Retention,
  now: number,
): { readonly remove: string[]; readonly compress: string[] } {
  const { maxAgeDays, maxBackups, compress } = retention
  const backups = names
    .map(name => ({ name, time: backupTime(file, name) }))
    .filter((one): one is { name: string; time: number } => one.time !== undefined)
    .sort((a, b) => b.time - a.time)
  const times = [...new Set(backups.map(({ time }) => time))]
  const kept = new Set(maxBackups > 0 ? times.slice(0, maxBackups) : times)
  const oldest = maxAgeDays > 0 ? now - maxAgeDays * DAY_MS : Number.NEGATIVE_INFINITY
  const isKept = ({ time }: { time: number }): boolean => kept.has(time) && time >= oldest
  return {
    remove: backups.filter(one => !isKept(one)).map(({ name }) => name),
    compress: compress ? backups.filter(one => isKept(one) && !one.name.endsWith(GZIPPED)).map(({ name }) => name) : [],
  }
}

/** Removes and compresses backups that are due, one file after the other. */
export async function tidyBackups(file: string, retention: Retention, now: number): Promise<void> {
  const { maxAgeDays, maxBackups, compress } = retention
  if (maxAgeDays === 0 && maxBackups === 0 && !compress) return
  const directory = dirname(file)
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter(entry => entry.isFile()).map(entry => entry.name)
  const due = overdue(file, names, retention, now)
  for (const name of due.remove) await rm(join(directory, name), { force: true })
  for (const name of due.compress) await compressFile(join(directory, name))
}

/**
 * Compresses a file, with the same mode. An existing target is the rest of an earlier attempt, and is overwritten.
 * Symbolic links are not followed.
 */
async function compressFile(path: string): Promise<void> {
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { mode } = await source.stat()
    const target = await open(
      `${path}${GZIPPED}`,
      constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY | constants.O_NOFOLLOW,
      mode & 0o777,
    )
    await pipeline(createReadStream(path, { fd: source, autoClose: false }), createGzip(), target.createWriteStream())
  } catch (error) {
    await rm(`${path}${GZIPPED}`, { force: true })
    throw error
  } finally {
    await source.close()
  }
  await rm(path)
}
