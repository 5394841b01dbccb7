import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * The declarations of groups of modules, by the names of the groups, as the compiler writes them, each group in one text. Throws where one speaks of types of other files: those are no part of the package.
 */
export function declarationsOf(root: string, groups: Readonly<Record<string, readonly string[]>>): Map<string, string> {
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
    const files = Object.values(groups).flatMap(modules => modules.map(module => join(root, module)))
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files }))
    const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory], { encoding: 'utf8' })
    if (compiled.status !== 0) throw new Error(`no declarations:\n${compiled.stdout}${compiled.stderr}`)
    const textOf = (module: string): string => readFileSync(join(directory, 'out', module.replace(/\.ts$/, '.d.ts')), 'utf8')
    return new Map(Object.entries(groups).map(([name, modules]) => [name, selfContained(modules, modules.map(textOf).join('\n'))]))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function selfContained(modules: readonly string[], text: string): string {
  const names = modules.map(module => basename(module))
  const own = text.replaceAll(/^import type \{[^}]*\} from '\.{1,2}\/(?:[\w-]+\/)*([^/']+)'.*\n/gm, (line, file: string) => (names.includes(file) ? '' : line))
  if (/\bimport\b.*['"]|\bfrom ['"]/.test(own)) throw new Error(`what ${modules.join(' and ')} export speaks of types of other files:\n${own}`)
  return own
}
