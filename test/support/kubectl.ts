import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** A kubectl program: `1.33`. */
export interface Kubectl {
  readonly path: string
  readonly minor: number
}

export interface Result {
  /** Exit status. -1 if it was killed. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 120_000
/** Environment of every run: kubectl ends before it has garbage that is worth collecting, which saves a sixth. */
const GO = { GOGC: 'off' }

/**
 * The kubectl on PATH and those that $KUBECTLS lists (paths, as PATH lists folders), one of each minor release, oldest
 * first.
 */
export function findKubectls(): Kubectl[] {
  const onPath = (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, 'kubectl'))
  const listed = (process.env.KUBECTLS ?? '').split(delimiter).filter(Boolean)
  const first = onPath.find(path => existsSync(path))
  const found = new Map<number, Kubectl>()
  for (const path of [...listed, ...(first === undefined ? [] : [first])]) {
    const minor = minorOf(path)
    if (minor !== undefined && !found.has(minor)) found.set(minor, { path, minor })
  }
  return [...found.values()].sort((a, b) => a.minor - b.minor)
}

function minorOf(path: string): number | undefined {
  try {
    const { clientVersion } = JSON.parse(
      execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    return Number.parseInt(clientVersion.minor, 10)
  } catch {
    return undefined
  }
}

/** Words of a command line; quotes, single or double, hold words together. */
export const words = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))

/**
 * Runs kubectl to its end, and drops the colours that some releases print. Never rejects: a failure is a code and what
 * it printed.
 */
export function runKubectl(path: string, args: readonly string[], env: NodeJS.ProcessEnv, options: RunOptions = {}): Promise<Result> {
  return new Promise(resolve => {
    const child = execFile(
      path,
      args,
      { env: { ...GO, ...env, ...options.env }, timeout: TIMEOUT_MS, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0
        resolve({ code, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) })
      },
    )
    child.stdin?.end(options.stdin ?? '')
  })
}

/**
 * Starts kubectl, calls `act` when it has printed `ready` (at once if that is empty), and ends it when its output has
 * all of `wanted`, or after two minutes. Gives its output.
 */
export function followKubectl(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  ready: RegExp,
  act: () => Promise<void>,
  wanted: readonly RegExp[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { env: { ...GO, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let acted = false
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS)
    const look = (): void => {
      if (!acted && ready.test(output)) {
        acted = true
        act().catch(reject)
      }
      if (acted && wanted.every(pattern => pattern.test(output))) child.kill()
    }
    const take = (data: Buffer): void => {
      output += data.toString()
      look()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      resolve(output)
    })
    look()
  })
}
