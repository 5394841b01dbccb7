import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { readConfigFile } from '../../lib/bounded-input.ts'
import { steadyClock } from '../../lib/clock.ts'
import { compareText } from '../../lib/compare-text.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { quote } from '../../lib/go-quote.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'

/** Limit of a manifest file in bytes. It may have any number of documents. */
const MANIFEST_BYTES = 64 * 1024 * 1024
const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

/** A manifest file, or a document of one, in YAML or JSON. */
export interface ManifestDocument {
  readonly file: string
  readonly bytes: Buffer
}

/** Content of a directory of manifests. */
export interface ManifestFiles {
  /** The files that are not empty. */
  readonly files: readonly ManifestDocument[]
  /** Hash of the files, as `sha256:` and hexadecimal digits. Empty if there are none. */
  readonly hash: string
}

/** Milliseconds after which a file is read even if its times are unchanged. */
const READ_ANYWAY_MS = 60_000
/**
 * Age in milliseconds below which the times of a file do not show every change, because clocks of file systems are
 * coarse.
 */
const SETTLED_MS = 2_000

/**
 * A directory of manifests that is read repeatedly. Its files are read again if a name, or the device, inode, size or
 * times of a file have changed, and once a minute.
 */
export class ManifestDirectory {
  readonly #directory: string
  readonly #settledMs: number
  #known: { readonly stamp: string; readonly content: ManifestFiles; readonly readAt: number } | undefined

  /** @param settledMs age in milliseconds from which the times of a file are trusted */
  constructor(directory: string, settledMs = SETTLED_MS) {
    this.#directory = directory
    this.#settledMs = settledMs
  }

  /** Returns the same object if nothing has changed. Throws an Error as `readManifestFiles`. */
  async read(): Promise<ManifestFiles> {
    const stamp = await stampOf(this.#directory, Date.now() - this.#settledMs)
    const now = steadyClock.now()
    const known = this.#known
    if (known && known.stamp === stamp && now - known.readAt < READ_ANYWAY_MS) return known.content
    this.#known = undefined
    const content = await readManifestFiles(this.#directory)
    // A change after the stamp was taken gives another stamp.
    if (stamp !== undefined) this.#known = { stamp, content, readAt: now }
    return content
  }
}

/**
 * Returns a text that changes with the manifest files of a directory. Links are followed, so it changes when the
 * directory behind the link of a ConfigMap volume is replaced. Undefined if a file has changed after `since`, or cannot
 * be read.
 */
async function stampOf(directory: string, since: number): Promise<string | undefined> {
  try {
    const stamps: string[] = []
    for (const name of await manifestNames(directory)) {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(join(directory, name), { bigint: true })
      if (Number(ctimeNs / 1_000_000n) > since) return undefined
      stamps.push(`${JSON.stringify(name)} ${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`)
    }
    return stamps.join('\n')
  } catch {
    return undefined
  }
}

/** Returns the names of the manifest files of a directory, in order. */
async function manifestNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  return entries
    .filter(entry => !entry.isDirectory() && EXTENSIONS.has(extname(entry.name).toLowerCase()))
    .map(({ name }) => name)
    .sort(compareText)
}

/**
 * Reads the manifest files of a directory, in the order of their names. Subdirectories and other files are ignored.
 * Throws an Error with kube-apiserver's message.
 */
export async function readManifestFiles(directory: string): Promise<ManifestFiles> {
  const names = await manifestNames(directory).catch((error: unknown) => {
    throw new Error(`failed to read manifest directory ${quote(directory)}: ${errorMessage(error)}`)
  })
  const files: ManifestDocument[] = []
  for (const name of names) {
    const file = join(directory, name)
    const bytes = await readManifest(file).catch((error: unknown) => {
      throw new Error(`failed to read file ${quote(file)}: ${errorMessage(error)}`)
    })
    if (bytes.length > 0) files.push({ file, bytes })
  }
  return { files, hash: files.length === 0 ? '' : await runInTurns(hashOf(files)) }
}

/** Reads a file. Refuses a pipe or a device, which may never end. */
async function readManifest(file: string): Promise<Buffer> {
  const found = await stat(file)
  if (!found.isFile() && !found.isDirectory()) throw new Error('not a regular file')
  return readConfigFile(file, MANIFEST_BYTES)
}

/** Bytes that are hashed in one step. */
const HASHED_BYTES = 256 * 1024

function* hashOf(files: readonly ManifestDocument[]): Steps<string> {
  const hash = createHash('sha256')
  for (const { bytes } of files) {
    for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
      hash.update(bytes.subarray(at, at + HASHED_BYTES))
      yield
    }
    hash.update('\0')
  }
  return `sha256:${hash.digest('hex')}`
}

/** Bytes of a document that are copied in one step. */
const COPIED_BYTES = 64 * 1024
const SEPARATOR = '---'
const SEPARATOR_LINE = `\n${SEPARATOR}`

/**
 * Splits files at the lines that begin with three dashes, in steps. Documents of white space alone are skipped. Throws
 * an Error with kube-apiserver's message.
 */
export function* manifestDocuments(files: readonly ManifestDocument[]): Steps<ManifestDocument[]> {
  const documents: ManifestDocument[] = []
  for (const { file, bytes } of files) {
    const add = (start: number, end: number): void => {
      const document = trimmed(bytes.subarray(start, end))
      if (document.length > 0) documents.push({ file, bytes: document })
    }
    let start = 0
    let separator = bytes.toString('utf8', 0, SEPARATOR.length) === SEPARATOR ? 0 : separatorAfter(bytes, 0)
    while (separator < bytes.length) {
      const newline = bytes.indexOf('\n', separator)
      const end = newline < 0 ? bytes.length : newline
      const rest = bytes.toString('utf8', separator + SEPARATOR.length, end).trim()
      if (rest !== '' && !rest.startsWith('#'))
        throw new Error(`failed to split YAML documents in file ${quote(file)}: invalid Yaml document separator: ${rest}`)
      add(start, separator)
      start = end
      separator = separatorAfter(bytes, end)
      yield
    }
    add(start, bytes.length)
    yield
  }
  return documents
}

/** Removes white space at both ends. Only spaces of ASCII are removed from a long text, which is not copied. */
function trimmed(text: Buffer): Buffer {
  if (text.length <= COPIED_BYTES) return Buffer.from(text.toString('utf8').trim())
  const isSpace = (byte: number | undefined): boolean => byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
  let [start, end] = [0, text.length]
  while (start < end && isSpace(text[start])) start++
  while (end > start && isSpace(text[end - 1])) end--
  return text.subarray(start, end)
}

/** Returns the start of the next line that begins with three dashes, or the length of the file if there is none. */
function separatorAfter(bytes: Buffer, at: number): number {
  const found = bytes.indexOf(SEPARATOR_LINE, at)
  return found < 0 ? bytes.length : found + 1
}
