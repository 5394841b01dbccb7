import { importsOf } from './imports.ts'
import type { SourceFile } from './source-files.ts'

/** Floors of `src`, from the top. A folder imports only from lower floors: folders on one floor do not import each other. */
export const FLOORS: readonly (readonly string[])[] = [
  ['main.ts', 'bundle.ts'],
  ['testing'],
  ['process', 'commands'],
  ['upgrade'],
  ['control-plane'],
  ['config'],
  ['server'],
  ['extensions'],
  ['controllers'],
  ['resources', 'endpoints'],
  ['audit', 'why', 'flow', 'faults'],
  ['admission', 'auth'],
  ['registry'],
  ['catalog'],
  ['storage'],
  ['lifecycle', 'clients'],
  ['apply'],
  ['codec', 'cel'],
  ['schema'],
  ['meta', 'protocols'],
  ['lib'],
]

/** Folders of `src` that import no other folder, and that no other folder imports. */
export const SEPARATE: readonly string[] = ['console']

/** Folder below `src`, or the file itself if it is in no folder. Undefined outside `src`. */
const folderOf = (path: string): string | undefined => /^src\/([^/]+)/.exec(path)?.[1]

/** Reports imports that do not point downward, and folders without a floor. */
export function floorProblems(files: readonly SourceFile[]): string[] {
  const floors = new Map(FLOORS.flatMap((folders, floor) => folders.map(folder => [folder, floor] as const)))
  const missing = new Set(files.flatMap(({ path }) => folderOf(path) ?? []).filter(folder => !floors.has(folder) && !SEPARATE.includes(folder)))
  const problems = [...missing].map(folder => `src/${folder} is on no floor: add it to hack/support/floors.ts`)
  for (const file of files)
    for (const imported of importsOf(file)) {
      const from = folderOf(file.path)
      const to = folderOf(imported)
      if (from === undefined || from === to || missing.has(from)) continue
      const isBelow = to !== undefined && (floors.get(from) ?? Number.POSITIVE_INFINITY) < (floors.get(to) ?? Number.NEGATIVE_INFINITY)
      if (!isBelow) problems.push(`${file.path} imports ${imported}: ${to === undefined ? 'it is outside src' : `src/${to} is not below src/${from}`}`)
    }
  return problems
}
