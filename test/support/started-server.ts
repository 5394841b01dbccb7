import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HTTP2_STACK } from './http2-stacks.ts'
import { createProbeClient } from './probe/client.ts'

/** A server in a process of its own, on a free port, with its data in a temporary directory. */
export interface StartedServer {
  readonly url: string
  /** A file: the administrator's. */
  readonly kubeconfig: string
  /** Standard error of the process. */
  log(): string
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '..', '..')
const READY_MS = 120_000

/**
 * `flags`: beyond those for the port and the data. Runs the sources, or with `$BINNACLE` that program. Resolves once it
 * is ready.
 */
export async function startBinnacle(flags: readonly string[] = []): Promise<StartedServer> {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const program = process.env.BINNACLE ? [process.env.BINNACLE] : ['--import', 'tsx', join(root, 'src/main.ts')]
  const args = [
    ...program,
    `--http2=${HTTP2_STACK}`,
    '--data-dir',
    join(directory, 'data'),
    '--secure-port',
    '0',
    '--kubeconfig-out',
    kubeconfig,
    ...flags,
  ]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  const killWithTest = (): void => void child.kill('SIGKILL')
  process.once('exit', killWithTest)
  let log = ''
  child.stderr.on('data', (data: Buffer) => {
    log = (log + data.toString()).slice(-1_000_000)
  })
  const url = await untilServing(
    () => {
      if (child.exitCode !== null) throw new Error(`the server ended:\n${log}`)
      return /serving.* url=(\S+)/.exec(log)?.[1]
    },
    () => log,
  )
  await untilReady(kubeconfig, () => log)
  return {
    url,
    kubeconfig,
    log: () => log,
    async stop() {
      process.removeListener('exit', killWithTest)
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
        await ended
        clearTimeout(timer)
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function untilServing(url: () => string | undefined, log: () => string): Promise<string> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(20)) {
    const found = url()
    if (found !== undefined) return found
  }
  throw new Error(`the server does not serve:\n${log()}`)
}

async function untilReady(kubeconfig: string, log: () => string): Promise<void> {
  const client = createProbeClient(kubeconfig)
  try {
    for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(50)) {
      const answer = await client.ask('GET', '/readyz')
      if (answer.status === 200) return
    }
    throw new Error(`the server is not ready:\n${log()}`)
  } finally {
    client.close()
  }
}
