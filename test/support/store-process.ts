import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process that serves a store, which tests end and start again on the same data and ports. */
export interface StoreProcess {
  /** Resolves once the store responds. */
  start(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /**
   * Freezes the process (SIGSTOP), so that connections stay open without responses. Resolves when all of its threads
   * have stopped.
   */
  freeze(): Promise<void>
  thaw(): void
}

/** A process that also ends with the test. `stop` kills it for good. */
export interface OwnedProcess extends StoreProcess {
  stop(): Promise<void>
}

/** Processes that run now. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const ATTEMPTS = 2400
const PAUSE_MS = 50

/**
 * A program that is not started yet. `cwd`: default, that of the test. Stores are Go programs with little memory, which
 * collect garbage a quarter as often as by default.
 */
export function storeProcess(program: string, flags: readonly string[], answers: () => Promise<boolean>, cwd?: string): OwnedProcess {
  let child: ChildProcess | undefined
  const own: OwnedProcess = {
    async start() {
      const started = spawn(program, flags, { stdio: 'ignore', env: { GOGC: '400', ...process.env }, ...(cwd !== undefined && { cwd }) })
      running.add(started.once('exit', () => running.delete(started)))
      child = started
      for (let i = 0; !(await answers()); i++) {
        if (i > ATTEMPTS || child.exitCode !== null) throw new Error(`${program} did not start`)
        await sleep(PAUSE_MS)
      }
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async freeze() {
      if (child?.pid === undefined) return
      child.kill('SIGSTOP')
      while (!isStopped(child.pid)) await sleep(1)
    },
    thaw: () => void child?.kill('SIGCONT'),
    stop: () => own.kill(),
  }
  return own
}

/** Where the system does not say (`/proc` is Linux's), it is taken to be so. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  try {
    return readdirSync(tasks).every(task => /^State:\s+T/m.test(readFileSync(`${tasks}/${task}/status`, 'utf8')))
  } catch {
    // A thread has ended meanwhile.
    return false
  }
}
