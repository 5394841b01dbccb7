import { dirname, join } from 'node:path'
import type { SourceFile } from './source-files.ts'

const IMPORT = /^(?:import|export)\b[^'";]*from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/**
 * Paths of the files that a file imports, from the root of the repository. Imports of packages are omitted, imports of
 * types are not.
 */
export const importsOf = ({ path, text }: SourceFile): string[] =>
  [...text.matchAll(IMPORT)].map(([, from, bare, called]) => join(dirname(path), (from ?? bare ?? called) as string))
