import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { copyReadFiles } from '../../hack/support/read-files.ts'
import { BUNDLED, bundleDirectory } from './bundled-program.ts'

const root = join(import.meta.dirname, '..', '..')

/** The flags of Node that bin/binnacle starts the server with. */
const NODE_FLAGS: readonly string[] = [...readFileSync(join(root, 'bin/binnacle'), 'utf8').matchAll(/exec node (--\S+)/g)].map(
  ([, flag = '']) => flag,
)

let bundled: Promise<string> | undefined

/**
 * Returns the beginning of a command line that runs the server: a program and its first arguments. `given` is the file,
 * by default that of all tests (`serverProgram`).
 */
export async function serverCommand(given?: string): Promise<[string, ...string[]]> {
  const program = given ?? (await serverProgram())
  const isScript = program.endsWith('js') || readFileSync(program).subarray(0, 2).toString() === '#!'
  return isScript ? [process.execPath, ...NODE_FLAGS, program] : [program]
}

/**
 * Returns the beginning of a command line that runs commands on manifests, stores and clusters: `$BINNACLE`, or their
 * sources. The sources load in more than a second, so that only a test that is run alone takes them.
 */
export async function commandsCommand(): Promise<[string, ...string[]]> {
  if (process.env.BINNACLE !== undefined) return serverCommand()
  return [process.execPath, '--import', 'tsx', join(root, 'src/commands/main.ts')]
}

/**
 * `$BINNACLE`, a script or an executable, or the sources in one file, made once a test run. Tests that start a server
 * many times would otherwise spend their time on loading a thousand sources.
 */
export function serverProgram(): Promise<string> {
  bundled ??= process.env.BINNACLE === undefined ? bundle() : Promise.resolve(process.env.BINNACLE)
  return bundled
}

async function bundle(): Promise<string> {
  const directory = bundleDirectory()
  const outfile = join(directory, 'main.cjs')
  await build({
    ...BUNDLED,
    entryPoints: [join(root, 'src/main.ts')],
    outfile,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    external: ['fs-native-extensions', 'lmdb', 'etcd3', '@grpc/grpc-js', 'protobufjs'],
  })
  copyReadFiles(root, directory)
  return outfile
}
