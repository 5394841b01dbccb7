import type { Readable, Writable } from 'node:stream'
import type { Terminal } from './terminal.ts'

/** Streams that a client requests. With a terminal, standard error is part of the output. */
export interface StreamOptions {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** Parses the kubelet's parameters of exec and attach. */
export const streamOptions = (query: URLSearchParams): StreamOptions => {
  const isSet = (name: string): boolean => query.get(name) === '1' || query.get(name) === 'true'
  const tty = isSet('tty')
  return { stdin: isSet('input'), stdout: isSet('output'), stderr: isSet('error') && !tty, tty }
}

/** Streams of a client to a command or a container. */
export interface CommandStreams {
  /** Undefined if the client sends no input. */
  readonly stdin: Readable | undefined
  /** Undefined if the client reads no output. */
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  /** Optional. Terminal of the client, through which the other streams lead. */
  readonly terminal?: Terminal
  /** Aborts when the client has left. */
  readonly left: AbortSignal
  /** Sends the result behind all output, and closes the connection. Never rejects. */
  finish(result: CommandResult): Promise<void>
}

/** Result of a command: its exit code, or the reason why it did not run. */
export type CommandResult = { readonly exitCode: number } | { readonly failure: string }

/** Returns the metav1.Status that the error stream carries from version 4 of the protocol on. */
export function resultStatus(result: CommandResult): object {
  if ('failure' in result) return { metadata: {}, status: 'Failure', message: result.failure, reason: 'InternalError', code: 500 }
  const { exitCode } = result
  if (exitCode === 0) return { metadata: {}, status: 'Success' }
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

/** Returns the text of the error stream for older protocols, which have no Status. Empty for success. */
export const resultText = (result: CommandResult): string =>
  'failure' in result
    ? result.failure
    : result.exitCode === 0
      ? ''
      : `command terminated with non-zero exit code: exit status ${result.exitCode}`

/** Ends a stream of the command, and that of the client behind it. Resolves when everything is written. */
export async function endOutput(command: Writable | undefined, client: Writable | undefined): Promise<void> {
  if (command !== client)
    await new Promise<void>(resolve => {
      if (command === undefined || command.destroyed || client === undefined || client.destroyed) return resolve()
      client.once('finish', resolve).once('close', resolve)
      command.end()
    })
  await endStream(client)
}

/** Ends a stream. Resolves when everything is written, or the stream is destroyed. */
export const endStream = (stream: Writable | undefined): Promise<void> =>
  new Promise(resolve => {
    if (stream === undefined || stream.destroyed) return resolve()
    stream.once('close', () => resolve())
    stream.end(() => resolve())
  })
