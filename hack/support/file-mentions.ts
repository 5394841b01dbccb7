import { basename, dirname, join } from 'node:path/posix'
import type { SourceFile } from './source-files.ts'

/** A file in backticks: `exchange.ts`, `filters/why.ts`, `../lib/steps.ts`. */
const MENTION = /`([\w./-]+\.tsx?)`/g

/**
 * Reports files that a README of `src` names in backticks and that do not exist. A path is relative to the folder of
 * the README, to `src` or to the root; a name alone may be that of any file below the folder. `files`: all files, by
 * their paths from the root.
 */
export function mentionProblems(readmes: readonly SourceFile[], files: readonly string[]): string[] {
  const known = new Set(files)
  return readmes.flatMap(({ path, text }) => {
    const folder = dirname(path)
    const below = new Set(files.filter(file => file.startsWith(`${folder}/`)).map(file => basename(file)))
    const isFound = (name: string): boolean => below.has(name) || [folder, 'src', '.'].some(base => known.has(join(base, name)))
    return [...text.matchAll(MENTION)].flatMap(([, name = '']) => (isFound(name) ? [] : [`${path} names ${name}, which does not exist`]))
  })
}
