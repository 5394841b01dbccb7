import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { compareText } from '../../lib/compare-text.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { quote } from '../../lib/go-quote.ts'

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

/** A document of a manifest file, YAML or JSON. */
export interface ManifestDocument {
  readonly file: string
  readonly bytes: Buffer
}

/** Content of a directory of manifests. */
export interface ManifestFiles {
  readonly documents: readonly ManifestDocument[]
  /** Hash of the files, as `sha256:` and hexadecimal digits. Empty if there are none. */
  readonly hash: string
}

/** Reads the manifest files of a directory, in the order of their names. Subdirectories and other files are ignored. Throws an Error with kube-apiserver's message. */
export async function readManifestFiles(directory: string): Promise<ManifestFiles> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw new Error(`failed to read manifest directory ${quote(directory)}: ${errorMessage(error)}`)
  })
  const names = entries.filter(entry => !entry.isDirectory() && EXTENSIONS.has(extname(entry.name).toLowerCase())).map(({ name }) => name)
  const hash = createHash('sha256')
  const documents: ManifestDocument[] = []
  let isEmpty = true
  for (const name of names.sort(compareText)) {
    const file = join(directory, name)
    const bytes = await readFile(file).catch((error: unknown) => {
      throw new Error(`failed to read file ${quote(file)}: ${errorMessage(error)}`)
    })
    if (bytes.length === 0) continue
    isEmpty = false
    hash.update(bytes).update('\0')
    documents.push(...manifestDocuments(file, bytes))
  }
  return { documents, hash: isEmpty ? '' : `sha256:${hash.digest('hex')}` }
}

const SEPARATOR = '---'

/** Splits a file at the lines that begin with three dashes. Documents of white space alone are skipped. */
function manifestDocuments(file: string, bytes: Buffer): ManifestDocument[] {
  const documents: string[] = []
  let lines: string[] = []
  for (const line of bytes.toString().split('\n')) {
    if (line.startsWith(SEPARATOR)) {
      const rest = line.slice(SEPARATOR.length).trim()
      if (rest !== '' && !rest.startsWith('#'))
        throw new Error(`failed to split YAML documents in file ${quote(file)}: invalid Yaml document separator: ${rest}`)
      documents.push(lines.join('\n'))
      lines = []
    } else lines.push(line)
  }
  documents.push(lines.join('\n'))
  return documents.filter(text => text.trim() !== '').map(text => ({ file, bytes: Buffer.from(text.trim()) }))
}
