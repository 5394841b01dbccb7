import { errorMessage } from '../../lib/error-message.ts'
import type { AttachRule } from '../kwok/rules/decode-rules.ts'
import { echoed, INTERRUPTED } from './exec.ts'
import { type LocalPart, localFault } from './local-access.ts'
import { logFile } from './log/log-file.ts'
import type { CommandResult, CommandStreams } from './streams/command-streams.ts'

/**
 * Connects a client to a container by its rule, until the client leaves or ends its input, or the container ends. Never
 * rejects.
 * @param ended aborts when the container ends.
 */
export async function attach(
  rule: AttachRule | undefined,
  streams: CommandStreams,
  ended: AbortSignal,
  allowed: ReadonlySet<LocalPart>,
): Promise<CommandResult> {
  const { stdin, stdout } = streams
  if (rule === undefined) {
    stdin?.resume()
    return { failure: NO_RULE }
  }
  const until = AbortSignal.any([ended, streams.left])
  const { text, logsFile, echo } = rule
  if (text !== undefined) stdout?.write(text.endsWith('\n') || text === '' ? text : `${text}\n`)
  else if (logsFile !== undefined) {
    const failure = localFault(allowed, 'files')
    if (failure !== undefined) return { failure }
    try {
      for await (const line of logFile(logsFile, { until })) if (stdout?.write(line.text) === false) await untilDrained(stdout, until)
    } catch (error) {
      return { failure: `cannot read the file of the rule: ${errorMessage(error)}` }
    }
  }
  if (echo && stdin) {
    const isWhole = await Promise.race([echoed(stdin, streams), untilSignal(until).then(() => true)])
    if (!isWhole) return { exitCode: INTERRUPTED }
  } else {
    stdin?.resume()
    await untilSignal(until)
  }
  return { exitCode: 0 }
}

const NO_RULE =
  'the container is simulated, and no rule says what an attached client receives: create an Attach or ClusterAttach object of kwok.x-k8s.io/v1alpha1, with text, echo or logsFile'

const untilSignal = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const untilDrained = (stream: NodeJS.WritableStream, until: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    stream.once('drain', resolve)
    until.addEventListener('abort', () => resolve(), { once: true })
  })
