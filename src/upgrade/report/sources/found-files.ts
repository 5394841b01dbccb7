import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { ManifestError, type ManifestFile, manifestFiles, readManifests } from '../../manifests.ts'

/** `a.yaml.tmpl` and `b.yml.in` are manifests by their names, too. */
const NAME = /\.(?:ya?ml|json)(?:\.|$)/

/** Of a file with another name, this much is looked at, in bytes, and it is no longer than that. */
const HEAD = 65_536
const LARGEST = 16 << 20

/** A file says what it is: the version and the kind of an object at the start of lines, of an item of a list, or anywhere in JSON. */
const looksLikeManifest = (text: string): boolean =>
  /^(?:- *)?["']?apiVersion["']?\s*:|"apiVersion"\s*:/m.test(text) && /^(?:- *)?["']?kind["']?\s*:|"kind"\s*:/m.test(text)

/** The first bytes of a file as text; nothing of one that is no text, or that may not be read. */
function headOf(path: string): string {
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

/** Files of manifests that a report is about: those of folders by name, and others that have an object of the API in their first lines. */
export const reportedFiles = (paths: readonly string[]): string[] => manifestFiles(paths, path => NAME.test(basename(path)) || looksLikeManifest(headOf(path)))

/** What a file has, and what of it can't be read. */
export interface ReportedFile {
  readonly file?: ManifestFile
  readonly faults: readonly Fault[]
}

export interface Fault {
  readonly error: ManifestError
  /** What is not read: the text of the file, blank elsewhere. */
  readonly unread: string
}

/** As many documents of a file may be no YAML before the rest of it is left. */
const MOST_FAULTS = 20
/** The text is read again after each; so many characters are, altogether. */
const MOST_READ_AGAIN = 16 << 20

/** A document that can't be read takes no other with it. A file that was found and is none of manifests has nothing. `first` reads it. */
export function readReportedFile(name: string, isNamed: boolean, first: () => ManifestFile): ReportedFile {
  const faults: Fault[] = []
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

/** Data is often kept in JSON, of several kinds. */
const isManifest = (name: string, text: string): boolean => NAME.test(basename(name)) && (!name.endsWith('.json') || text.includes('apiVersion'))

/** The document with the line, and all others; blanks take the place of what is missing, so that everything stands where it stood. */
function withoutDocumentAt(text: string, line: number): [rest: string, document: string] {
  const lines = text.split('\n')
  const isEnd = (i: number): boolean => /^(?:---|\.\.\.)/.test(lines[i] ?? '---')
  // What a document leaves open is missed at its end.
  let first = Math.min(line, lines.length) - (/^(?:---|\.\.\.)\s*$/.test(lines[line - 1] ?? '') ? 2 : 1)
  while (first > 0 && !isEnd(first)) first--
  let next = first + 1
  while (!isEnd(next)) next++
  const blankUnless = (isKept: (i: number) => boolean): string => lines.map((each, i) => (isKept(i) ? each : each.replace(/[^\r]/g, ' '))).join('\n')
  return [blankUnless(i => i < first || i >= next), blankUnless(i => i >= first && i < next)]
}
