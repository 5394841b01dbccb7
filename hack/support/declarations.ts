import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The declarations of modules, by their names (`src/a.ts`), as the compiler writes them. Throws where one speaks of types of other files: those are no part of the package.
 */
export function declarationsOf(root: string, modules: readonly string[]): Map<string, string> {
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
    const project = { extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files: modules.map(module => join(root, module)) }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(project))
    const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory], { encoding: 'utf8' })
    if (compiled.status !== 0) throw new Error(`no declarations:\n${compiled.stdout}${compiled.stderr}`)
    return new Map(modules.map(module => [module, selfContained(module, readFileSync(join(directory, 'out', module.replace(/\.ts$/, '.d.ts')), 'utf8'))]))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function selfContained(module: string, text: string): string {
  if (/\bimport\b.*['"]|\bfrom ['"]/.test(text)) throw new Error(`what ${module} exports speaks of types of other files:\n${text}`)
  return text
}
