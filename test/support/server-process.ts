import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from './free-ports.ts'
import { HTTP2_STACK } from './http2-stacks.ts'
import { serverCommand } from './server-program.ts'

/** A server that can be killed and started again on the same data and ports. */
export interface ServerProcess {
  /** Plain HTTP, without credentials and with all rights. */
  readonly url: string
  readonly secureUrl: string
  /** A file: the administrator's. */
  readonly kubeconfig: string
  /** Where the embedded store is. */
  readonly storeDir: string
  /** Starts it. Resolves once it is ready, or with `serving` once it listens. `more`: flags for this life alone. */
  start(until?: 'ready' | 'serving', more?: readonly string[]): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Sends a signal, as SIGSTOP and SIGCONT. */
  signal(name: NodeJS.Signals): void
  readonly pid: number
  /** SIGTERM. Resolves with the exit code; null where a signal ended it. */
  terminate(): Promise<number | null>
  /** SIGINT; resolves as `terminate`. */
  interrupt(): Promise<number | null>
  /**
   * Milliseconds of processor time that it has taken in this life, in steps of 10: what other programs take is no fault
   * of the code.
   */
  processorMs(): number
  /**
   * Milliseconds of this life in which it was ready to run and others had the processors; 0 where the kernel does not
   * tell.
   */
  waitedMs(): number
  /** Resident memory, in MB. */
  residentMegabytes(): number
  /** Standard error of all runs. */
  log(): string
  /** Kills it and removes its data. */
  stop(): Promise<void>
}

const START_MS = 120_000
/** A start takes a second. Polls that are closer together would cost a tenth of it. */
const POLL_MS = 50

/**
 * Creates a server process. `flags` are in addition to those for ports and data. `given` is the program, by default
 * that of all tests.
 */
export async function createServerProcess(flags: readonly string[] = [], given?: string): Promise<ServerProcess> {
  const [command, ...first] = await serverCommand(given)
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  const [secure, insecure] = [await freePorts.take(), await freePorts.take()]
  const kubeconfig = join(directory, 'kubeconfig')
  const dataDir = join(directory, 'data')
  const url = `http://127.0.0.1:${insecure}`
  const args = [
    ...first,
    `--http2=${HTTP2_STACK}`,
    '--data-dir',
    dataDir,
    '--secure-port',
    String(secure),
    '--insecure-port',
    String(insecure),
    '--kubeconfig-out',
    kubeconfig,
    ...flags,
  ]
  let child: ChildProcess | undefined
  let log = ''
  const killWithTest = (): void => void child?.kill('SIGKILL')
  process.once('exit', killWithTest)
  const running = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ended = once(child as ChildProcess, 'exit')
    child?.kill(signal)
    const [code] = await ended
    return code as number | null
  }

  const server: ServerProcess = {
    url,
    secureUrl: `https://127.0.0.1:${secure}`,
    kubeconfig,
    storeDir: join(dataDir, 'store'),
    async start(until = 'ready', more = []) {
      child = spawn(command, [...args, ...more], { stdio: ['ignore', 'ignore', 'pipe'] })
      child.stderr?.on('data', (data: Buffer) => {
        log = (log + data.toString()).slice(-1_000_000)
      })
      for (const deadline = Date.now() + START_MS; ; await sleep(POLL_MS)) {
        const status = await fetch(`${url}/${until === 'ready' ? 'readyz' : 'readyz/ping'}`, { signal: AbortSignal.timeout(5000) }).then(
          async answer => (await answer.arrayBuffer()) && answer.status,
          () => 0,
        )
        if (status === 200 || (status !== 0 && until === 'serving')) return
        if (!running()) throw new Error(`the server ended:\n${log}`)
        if (Date.now() > deadline) throw new Error(`the server is not ${until}:\n${log}`)
      }
    },
    async kill() {
      if (!running()) return
      const ended = once(child as ChildProcess, 'exit')
      child?.kill('SIGKILL')
      await ended
    },
    signal: name => void child?.kill(name),
    get pid() {
      return child?.pid ?? 0
    },
    terminate: () => end('SIGTERM'),
    interrupt: () => end('SIGINT'),
    // User and system time, in hundredths of a second, stand after the name in parentheses (proc_pid_stat(5)).
    processorMs: () => {
      const fields = readFileSync(`/proc/${child?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return 10 * (Number(fields[11]) + Number(fields[12]))
    },
    waitedMs: () => {
      const file = `/proc/${child?.pid}/schedstat`
      return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : 0
    },
    residentMegabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child?.pid}/status`, 'utf8'))?.[1]) / 1024,
    log: () => log,
    async stop() {
      await server.kill()
      process.removeListener('exit', killWithTest)
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return server
}
