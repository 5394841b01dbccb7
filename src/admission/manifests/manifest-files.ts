import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { readConfigFile } from '../../lib/bounded-input.ts'
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

/** Reads the manifest files of a directory, in the order of their names. Subdirectories and other files are ignored. Throws an Error with kube-apiserver's message. */
export async function readManifestFiles(directory: string): Promise<ManifestFiles> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw new Error(`failed to read manifest directory ${quote(directory)}: ${errorMessage(error)}`)
  })
  const names = entries.filter(entry => !entry.isDirectory() && EXTENSIONS.has(extname(entry.name).toLowerCase())).map(({ name }) => name)
  const files: ManifestDocument[] = []
  for (const name of names.sort(compareText)) {
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

const SEPARATOR = '---'
const SEPARATOR_LINE = `\n${SEPARATOR}`

/** Splits files at the lines that begin with three dashes, in steps. Documents of white space alone are skipped. Throws an Error with kube-apiserver's message. */
export function* manifestDocuments(files: readonly ManifestDocument[]): Steps<ManifestDocument[]> {
  const documents: ManifestDocument[] = []
  for (const { file, bytes } of files) {
    const add = (start: number, end: number): void => {
      const text = bytes.toString('utf8', start, end).trim()
      if (text !== '') documents.push({ file, bytes: Buffer.from(text) })
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

/** Returns the start of the next line that begins with three dashes, or the length of the file if there is none. */
function separatorAfter(bytes: Buffer, at: number): number {
  const found = bytes.indexOf(SEPARATOR_LINE, at)
  return found < 0 ? bytes.length : found + 1
}
