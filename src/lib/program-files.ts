import { readdirSync, readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

/** Asset of a single executable that lists the other assets, because Node 20 cannot. */
const LIST = 'files.json'

/**
 * Reads a file of the program, whose path begins with a module's `import.meta.dirname`. In a single executable it is
 * the asset with that path as its name.
 */
export const readProgramFile = (path: string): string => (isSea() ? getAsset(path, 'utf8') : readFileSync(path, 'utf8'))

/** Returns the names of the program's files in a folder. */
export function programFilesIn(folder: string): string[] {
  if (!isSea()) return readdirSync(folder)
  const names = JSON.parse(getAsset(LIST, 'utf8')) as string[]
  return names.filter(name => name.startsWith(`${folder}/`)).map(name => name.slice(folder.length + 1))
}
