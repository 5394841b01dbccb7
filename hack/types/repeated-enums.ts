import type { SourceFile } from '../support/source-files.ts'
import type { PackageFile } from './declarations.ts'

const LIST = /\[\s*((?:'[\w.]+',?\s*){2,})\]/g
const WORD = /'([^']+)'/g

const setOf = (values: readonly string[]): string => [...new Set(values)].sort().join(' ')

/** Returns an error for each list in the sources that repeats the values of a declared enum, in any order. */
export function repeatedEnums(packages: readonly PackageFile[], sources: readonly SourceFile[]): string[] {
  const enums = new Map(
    packages.flatMap(({ id, declarations }) =>
      [...declarations.values()].flatMap(({ name, values = [] }): [string, string][] =>
        values.length > 1 ? [[setOf(values), `${id}.${name}`]] : [],
      ),
    ),
  )
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(LIST)].flatMap(({ 1: items = '', index }) => {
      const id = enums.get(setOf([...items.matchAll(WORD)].map(([, word = '']) => word)))
      return id === undefined ? [] : [`${path}:${text.slice(0, index).split('\n').length}: repeats the values of ${id}: use enumValues`]
    }),
  )
}
