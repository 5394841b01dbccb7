import { internalServerError } from '../../meta/status.ts'
import { type ForeignStatus, readStatus } from './read-status.ts'

/** Result of a command, as its client receives it. */
export interface CommandOutcome {
  /** A metav1.Status without kind and apiVersion. */
  readonly status: object
  /** HTTP status code for metrics. */
  readonly code: number
}

/** Protocol of a kubelet on the streams of a command, by version of the subprotocol. */
export interface CommandProtocol {
  /** Whether terminal sizes are sent on their own stream. */
  readonly resizes: boolean
  /** Whether the kubelet ends the error stream. Otherwise the command ends with its output. */
  readonly endsErrors: boolean
  /** Parses a non-empty error stream. */
  outcome(message: string): CommandOutcome
}

const NON_ZERO = 'NonZeroExitCode'
const EXIT_CODE = 'ExitCode'

/** Result of exit code 0. */
export const SUCCEEDED: CommandOutcome = { status: { metadata: {}, status: 'Success' }, code: 200 }

/** Returns the result of a command that could not be run, or whose result is unknown. */
export const failed = (why: string): CommandOutcome => outcomeOfStatus(internalServerError(why).status)

/** Returns the result of a Status, of the kubelet or our own. */
export function outcomeOfStatus({ status, message, reason, details, code }: Omit<ForeignStatus, 'isKind'>): CommandOutcome {
  return { status: { metadata: {}, status, message, reason, details, code }, code: code ?? 0 }
}

const textOutcome = (lead: string) => (message: string) => failed(`${lead} executing remote command: ${message}`)

const v1: CommandProtocol = { resizes: false, endsErrors: false, outcome: textOutcome('Error') }
const v2: CommandProtocol = { resizes: false, endsErrors: true, outcome: textOutcome('error') }
const v3: CommandProtocol = { ...v2, resizes: true }
const v4: CommandProtocol = { ...v3, outcome: statusOutcome }

/** Protocols in the order in which they are offered. */
export const COMMAND_PROTOCOLS: Readonly<Record<string, CommandProtocol>> = {
  'v5.channel.k8s.io': v4,
  'v4.channel.k8s.io': v4,
  'v3.channel.k8s.io': v3,
  'v2.channel.k8s.io': v2,
  'channel.k8s.io': v1,
}

/** Returns a protocol by name. `name`: the kubelet's choice; empty if it sent none, as in the first version. */
export const commandProtocol = (name: string): CommandProtocol | undefined =>
  name === '' ? v1 : Object.hasOwn(COMMAND_PROTOCOLS, name) ? COMMAND_PROTOCOLS[name] : undefined

/** Parses the error stream, which is a Status from version 4 on. */
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
  // The stream succeeded although the command failed.
  code: 200,
})
