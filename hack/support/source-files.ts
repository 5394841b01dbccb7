import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface SourceFile {
  /** Path from the root of the repository: `src/lib/clock.ts`. */
  readonly path: string
  readonly text: string
}

/** The TypeScript files of a folder of the repository. */
export const sourceFiles = (folder: string): SourceFile[] => filesOf(folder, /\.tsx?$/)

/** Files of a folder of the repository, or of its root alone (`.`), whose names match, by name. */
export function filesOf(folder: string, names: RegExp): SourceFile[] {
  const found = readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).filter(
    name => names.test(name) && !/\bnode_modules\b/.test(name),
  )
  return found.sort().map(name => {
    const path = join(ROOT, folder, name)
    return { path: relative(ROOT, path), text: readFileSync(path, 'utf8') }
  })
}

/** Prints what is wrong, if anything, and ends the process. */
export function report(what: string, problems: readonly string[]): never {
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${what}: none` : `${what}: ${problems.length}`)
  process.exit(problems.length === 0 ? 0 : 1)
}
