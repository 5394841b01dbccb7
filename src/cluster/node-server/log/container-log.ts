import type { Pod } from '../../../api/core/v1.types.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import { parseTime, timeMillis } from '../../../meta/time.ts'
import type { LogRule } from '../../kwok/rules/decode-rules.ts'
import { startedAt } from '../containers.ts'
import { type LocalPart, localFault } from '../local-access.ts'
import { logFile } from './log-file.ts'
import { LogFormatter, type LogSelection, linesOf } from './log-lines.ts'

/** A request for a log. */
export interface LogRequest extends LogSelection {
  readonly follow: boolean
  readonly previous: boolean
}

/** Parses the parameters of a request. Returns the reason if one is invalid. @param now milliseconds. */
export function logRequest(query: URLSearchParams, now: number): LogRequest | string {
  const count = (name: string): number | undefined | null => {
    const text = query.get(name)
    if (text === null) return undefined
    return /^\d{1,15}$/.test(text) ? Number(text) : null
  }
  const [tail, limitBytes, seconds] = [count('tailLines'), count('limitBytes'), count('sinceSeconds')]
  const sinceTime = query.get('sinceTime')
  if (tail === null || limitBytes === null || seconds === null || (sinceTime !== null && parseTime(sinceTime) === undefined))
    return 'unable to decode query: tailLines, limitBytes and sinceSeconds must be numbers, and sinceTime a time'
  const since = seconds !== undefined ? now - seconds * 1000 : timeMillis(sinceTime)
  const isSet = (name: string): boolean => query.get(name) === 'true'
  return {
    follow: isSet('follow'),
    previous: isSet('previous'),
    timestamps: isSet('timestamps'),
    ...(tail !== undefined && { tail }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(since !== undefined && { since }),
  }
}

/** Container whose log is requested, with its rule. */
export interface LogSubject {
  readonly pod: Pod
  readonly container: string
  /** Undefined if no rule applies. */
  readonly rule: LogRule | undefined
  readonly allowed: ReadonlySet<LocalPart>
}

/** Returns the reason why the log cannot be read. Undefined if it can. */
export function sourceFault({ rule, allowed }: LogSubject, { previous }: LogRequest): string | undefined {
  const [text, file] = previous ? [rule?.previousText, rule?.previousLogsFile] : [rule?.text, rule?.logsFile]
  return text === undefined && file !== undefined ? localFault(allowed, 'files') : undefined
}

/**
 * Yields the log in pieces. Without a rule it is one line that says so. Throws the error of the file system if the file
 * of the rule cannot be read.
 * @param until aborts when a followed log ends: the container has ended, or the client has left.
 */
export async function* containerLog(subject: LogSubject, request: LogRequest, until: AbortSignal): AsyncGenerator<Buffer> {
  const { pod, container, rule } = subject
  const { previous, follow, tail, ...selection } = request
  const formatter = new LogFormatter(selection, startedAt(pod, container, previous))
  const [text, file] = previous ? [rule?.previousText, rule?.previousLogsFile] : [rule?.text, rule?.logsFile]
  const isFollowed = follow && !previous && (rule?.follow ?? true)
  const lines =
    text === undefined && file !== undefined
      ? logFile(file, { ...(tail !== undefined && { tail }), ...(isFollowed && { until }) })
      : undefined
  for await (const line of lines ?? linesOf(text ?? (rule ? '' : generatedLine(pod, container)), tail)) {
    // Lines that are not selected do not wait for the client.
    if (turnIsSpent()) await nextTurn()
    const bytes = formatter.format(line)
    if (bytes.length > 0) yield bytes
    if (formatter.isFull) return
  }
  if (lines === undefined && isFollowed)
    await new Promise<void>(resolve => (until.aborted ? resolve() : until.addEventListener('abort', () => resolve(), { once: true })))
}

const generatedLine = ({ metadata: { namespace, name } }: Pod, container: string): string =>
  `container ${JSON.stringify(container)} of pod ${namespace}/${name} is simulated and writes no log; a Logs or ClusterLogs object of kwok.x-k8s.io/v1alpha1 gives it one\n`
