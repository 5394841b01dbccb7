import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldKey } from '../../src/schema/idl-syntax.ts'
import { type Declaration, type FieldDeclaration, isScalar, type PackageFile, readDeclarations } from './declarations.ts'

export interface DeclarationText {
  readonly file: string
  readonly text: string
}

/** Every file of declarations below `src`, by its path from the root of the repository. */
export const declarationTexts = (root: string): DeclarationText[] =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.types'))
    .sort()
    .map(file => ({ file: `src/${file}`, text: readFileSync(join(root, 'src', file), 'utf8') }))

/** Every file of declarations, and what is wrong with them: `file:line: message`. */
export function checkDeclarations(texts: readonly DeclarationText[]): {
  readonly packages: readonly PackageFile[]
  readonly errors: readonly string[]
} {
  const errors: string[] = []
  const packages = texts.map(({ file, text }) =>
    readDeclarations(file, text, (line, message) => errors.push(`${file}:${line}: ${message}`)),
  )
  const byId = new Map<string, PackageFile>()
  for (const pkg of packages) {
    if (byId.has(pkg.id)) errors.push(`${pkg.file}:1: the package ${pkg.id} is declared in ${byId.get(pkg.id)?.file}, too`)
    byId.set(pkg.id, pkg)
  }
  for (const pkg of packages) for (const declaration of pkg.declarations.values()) errors.push(...checkDeclaration(byId, pkg, declaration))
  return { packages, errors }
}

type Packages = ReadonlyMap<string, PackageFile>

/**
 * A field as a type has it: its own, or that of the type that it is like. `scope`: the packages in which its type is
 * looked up, in turn.
 */
interface ScopedField {
  readonly field: FieldDeclaration
  readonly scope: readonly PackageFile[]
}

function checkDeclaration(packages: Packages, pkg: PackageFile, declaration: Declaration): string[] {
  const errors: string[] = []
  const report = (line: number, message: string): void => {
    errors.push(`${pkg.file}:${line}: ${message}`)
  }
  if (declaration.like !== undefined && modelOf(packages, declaration.like) === undefined) {
    report(declaration.line, `${declaration.name} is like ${declaration.like}, which is not a type`)
    return errors
  }
  const numbers = new Map<number, string>()
  for (const { field, scope } of fieldsOf(packages, pkg, declaration, new Set())) {
    const own = scope[0] === pkg && scope.length === 1
    const line = own ? field.line : declaration.line
    if (resolve(packages, scope, field.type) === undefined)
      report(line, `${declaration.name}.${field.name || 'inline'}: unknown type ${field.type}`)
    // Upstream states keys of StorageVersionMigrationList's items that are none; in a list of objects they only show in
    // OpenAPI.
    if (!declaration.name.endsWith('List'))
      checkKeys(packages, scope, field, message => report(line, `${declaration.name}.${field.name}: ${message}`))
    if (field.number === undefined) continue
    const other = numbers.get(field.number)
    if (other !== undefined && other !== field.name)
      report(line, `${declaration.name}: ${field.name || 'inline'} has the number ${field.number} of ${other || 'inline'}`)
    numbers.set(field.number, field.name)
  }
  return errors
}

/** Keys of lists that are maps, and of patches that merge, must be fields of the items. */
function checkKeys(packages: Packages, scope: readonly PackageFile[], field: FieldDeclaration, report: (message: string) => void): void {
  for (const mark of field.marks) {
    const keys = /^(?:map|merge)\((.+)\)$/.exec(mark)?.[1]?.split(',') ?? []
    const found = keys.length > 0 ? resolve(packages, scope, field.type) : undefined
    if (found === undefined || found === 'scalar') {
      if (found === 'scalar') report(`the items of ${mark} have no fields`)
      continue
    }
    const names = namesOf(packages, found.pkg, found.declaration)
    for (const key of keys) if (!names.has(key)) report(`${field.type} has no field ${key}`)
  }
}

/** Every JSON name of a type, those of inlined messages included. */
function namesOf(packages: Packages, pkg: PackageFile, declaration: Declaration): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { field, scope } of fieldsOf(packages, pkg, declaration, new Set())) {
    const inner = field.name === '' ? resolve(packages, scope, field.type) : undefined
    if (inner === undefined || inner === 'scalar') names.add(field.name)
    else for (const name of namesOf(packages, inner.pkg, inner.declaration)) names.add(name)
  }
  return names
}

/** The fields of a type with those of the type that it is like; what is like itself has none. */
function fieldsOf(packages: Packages, pkg: PackageFile, declaration: Declaration, seen: Set<Declaration>): ScopedField[] {
  const own = declaration.fields.map((field): ScopedField => ({ field, scope: [pkg] }))
  const model = declaration.like === undefined || seen.has(declaration) ? undefined : modelOf(packages, declaration.like)
  if (model === undefined) return own
  seen.add(declaration)
  const replaced = new Set(own.map(({ field }) => fieldKey(field)))
  const kept = fieldsOf(packages, model.pkg, model.declaration, seen).filter(({ field }) => !replaced.has(fieldKey(field)))
  return [...kept.map(({ field, scope }) => ({ field, scope: [pkg, ...scope] })), ...own]
}

interface Found {
  readonly pkg: PackageFile
  readonly declaration: Declaration
}

function modelOf(packages: Packages, id: string): Found | undefined {
  const [name, type = ''] = id.split('.')
  const pkg = packages.get(name ?? '')
  const declaration = pkg?.declarations.get(type)
  return pkg && declaration?.kind === 'type' ? { pkg, declaration } : undefined
}

/** Resolves the name of a type: the first package in scope that declares it wins. */
function resolve(packages: Packages, scope: readonly PackageFile[], type: string): Found | 'scalar' | undefined {
  if (isScalar(type)) return 'scalar'
  const [name, ...rest] = type.split('.')
  const candidates = rest.length === 0 ? scope : [packages.get(name ?? '')]
  for (const pkg of candidates) {
    const declaration = pkg?.declarations.get(rest[0] ?? type)
    if (pkg && declaration) return { pkg, declaration }
  }
  return undefined
}
