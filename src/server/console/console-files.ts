import { basename, join } from 'node:path'
import { readProgramFile } from '../../lib/program-files.ts'

/** Beside the bundle, or, where this module runs as it is, what `make build` has made. */
const DIRECTORY = basename(import.meta.dirname) === 'console' ? join(import.meta.dirname, '../../../dist/console') : join(import.meta.dirname, 'console')

/** What is served, by its path, with its media type. */
const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

export interface ConsoleFile {
  readonly type: string
  readonly bytes: Buffer
}

/** The files of the page, by their names. They are read when they are first asked for, and are kept. */
export class ConsoleFiles {
  readonly #read = new Map<string, ConsoleFile>()

  /** Undefined: there is no such file. */
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
