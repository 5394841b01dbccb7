import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TypesFile, TypesFiles } from './types-file.ts'

/** Paths of the tables that name releases, besides the declarations below `src/api`. */
export const TABLE_PATHS = {
  release: 'src/lifecycle/release.ts',
  packages: 'src/api/packages.ts',
  gates: 'src/lifecycle/gate-table.ts',
  kinds: 'src/lifecycle/kinds.ts',
  storage: 'src/lifecycle/storage-versions.ts',
} as const

/** Texts of the tables of a checkout, by their paths. */
export type Tables = ReadonlyMap<string, string>

/** Reads the tables of a checkout. @param root its folder */
export function readTables(root: string): Map<string, string> {
  const declarations = readdirSync(join(root, 'src/api'), { recursive: true, encoding: 'utf8' })
    .filter(file => /^[\w-]+\/v\w+\.types$/.test(file))
    .map(file => `src/api/${file}`)
    .sort()
  return new Map([...Object.values(TABLE_PATHS), ...declarations].map(path => [path, readFileSync(join(root, path), 'utf8')]))
}

/** Writes the tables to a checkout. Declarations that are no longer in them are removed. */
export function writeTables(root: string, tables: Tables): void {
  if (existsSync(join(root, 'src/api'))) for (const path of readTables(root).keys()) if (!tables.has(path)) rmSync(join(root, path))
  for (const [path, text] of tables) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

/** Returns the text of a table. */
export const tableText = (tables: Tables, table: keyof typeof TABLE_PATHS): string => tables.get(TABLE_PATHS[table]) ?? ''

/** Returns the declarations of the tables, to be edited. */
export const typesIn = (tables: Tables): TypesFiles =>
  new TypesFiles(
    [...tables]
      .filter(([path]) => path.endsWith('.types'))
      .map(([path, text]) => new TypesFile(path.slice('src/api/'.length, -'.types'.length), text)),
  )

/** Replaces the declarations of tables. */
export function withTypes(tables: Tables, files: TypesFiles): Map<string, string> {
  const others = [...tables].filter(([path]) => !path.endsWith('.types'))
  const declarations = files.all().map((file): [string, string] => [`src/api/${file.path}.types`, file.text()])
  return new Map([...others, ...declarations.sort(([a], [b]) => (a < b ? -1 : 1))])
}
