import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const programs = join(root, 'test/e2e/clients')
const installed = join(root, '.cache/clients')
const BUILD_MS = 600_000

/** A program that drives a server with a client library, or why there is none. */
export type Client = { readonly ready: () => readonly string[] } | { readonly missing: string }

const none = (language: string): Client => ({ missing: `not installed: hack/clients ${language}` })

/** `ready` compiles what has changed, without the network, and gives the command. */
export const goClient = (): Client => goProgram('go', 'clients')

/** The clients of 1.37, for kinds that it added. */
export const goClient137 = (): Client => goProgram('go-1.37', 'clients-1.37')

/**
 * A kubelet's streaming server, whose containers are this machine: it prints its port, and ends with its standard
 * input.
 */
export const goKubelet = (): Client => goProgram('kubelet', 'kubelet')

function goProgram(folder: string, name: string): Client {
  const program = join(installed, 'go', name)
  if (!existsSync(program)) return none('go')
  const ready = (): string[] => {
    const env = { ...process.env, GOFLAGS: '-mod=readonly', GOPROXY: 'off' }
    const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], {
      cwd: join(programs, folder),
      env,
      encoding: 'utf8',
      timeout: BUILD_MS,
    })
    if (status !== 0) throw new Error(`test/e2e/clients/${folder} does not build; hack/clients go fetches its modules:\n${stderr}`)
    return [program]
  }
  return { ready }
}

/** The conformance suite of HTTP/2 servers. */
export function h2spec(): Client {
  const program = join(installed, 'go/h2spec')
  return existsSync(program) ? { ready: () => [program] } : none('go')
}

/** `program`: in test/e2e/clients/python. */
export function pythonClient(program = 'main.py'): Client {
  const python = join(installed, 'python/bin/python')
  return existsSync(join(installed, 'python/requirements.txt'))
    ? { ready: () => [python, join(programs, 'python', program)] }
    : none('python')
}

/** `program`: in test/e2e/clients/javascript; it runs beside the packages it imports. */
export function javascriptClient(program = 'main.mjs'): Client {
  const folder = join(installed, 'javascript')
  if (!existsSync(join(folder, 'node_modules/@kubernetes/client-node'))) return none('javascript')
  const ready = (): string[] => {
    copyFileSync(join(programs, 'javascript', program), join(folder, program))
    return [process.execPath, join(folder, program)]
  }
  return { ready }
}

/** `ready` compiles `program`, a class of test/e2e/clients/java. */
export function javaClient(program: string): Client {
  const folder = join(installed, 'java')
  if (!existsSync(join(folder, 'pom.xml'))) return none('java')
  const libraries = join(folder, 'lib/*')
  const ready = (): string[] => {
    const source = join(programs, 'java', `${program}.java`)
    const { status, stderr } = spawnSync('javac', ['-cp', libraries, '-d', folder, source], { encoding: 'utf8', timeout: BUILD_MS })
    if (status !== 0) throw new Error(`${source} does not build:\n${stderr}`)
    return ['java', '-XX:TieredStopAtLevel=1', '-cp', `${libraries}:${folder}`, program]
  }
  return { ready }
}

/** Objects of most kinds, in which NAME, NAMESPACE, KIND and RUN are to be filled in. */
export const samples = join(programs, 'samples')

/** Runs a command to its end, two minutes at most. `env`: beyond this process's. */
export function runClient(
  command: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): SpawnSyncReturns<string> {
  const [program, ...first] = command
  return spawnSync(program as string, [...first, ...args], { env: { ...process.env, ...env }, encoding: 'utf8', timeout: 120_000 })
}
