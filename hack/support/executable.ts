import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { makeCheckCache, makeCodeCache } from './code-cache.ts'
import { type EmbeddedPackage, embeddedPackages } from './embedded-packages.ts'
import { packagesBundle, requiredPackages } from './packages-bundle.ts'

const BUNDLES = ['main', 'primary', 'commands', 'check', 'explore']
/** Marker in the binary that tells Node that it contains a script of its own (lib/internal of Node 20). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

export interface ExecutableOptions {
  /** The repository, with a built dist. */
  readonly root: string
  /** Takes what the executable is made of. */
  readonly scratch: string
  readonly executable: string
}

/**
 * Makes a single executable of this Node and the bundles of dist, with the packages beside them and the addons for this
 * platform. Returns the packages within.
 */
export async function makeExecutable({ root, scratch, executable }: ExecutableOptions): Promise<EmbeddedPackage[]> {
  const dist = join(root, 'dist')
  const made = (name: string): string => join(scratch, name)
  for (const directory of [scratch, dirname(executable)]) mkdirSync(directory, { recursive: true })
  const packages = await packagesBundle(root, requiredPackages(BUNDLES.map(name => join(dist, `${name}.cjs`))))
  writeFileSync(made('packages.cjs'), packages.text)
  await build({
    entryPoints: [join(root, 'hack/executable/main.mjs')],
    outfile: made('main.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
  })
  const addons = { 'lmdb.node': lmdbAddon(root), 'fs-native-extensions.node': lockAddon(root) }
  // That of dist may be of another version of Node.
  makeCodeCache(root, made('main.cache'))
  makeCheckCache(root, made('check.cache'))
  const files = readFiles(dist)
  writeFileSync(made('files.json'), JSON.stringify(files))
  const assets: Record<string, string> = {
    'files.json': made('files.json'),
    'dist/packages.cjs': made('packages.cjs'),
    'dist/main.cache': made('main.cache'),
    'dist/check.cache': made('check.cache'),
    ...addons,
    ...Object.fromEntries([...BUNDLES.map(name => `dist/${name}.cjs`), ...files].map(name => [name, join(root, name)])),
  }
  if (compileSetup(root, made('process-setup.node'))) assets['process-setup.node'] = made('process-setup.node')
  injectScript(
    { main: made('main.cjs'), output: made('executable.blob'), disableExperimentalSEAWarning: true, assets },
    made('executable.json'),
    executable,
  )
  const maps = BUNDLES.map(name => join(dist, `${name}.cjs.map`))
  return embeddedPackages(root, maps, packages.metafile, Object.values(addons))
}

/** Files that modules read while they run, by names that begin with `dist/`. */
const readFiles = (dist: string): string[] =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.types') || name.startsWith('descriptions/') || name.startsWith('console/'))
    .map(name => join('dist', name))
    .sort()

function lmdbAddon(root: string): string {
  const lmdb = createRequire(join(root, 'package.json')).resolve('lmdb')
  const load = createRequire(lmdb)('node-gyp-build-optional-packages') as { readonly path: (directory: string) => string }
  return load.path(join(lmdb, '../..'))
}

function lockAddon(root: string): string {
  const lock = createRequire(join(root, 'package.json')).resolve('fs-native-extensions')
  return join(dirname(lock), `prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`)
}

/** Without a compiler there is none, and the executable does without. */
function compileSetup(root: string, addon: string): boolean {
  const undefinedIsOfNode = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : []
  const source = join(root, 'hack/executable/process-setup.c')
  const compiled = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-s', '-Wall', '-Werror', ...undefinedIsOfNode, '-o', addon, source], {
    encoding: 'utf8',
  })
  if (compiled.status === 0) return true
  console.error(
    `no ${relative(root, source)} in the executable, which will read no deep values:\n${compiled.error?.message ?? compiled.stderr}`,
  )
  return false
}

function injectScript(
  config: { readonly output: string; readonly [member: string]: unknown },
  configFile: string,
  executable: string,
): void {
  writeFileSync(configFile, JSON.stringify(config))
  run(process.execPath, ['--experimental-sea-config', configFile])
  copyFileSync(process.execPath, executable)
  chmodSync(executable, 0o755)
  const isMac = process.platform === 'darwin'
  // macOS runs only signed programs: Node's signature is removed, and another is made for this machine.
  if (isMac) run('codesign', ['--remove-signature', executable])
  // A program of its own: it prints warnings of no meaning (nodejs/postject).
  const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js')
  run(process.execPath, [
    postject,
    executable,
    'NODE_SEA_BLOB',
    config.output,
    '--sentinel-fuse',
    FUSE,
    ...(isMac ? ['--macho-segment-name', 'NODE_SEA'] : []),
  ])
  if (isMac) run('codesign', ['--sign', '-', executable])
}

function run(program: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${error?.message ?? stderr}`)
}
