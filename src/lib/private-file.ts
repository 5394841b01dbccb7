import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { refuseFile } from './refuse-file.ts'

/**
 * Files that only their owner may read and write. Each is written beside its place, under a name that nobody can guess and that must not exist, so that neither a link nor a file that
 * someone has left there decides where the bytes go or who may read them. It takes its place in one step, when it is on the disk.
 */

const MODE = 0o600
const DIRECTORY_MODE = 0o700

const draftOf = (file: string): string => `${file}.${randomUUID()}.tmp`

const hasCode = (error: unknown, code: string): boolean => errorCode(error) === code

/**
 * Makes the directory, and those above it, for their owner only. One that is there stays as it is; a file in its place is an Error. One after the other: where none can be made, as below /proc, Node's own way of making
 * several never ends.
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

/** Replaces what is there: a link itself, not what it points to. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await withDraft(file, text, draft => rename(draft, file))
}

/** Writes the file unless something of that name is there already. Resolves with what is in it then. */
export async function keepPrivate(file: string, text: string): Promise<string> {
  let kept = text
  await withDraft(file, text, async draft => {
    try {
      await link(draft, file)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      kept = await readFile(file, 'utf8')
    }
  })
  return kept
}

/** Writes a draft beside the file, which only its owner may read; `place` moves it there. What it leaves behind is removed. */
export async function withDraft(file: string, content: string | AsyncIterable<Buffer>, place: (draft: string) => Promise<void>): Promise<void> {
  const draft = draftOf(file)
  const handle = await open(draft, 'wx', MODE)
  try {
    try {
      for await (const piece of typeof content === 'string' ? [content] : content) await handle.writeFile(piece)
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

/** Makes the names of files in it durable. Where the system cannot sync a directory (Windows), it need not. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
