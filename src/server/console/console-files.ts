import { basename, join } from 'node:path'
import { readProgramFile } from '../../lib/program-files.ts'

/** Directory of the page's files: beside the bundle, or the output of `make build` when the sources run directly. */
const DIRECTORY =
  basename(import.meta.dirname) === 'console' ? join(import.meta.dirname, '../../../dist/console') : join(import.meta.dirname, 'console')

/** Media types of the files, by name. Other files are not served. */
const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** A file of the page with its media type. */
export interface ConsoleFile {
  readonly type: string
  readonly bytes: Buffer
}

/** Files of the page, by name. Each is read at its first request and cached. */
export class ConsoleFiles {
  readonly #read = new Map<string, ConsoleFile>()

  /** Returns undefined if there is no such file. */
  get(name: string): ConsoleFile | undefined {
    const kept = this.#read.get(name)
    if (kept !== undefined) return kept
    const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
    if (type === undefined) return undefined
    const file = { type, bytes: Buffer.from(readProgramFile(join(DIRECTORY, name))) }
    this.#read.set(name, file)
    return file
  }
}
