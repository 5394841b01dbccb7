import { importsOf } from './imports.ts'
import type { SourceFile } from './source-files.ts'

/**
 * Floors of `src`, from the top. A folder imports only from lower floors: folders on one floor do not import each
 * other.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['main.ts', 'bundle.ts'],
  ['check', 'explore'],
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
  ['cluster'],
  ['lifecycle', 'clients'],
  ['apply'],
  ['codec', 'cel'],
  ['schema'],
  ['meta', 'protocols'],
  ['api'],
  ['lib'],
]

/**
 * Folders of `src` that no other folder imports, each with the only files of other folders that it imports. The console
 * runs in browsers, so those are helpers that only compute.
 */
export const SEPARATE: Readonly<Record<string, readonly string[]>> = { console: ['src/lib/human-duration.ts', 'src/lib/line-diff.ts'] }

/** Folder below `src`, or the file itself if it is in no folder. Undefined outside `src`. */
const folderOf = (path: string): string | undefined => /^src\/([^/]+)/.exec(path)?.[1]

/** Reports imports that do not point downward, and folders without a floor. */
export function floorProblems(files: readonly SourceFile[]): string[] {
  const floors = new Map(FLOORS.flatMap((folders, floor) => folders.map(folder => [folder, floor] as const)))
  const missing = new Set(
    files.flatMap(({ path }) => folderOf(path) ?? []).filter(folder => !floors.has(folder) && SEPARATE[folder] === undefined),
  )
  const problems = [...missing].map(folder => `src/${folder} is on no floor: add it to hack/support/floors.ts`)
  for (const file of files)
    for (const imported of importsOf(file)) {
      const from = folderOf(file.path)
      const to = folderOf(imported)
      if (from === undefined || from === to || missing.has(from) || SEPARATE[from]?.includes(imported)) continue
      const isBelow = to !== undefined && (floors.get(from) ?? Number.POSITIVE_INFINITY) < (floors.get(to) ?? Number.NEGATIVE_INFINITY)
      if (!isBelow)
        problems.push(`${file.path} imports ${imported}: ${to === undefined ? 'it is outside src' : `src/${to} is not below src/${from}`}`)
    }
  return problems
}
