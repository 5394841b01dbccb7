import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { errorMessage } from '../../lib/error-message.ts'
import type { LocalProcess } from '../kwok/rules/decode-rules.ts'
import type { CommandResult } from './streams/command-streams.ts'
import type { Terminal } from './streams/terminal.ts'

/** Time between the signals TERM and KILL, in milliseconds. */
const KILL_MS = 5_000

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
  /** Optional. Terminal whose keys send signals to the process. */
  readonly terminal?: Terminal
  /** Ends the process. */
  readonly left: AbortSignal
}

/**
 * Runs a command as a process of this machine, to its end. It has pipes, even if the client has a terminal. Never
 * rejects.
 */
export async function runProcess(
  command: readonly string[],
  local: Partial<LocalProcess>,
  streams: ProcessStreams,
): Promise<CommandResult> {
  const [program = '', ...args] = command
  if (program === '') return { failure: 'the command is empty' }
  const { workDir = '', environment = [], user, group } = local
  const { terminal } = streams
  await terminal?.sized()
  try {
    const child = spawn(program, args, {
      env: environmentOf(environment, terminal),
      stdio: 'pipe',
      // The keys of a terminal send their signals to a group of processes.
      detached: terminal !== undefined,
      ...(workDir !== '' && { cwd: workDir }),
      ...(user !== undefined && { uid: user }),
      ...(group !== undefined && { gid: group }),
    })
    return await resultOf(child, program, streams)
  } catch (error) {
    return { failure: `cannot start ${JSON.stringify(program)}: ${errorMessage(error)}` }
  }
}

/** Environment of a command. Its own variables override passed ones, and those of its terminal. */
function environmentOf(own: LocalProcess['environment'], terminal: Terminal | undefined): Record<string, string> {
  const { size } = terminal ?? {}
  const ofTerminal = {
    ...(terminal && { TERM: 'xterm' }),
    ...(size && { COLUMNS: String(size.columns), LINES: String(size.rows) }),
  }
  const passed = PASSED.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ''] as const]))
  return { ...Object.fromEntries(passed), ...ofTerminal, ...Object.fromEntries(own.map(({ name, value }) => [name, value])) }
}

/** Connects the streams and resolves with the exit code when the process has ended and its output is read. */
function resultOf(
  child: ChildProcessWithoutNullStreams,
  program: string,
  { stdin, stdout, stderr, left, terminal }: ProcessStreams,
): Promise<CommandResult> {
  const send = (signal: NodeJS.Signals): void => {
    if (terminal) signalGroup(child.pid, signal)
    else child.kill(signal)
  }
  const kill = (): void => {
    send('SIGTERM')
    const timer = setTimeout(() => send('SIGKILL'), KILL_MS).unref()
    child.once('close', () => clearTimeout(timer))
  }
  terminal?.onSignal(signal => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(child.pid, signal)
  })
  return new Promise(resolve => {
    child.once('error', error => resolve({ failure: `cannot start ${JSON.stringify(program)}: ${errorMessage(error)}` }))
    child.once('close', (code, signal) => {
      left.removeEventListener('abort', kill)
      // Shells report a command that a signal ended in the same way.
      resolve({ exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] })
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

/** Sends a signal to a process and those that it has started. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // All of them have ended.
  }
}

/** Copies output without ending its destination. Output that has none is dropped. */
function connect(from: Readable, to: Writable | undefined): void {
  if (to) from.pipe(to, { end: false })
  else from.resume()
}
