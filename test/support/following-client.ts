import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Objects that an informer of a client program holds, and the requests that it made. */
export interface Followed {
  /** resourceVersions by name. */
  readonly objects: Readonly<Record<string, string>>
  /** Number of successful lists, streamed ones included. */
  readonly lists: number
  readonly watches: number
  readonly refused: Readonly<Record<string, number>>
  /** Versions of an object that its handlers were told out of order. */
  readonly faults: readonly string[]
}

/** A program of test/e2e/clients that keeps informers. */
export interface FollowingClient {
  /** State of the informers, by name. */
  state(): Promise<Readonly<Record<string, Followed>>>
  /** Ends the informers. Resolves with the goroutines, threads or handles that are left. */
  end(): Promise<number>
  /** Standard error of the program. */
  log(): string
  kill(): void
}

/** Time for a program to start and respond on a busy machine. */
const ANSWER_MS = 120_000

/** Resolves once all of its informers have listed. */
export async function startFollowing(
  command: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<FollowingClient> {
  const [program, ...first] = command
  const child: ChildProcess = spawn(program as string, [...first, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const killWithTest = (): void => void child.kill('SIGKILL')
  process.once('exit', killWithTest)
  let log = ''
  child.stderr?.on('data', (data: Buffer) => {
    log = (log + data.toString()).slice(-10_000)
  })
  const answers: string[] = []
  let wake = (): void => {}
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => {
    answers.push(line)
    wake()
  })
  child.once('exit', () => wake()).once('error', () => wake())
  const answer = async (): Promise<Record<string, unknown>> => {
    if (answers.length === 0)
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, ANSWER_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    const line = answers.shift()
    if (line === undefined) throw new Error(`${command.join(' ')} does not answer:\n${log}`)
    return JSON.parse(line)
  }
  const ask = (word: string): Promise<Record<string, unknown>> => {
    const answered = answer()
    child.stdin?.write(`${word}\n`)
    return answered
  }
  await answer()
  return {
    state: () => ask('state') as Promise<Readonly<Record<string, Followed>>>,
    async end() {
      const { left } = await ask('end')
      process.removeListener('exit', killWithTest)
      if (child.exitCode === null) await once(child, 'exit')
      return left as number
    },
    log: () => log,
    kill() {
      process.removeListener('exit', killWithTest)
      child.kill('SIGKILL')
    },
  }
}
