import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { ManifestError, type ManifestFile, manifestFiles, readManifests } from '../../manifests.ts'

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

/** Number of invalid documents after which the rest of a file is skipped. */
const MOST_FAULTS = 20
/** Limit on the characters that are read again, since the text is parsed again after each invalid document. */
const MOST_READ_AGAIN = 16 << 20

/**
 * Reads a file without failing as a whole for an invalid document. A file that was found in a folder and has no
 * manifests is empty. `first` reads the file.
 */
export function readReportedFile(name: string, isNamed: boolean, first: () => ManifestFile): ReportedFile {
  const faults: UnreadPart[] = []
  let read = first
  for (;;)
    try {
      return { file: read(), faults }
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error
      const { text = '', line, isTemplate } = error
      if (text !== '' && !isNamed && !isManifest(name, text)) return { faults }
      const isLast = line === undefined || isTemplate || faults.length >= Math.min(MOST_FAULTS, MOST_READ_AGAIN / text.length)
      const [rest, unread] = isLast ? ['', text] : withoutDocumentAt(text, line)
      faults.push({ error, unread })
      if (isLast) return { faults }
      read = () => readManifests(name, rest)
    }
}

/** A JSON file is a manifest only if it contains an apiVersion, since JSON is used for much other data. */
const isManifest = (name: string, text: string): boolean =>
  NAME.test(basename(name)) && (!name.endsWith('.json') || text.includes('apiVersion'))

/**
 * Splits a text into the document at a line, and all others. Blanks replace what is removed, so that offsets do not
 * change.
 */
function withoutDocumentAt(text: string, line: number): [rest: string, document: string] {
  const lines = text.split('\n')
  const isEnd = (i: number): boolean => /^(?:---|\.\.\.)/.test(lines[i] ?? '---')
  // An unclosed construct is reported at the end of its document.
  let first = Math.min(line, lines.length) - (/^(?:---|\.\.\.)\s*$/.test(lines[line - 1] ?? '') ? 2 : 1)
  while (first > 0 && !isEnd(first)) first--
  let next = first + 1
  while (!isEnd(next)) next++
  const blankUnless = (isKept: (i: number) => boolean): string =>
    lines.map((each, i) => (isKept(i) ? each : each.replace(/[^\r]/g, ' '))).join('\n')
  return [blankUnless(i => i < first || i >= next), blankUnless(i => i >= first && i < next)]
}
