/**
 * `update` writes the TypeScript of every file of declarations beside it; `verify` checks that what is written is
 * current. Both check the declarations first, as the build does, and that no code of a kind repeats the values of an
 * enum.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_IDS } from '../src/api/packages.ts'
import { TypeRegistry } from '../src/schema/idl.ts'
import { OF_VERSIONS } from './support/read-files.ts'
import { sourceFiles } from './support/source-files.ts'
import { checkDeclarations, declarationTexts } from './types/check.ts'
import type { PackageFile } from './types/declarations.ts'
import { declaredIn, interfacesOf } from './types/interfaces.ts'
import { repeatedEnums } from './types/repeated-enums.ts'

const root = join(import.meta.dirname, '..')
const { packages, errors } = checkDeclarations(declarationTexts(root))
if (errors.length > 0) fail(errors)

const types = new TypeRegistry()
for (const { id, file } of packages) types.addFile(id, join(root, file))
const declared = declaredIn(types, packages)
const stale = packages.flatMap(pkg => (process.argv[2] === 'update' ? write(pkg) : verify(pkg)))
stale.push(...unlisted(), ...repeatedEnums(packages, handWritten()))
if (stale.length > 0) fail(stale)

function write(pkg: PackageFile): string[] {
  if (!pkg.untyped) writeFileSync(join(root, `${pkg.file}.ts`), interfacesOf(declared, pkg))
  return []
}

function verify(pkg: PackageFile): string[] {
  const target = `${pkg.file}.ts`
  const written = existsSync(join(root, target)) ? readFileSync(join(root, target), 'utf8') : undefined
  if (pkg.untyped) return written === undefined ? [] : [`${target}: its package is untyped, remove it`]
  return written === interfacesOf(declared, pkg) ? [] : [`${target} is not that of ${pkg.file}: run hack/update-types`]
}

/** A package that `packages.ts` does not list is unknown to the server. */
function unlisted(): string[] {
  const listed = new Set<string>(PACKAGE_IDS)
  return packages.flatMap(({ id, file }) =>
    OF_VERSIONS.test(file) && !listed.has(id) ? [`${file}:1: the package ${id} is not in src/api/packages.ts`] : [],
  )
}

/** The code of kinds, without the generated TypeScript. */
function handWritten() {
  return sourceFiles('src/resources').filter(({ path }) => !path.endsWith('.types.ts'))
}

function fail(lines: readonly string[]): never {
  console.error(lines.join('\n'))
  process.exit(1)
}
