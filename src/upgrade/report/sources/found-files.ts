import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { ManifestError, type ManifestFile, manifestFiles } from '../../manifests.ts'
import type { SourceError } from '../../source/nodes.ts'

/** Matches names of manifests, including `a.yaml.tmpl` and `b.yml.in`. */
const NAME = /\.(?:ya?ml|json)(?:\.|$)/

/** Number of bytes that are read from the start of any other file, and its largest size. */
const HEAD = 65_536
const LARGEST = 16 << 20

/**
 * Reports whether a text has the apiVersion and kind of an object: at the start of lines, in an item of a list, or
 * anywhere in JSON.
 */
const looksLikeManifest = (text: string): boolean =>
  /^(?:- *)?["']?apiVersion["']?\s*:|"apiVersion"\s*:/m.test(text) && /^(?:- *)?["']?kind["']?\s*:|"kind"\s*:/m.test(text)

/** Returns the first bytes of a file as text. Empty if it is not text or cannot be read. */
function fileHead(path: string): string {
  try {
    if (statSync(path).size > LARGEST) return ''
    const descriptor = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(HEAD)
      const head = bytes.subarray(0, readSync(descriptor, bytes, 0, HEAD, 0))
      return head.includes(0) ? '' : head.toString()
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return ''
  }
}

/**
 * Returns the manifest files for a report: those in folders by name, and others that contain an API object in their
 * first lines.
 */
export const reportedFiles = (paths: readonly string[]): string[] =>
  manifestFiles(paths, path => NAME.test(basename(path)) || looksLikeManifest(fileHead(path)))

/** Contents of a file, and the parts that cannot be read. */
export interface ReportedFile {
  readonly file?: ManifestFile
  readonly faults: readonly UnreadPart[]
}

/** A part of a file that cannot be read. */
export interface UnreadPart {
  readonly error: ManifestError
  /** Text of the part that was not read. The rest of the file is blank. */
  readonly unread: string
}

/** Number of invalid documents of a file that are reported. */
const MOST_FAULTS = 20

/**
 * Reads a file without failing as a whole for an invalid document. A file that was found in a folder and has no
 * manifests is empty. `read` adds errors of documents to its argument.
 */
export function readReportedFile(name: string, isNamed: boolean, read: (invalid: SourceError[]) => ManifestFile): ReportedFile {
  const invalid: SourceError[] = []
  try {
    const file = read(invalid)
    const { text } = file
    if (invalid.length > 0 && !isNamed && !isManifest(name, text)) return { faults: [] }
    const faults = invalid.slice(0, MOST_FAULTS).map(({ line, message, unread }) => ({
      error: new ManifestError(name, line, message, { text }),
      unread: blankAround(text, unread),
    }))
    return { file, faults }
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    const { text = '' } = error
    return { faults: text !== '' && !isNamed && !isManifest(name, text) ? [] : [{ error, unread: text }] }
  }
}

/** A JSON file is a manifest only if it contains an apiVersion, since JSON is used for much other data. */
const isManifest = (name: string, text: string): boolean =>
  NAME.test(basename(name)) && (!name.endsWith('.json') || text.includes('apiVersion'))

/** Replaces the text around a range by blanks, so that offsets and lines do not change. */
const blankAround = (text: string, { start, end }: SourceError['unread']): string =>
  text.slice(0, start).replace(/[^\r\n]/g, ' ') + text.slice(start, end)
