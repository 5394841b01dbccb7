import { internalServerError } from '../../meta/status.ts'
import { type ForeignStatus, readStatus } from './read-status.ts'

/** How a command ended, as its client sees it. */
export interface CommandOutcome {
  /** A metav1.Status without its kind. */
  readonly status: object
  /** Of HTTP, for who counts. */
  readonly code: number
}

/** What a kubelet speaks on the streams of a command: by the versions of the subprotocol. */
export interface CommandProtocol {
  /** It takes sizes of terminals on a stream of their own. */
  readonly resizes: boolean
  /** It ends the error stream; else the command has ended with its output. */
  readonly endsErrors: boolean
  /** Reads the error stream, which is not empty. */
  outcome(message: string): CommandOutcome
}

const NON_ZERO = 'NonZeroExitCode'
const EXIT_CODE = 'ExitCode'

/** Exit code 0. */
export const SUCCEEDED: CommandOutcome = { status: { metadata: {}, status: 'Success' }, code: 200 }

/** The command could not be run, or nobody knows how it ended. */
export const failed = (why: string): CommandOutcome => outcomeOf(internalServerError(why).status)

/** A Status of a kubelet, or ours. */
export function outcomeOf({ status, message, reason, details, code }: Omit<ForeignStatus, 'isKind'>): CommandOutcome {
  return { status: { metadata: {}, status, message, reason, details, code }, code: code ?? 0 }
}

const textOutcome = (lead: string) => (message: string) => failed(`${lead} executing remote command: ${message}`)

const v1: CommandProtocol = { resizes: false, endsErrors: false, outcome: textOutcome('Error') }
const v2: CommandProtocol = { resizes: false, endsErrors: true, outcome: textOutcome('error') }
const v3: CommandProtocol = { ...v2, resizes: true }
const v4: CommandProtocol = { ...v3, outcome: statusOutcome }

/** In the order in which they are offered. */
export const COMMAND_PROTOCOLS: Readonly<Record<string, CommandProtocol>> = {
  'v5.channel.k8s.io': v4,
  'v4.channel.k8s.io': v4,
  'v3.channel.k8s.io': v3,
  'v2.channel.k8s.io': v2,
  'channel.k8s.io': v1,
}

/** `name`: what the kubelet agreed to; empty where it said nothing, as the first version did. */
export const commandProtocol = (name: string): CommandProtocol | undefined =>
  name === '' ? v1 : Object.hasOwn(COMMAND_PROTOCOLS, name) ? COMMAND_PROTOCOLS[name] : undefined

/** The error stream is a Status from version 4 on. */
function statusOutcome(message: string): CommandOutcome {
  const fault = (why: string): CommandOutcome => failed(`error stream protocol error: ${why}`)
  const status = readStatus(message)
  if (typeof status === 'string') return fault(`${status} in ${JSON.stringify(message)}`)
  if (status.status === 'Success') return SUCCEEDED
  if (status.status !== 'Failure') return fault('unknown error')
  if (status.reason !== NON_ZERO) return failed(status.message ?? '')
  if (status.details === undefined) return fault('details must be set')
  const cause = status.details.causes?.find(({ reason }) => reason === EXIT_CODE)
  if (cause === undefined) return fault(`no ${EXIT_CODE} cause given`)
  const text = cause.message ?? ''
  if (!/^\d+$/.test(text) || Number(text) > 255) return fault(`invalid exit code value ${JSON.stringify(text)}`)
  return exited(Number(text))
}

const exited = (code: number): CommandOutcome => ({
  status: {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: NON_ZERO,
    details: { causes: [{ reason: EXIT_CODE, message: String(code) }] },
  },
  // That a command fails is no failure of the stream.
  code: 200,
})
