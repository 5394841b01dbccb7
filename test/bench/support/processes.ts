import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../support/free-ports.ts'

const root = join(import.meta.dirname, '../../..')

export interface Measured {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export interface StartedBinnacle extends Measured {
  /** Time from the start of the process to /readyz. */
  readonly readyMs: number
  /** Of its administrator, over HTTPS; `port` is that of plain HTTP. */
  readonly kubeconfig: string
}

/**
 * The built server (`program`, BINNACLE: another one), with a data directory of its own. `nodeFlags`, and
 * SERVER_NODE_FLAGS: for the process that runs it.
 */
export async function startBinnacle(
  flags: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  program = process.env.BINNACLE ?? 'bin/binnacle',
): Promise<StartedBinnacle> {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const [secure, insecure] = [await freePorts.take(), await freePorts.take()]
  const begun = performance.now()
  const own = [`--data-dir=${directory}`, `--secure-port=${secure}`, `--insecure-port=${insecure}`]
  const runtime = [...nodeFlags, ...(process.env.SERVER_NODE_FLAGS?.split(' ') ?? [])]
  // As users start it, unless Node is to be given flags.
  const [command, ...before] = runtime.length > 0 ? [process.execPath, ...runtime, program] : [resolve(root, program)]
  const child = spawn(command, [...before, ...own, ...flags], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr?.on('data', data => {
    log = (log + data).slice(-4000)
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server has ended:\n${log}`)
    const ready = await fetch(`http://127.0.0.1:${insecure}/readyz`).then(
      response => response.ok,
      () => false,
    )
    if (ready) break
    await sleep(5)
  }
  const readyMs = performance.now() - begun
  for (const path of ['namespaces/default', 'namespaces/default/serviceaccounts/default'])
    while (!(await fetch(`http://127.0.0.1:${insecure}/api/v1/${path}`)).ok) await sleep(5)
  return {
    port: insecure,
    pid: child.pid ?? 0,
    readyMs,
    kubeconfig: join(directory, 'admin.kubeconfig'),
    async stop() {
      await end(child, 'SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A reference server (see reference.ts) that serves the bytes of a file. */
export async function startReference(mode: 'koa' | 'http' | 'watch', file: string): Promise<Measured> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/support/reference.ts', mode, file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>(resolve => child.stdout?.once('data', data => resolve(Number(data))))
  return { port, pid: child.pid ?? 0, stop: () => end(child, 'SIGKILL') }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise(resolve => child.once('exit', resolve))
  child.kill(signal)
  await gone
}
