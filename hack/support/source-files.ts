import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface SourceFile {
  /** From the root of the repository: `src/lib/clock.ts`. */
  readonly path: string
  readonly text: string
}

/** The TypeScript files of a folder of the repository. */
export function sourceFiles(folder: string): SourceFile[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  return names.sort().map(name => {
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
