import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** Modules that are declared in one text. */
export interface DeclaredModules {
  /** Modules whose exports the package has. */
  readonly modules: readonly string[]
  /** Optional. Modules of which the package has the types alone: their values are not exported. */
  readonly typesOf?: readonly string[]
}

/**
 * Returns the declarations of groups of modules by the names of the groups, as the compiler writes them. Throws an
 * Error if a group mentions types of other files, which are not part of the package.
 */
export function declarationsOf(root: string, groups: Readonly<Record<string, DeclaredModules>>): Map<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'declarations-'))
  try {
    const options = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: join(directory, 'out'),
      typeRoots: [join(root, 'node_modules/@types')],
    }
    const files = Object.values(groups).flatMap(({ modules, typesOf = [] }) => [...typesOf, ...modules].map(module => join(root, module)))
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files }),
    )
    const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory], { encoding: 'utf8' })
    if (compiled.status !== 0) throw new Error(`no declarations:\n${compiled.stdout}${compiled.stderr}`)
    const textOf = (module: string): string => readFileSync(join(directory, 'out', module.replace(/\.ts$/, '.d.ts')), 'utf8')
    const groupText = ({ modules, typesOf = [] }: DeclaredModules): string => {
      const text = selfContained(
        [...typesOf, ...modules],
        [...typesOf.map(module => withoutValues(textOf(module))), ...modules.map(textOf)].join('\n'),
      )
      // Without it, everything in a file of declarations is exported.
      return typesOf.length > 0 ? `${text}\nexport {};\n` : text
    }
    return new Map(Object.entries(groups).map(([name, group]) => [name, groupText(group)]))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Keeps the values of a module from being exported. */
const withoutValues = (text: string): string => text.replaceAll(/^export (declare (?:const|function|class) )/gm, '$1')

function selfContained(modules: readonly string[], text: string): string {
  const names = modules.map(module => basename(module))
  const own = text.replaceAll(
    /^(?:import(?: type)?|export) \{[^}]*\} from '\.{1,2}\/(?:[\w.-]+\/)*([^/']+)'.*\n/gm,
    (line, file: string) => (names.includes(file) ? '' : line),
  )
  if (/\bimport\b.*['"]|\bfrom ['"]/.test(own))
    throw new Error(`what ${modules.join(' and ')} export speaks of types of other files:\n${own}`)
  return own
}
