import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { errorMessage } from '../../lib/error-message.ts'
import type { LocalProcess } from '../kwok/rules/decode-rules.ts'
import type { CommandResult } from './streams/command-streams.ts'

/** Time between the signals TERM and KILL, in milliseconds. */
const KILL_MS = 5_000
/**
 * Exit code of a command that a signal ended, as shells report it: 128 and the number of the signal, here that of KILL.
 */
const KILLED = 137

/** Variables of this process that every command gets. The others may hold secrets of the server. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TMPDIR']

/**
 * Streams of a process. Input and errors are optional: without them there is no input, and errors are part of the
 * output.
 */
export interface ProcessStreams {
  /** Copied to the process. */
  readonly stdin?: Readable | undefined
  readonly stdout?: Writable | undefined
  readonly stderr?: Writable | undefined
  /** Ends the process. */
  readonly left: AbortSignal
}

/** Runs a command as a process of this machine, to its end. It has no terminal. Never rejects. */
export async function runProcess(
  command: readonly string[],
  local: Partial<LocalProcess>,
  streams: ProcessStreams,
): Promise<CommandResult> {
  const [program = '', ...args] = command
  if (program === '') return { failure: 'the command is empty' }
  const { workDir = '', environment = [], user, group } = local
  try {
    const child = spawn(program, args, {
      env: environmentOf(environment),
      stdio: 'pipe',
      ...(workDir !== '' && { cwd: workDir }),
      ...(user !== undefined && { uid: user }),
      ...(group !== undefined && { gid: group }),
    })
    return await resultOf(child, program, streams)
  } catch (error) {
    return { failure: `cannot start ${JSON.stringify(program)}: ${errorMessage(error)}` }
  }
}

/** Environment of a command. Its own variables override passed ones. */
function environmentOf(own: LocalProcess['environment']): Record<string, string> {
  const passed = PASSED.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ''] as const]))
  return Object.fromEntries([...passed, ...own.map(({ name, value }) => [name, value] as const)])
}

/** Connects the streams and resolves with the exit code when the process has ended and its output is read. */
function resultOf(
  child: ChildProcessWithoutNullStreams,
  program: string,
  { stdin, stdout, stderr, left }: ProcessStreams,
): Promise<CommandResult> {
  const kill = (): void => {
    child.kill()
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_MS).unref()
    child.once('close', () => clearTimeout(timer))
  }
  return new Promise(resolve => {
    child.once('error', error => resolve({ failure: `cannot start ${JSON.stringify(program)}: ${errorMessage(error)}` }))
    child.once('close', code => {
      left.removeEventListener('abort', kill)
      resolve({ exitCode: code ?? KILLED })
    })
    child.stdin.on('error', () => stdin?.resume())
    if (stdin) stdin.pipe(child.stdin)
    else child.stdin.end()
    connect(child.stdout, stdout)
    connect(child.stderr, stderr ?? stdout)
    if (left.aborted) kill()
    else left.addEventListener('abort', kill, { once: true })
  })
}

/** Copies output without ending its destination. Output that has none is dropped. */
function connect(from: Readable, to: Writable | undefined): void {
  if (to) from.pipe(to, { end: false })
  else from.resume()
}
