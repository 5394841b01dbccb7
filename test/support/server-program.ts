import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { copyReadFiles } from '../../hack/support/read-files.ts'

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
 * `$BINNACLE`, a script or an executable, or the sources in one file, made once a test run. Tests that start a server
 * many times would otherwise spend their time on loading a thousand sources.
 */
export function serverProgram(): Promise<string> {
  bundled ??= process.env.BINNACLE === undefined ? bundle() : Promise.resolve(process.env.BINNACLE)
  return bundled
}

async function bundle(): Promise<string> {
  // Below node_modules, so that the packages which stay outside are found.
  const directory = join(root, 'node_modules', '.cache', `binnacle-${process.pid}`)
  mkdirSync(directory, { recursive: true })
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const outfile = join(directory, 'main.cjs')
  await build({
    entryPoints: [join(root, 'src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    external: ['fs-native-extensions', 'lmdb', 'etcd3', '@grpc/grpc-js', 'protobufjs'],
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  copyReadFiles(root, directory)
  return outfile
}
