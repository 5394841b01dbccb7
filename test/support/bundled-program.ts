import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { copyReadFiles } from '../../hack/support/read-files.ts'

const root = join(import.meta.dirname, '..', '..')

/** Options of bundles. */
export const BUNDLED: BuildOptions = { bundle: true, platform: 'node', target: 'node20', sourcemap: 'inline', logLevel: 'warning' }

/** Bundles of the programs of tests, by their paths. */
const programs = new Map<string, Promise<string>>()

/** Returns the directory of the bundles of this process. It is removed when the process exits. */
export function bundleDirectory(): string {
  // Below node_modules, so that the packages which stay outside are found. A program knows its real path.
  const directory = join(realpathSync(join(root, 'node_modules')), '.cache', `binnacle-${process.pid}`)
  if (mkdirSync(directory, { recursive: true }) !== undefined)
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/**
 * Returns a program of `test/support` as one module, which Node loads in a fraction of the time of the sources. `path`
 * is absolute.
 */
export function bundledProgram(path: string): Promise<string> {
  const made = programs.get(path) ?? bundleProgram(path)
  programs.set(path, made)
  return made
}

async function bundleProgram(path: string): Promise<string> {
  const directory = bundleDirectory()
  const outfile = join(directory, `${basename(path, '.ts')}.mjs`)
  await build({ ...BUNDLED, entryPoints: [path], outfile, format: 'esm', packages: 'external' })
  copyReadFiles(root, directory)
  return outfile
}
