import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readConfigText } from './bounded-input.ts'
import { errorCode } from './error-code.ts'
import { refuseFile } from './refuse-file.ts'

/**
 * Writes files that only their owner may read and write. A file is first written next to its destination, under an
 * unpredictable name that must not exist, so that neither a link nor an existing file determines where the bytes go or
 * who can read them. It is synced and then renamed to its destination.
 */

const MODE = 0o600
const DIRECTORY_MODE = 0o700

const draftOf = (file: string): string => `${file}.${randomUUID()}.tmp`

const hasCode = (error: unknown, code: string): boolean => errorCode(error) === code

/**
 * Creates a directory and its parents with access for the owner only. An existing directory is left unchanged; a file
 * in its place is an Error. Creates them one by one: Node's recursive mkdir never ends if none can be created, as below
 * /proc.
 */
export function makePrivateDirectory(directory: string): void {
  refuseFile(directory)
  if (existsSync(directory)) return
  const above = dirname(directory)
  if (above !== directory) makePrivateDirectory(above)
  try {
    mkdirSync(directory, { mode: DIRECTORY_MODE })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** Writes a file and replaces an existing one. A link is replaced itself, not its target. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await withDraft(file, text, draft => rename(draft, file))
}

/** Writes a file unless it exists. Resolves with the content that the file then has. */
export async function keepPrivate(file: string, text: string): Promise<string> {
  let kept = text
  await withDraft(file, text, async draft => {
    try {
      await link(draft, file)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      kept = await readConfigText(file)
    }
  })
  return kept
}

/**
 * Writes a draft next to the file, with access for the owner only, which `place` moves to the file's name. A draft that
 * is left over is removed.
 */
export async function withDraft(
  file: string,
  content: string | Buffer | AsyncIterable<Buffer>,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = draftOf(file)
  const handle = await open(draft, 'wx', MODE)
  try {
    try {
      for await (const piece of typeof content === 'string' || Buffer.isBuffer(content) ? [content] : content) await handle.writeFile(piece)
      await handle.sync()
    } catch (error) {
      throw hasCode(error, 'ENOSPC')
        ? Object.assign(new Error(`${file} cannot be written: no space left on device`, { cause: error }), { code: 'ENOSPC' })
        : error
    } finally {
      await handle.close()
    }
    await place(draft)
    syncDirectory(dirname(file))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Makes the entries of a directory durable. Has no effect on Windows, which cannot sync a directory. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
