import { readdirSync, readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

/** The asset of an executable that lists the others, as Node 20 does not. */
const LIST = 'files.json'

/** Reads a file that belongs to the program: its path begins with a module's `import.meta.dirname`. In a single executable it is an asset, and the path its name. */
export const readProgramFile = (path: string): string => (isSea() ? getAsset(path, 'utf8') : readFileSync(path, 'utf8'))

/** The names of the files in such a folder. */
export function programFilesIn(folder: string): string[] {
  if (!isSea()) return readdirSync(folder)
  const names = JSON.parse(getAsset(LIST, 'utf8')) as string[]
  return names.filter(name => name.startsWith(`${folder}/`)).map(name => name.slice(folder.length + 1))
}
