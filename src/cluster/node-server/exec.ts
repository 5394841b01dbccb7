import type { Readable } from 'node:stream'
import type { ExecRule } from '../kwok/rules/decode-rules.ts'
import { type LocalPart, localFault } from './local-access.ts'
import { runProcess } from './local-process.ts'
import type { CommandResult, CommandStreams } from './streams/command-streams.ts'

/** Runs a command by the rule of its container, and resolves with its result. Never rejects. */
export async function execute(
  command: readonly string[],
  rule: ExecRule | undefined,
  streams: CommandStreams,
  allowed: ReadonlySet<LocalPart>,
): Promise<CommandResult> {
  const { stdin, stdout, stderr } = streams
  if (rule?.output) {
    const { stdout: text, stderr: errors, exitCode } = rule.output
    stdin?.resume()
    if (text !== '') stdout?.write(text)
    if (errors !== '') (stderr ?? stdout)?.write(errors)
    return { exitCode }
  }
  if (rule?.echo) {
    if (stdin === undefined || stdout === undefined) stdout?.write(`${command.join(' ')}\n`)
    else return { exitCode: (await echoed(stdin, streams)) ? 0 : INTERRUPTED }
    return { exitCode: 0 }
  }
  if (rule?.local) {
    const failure = localFault(allowed, 'processes')
    if (failure !== undefined) return { failure }
    return runProcess(command, rule.local, streams)
  }
  stdin?.resume()
  return { failure: rule ? 'the rule of the container has neither output, nor echo, nor local: commands do not run' : NO_RULE }
}

const NO_RULE =
  'the container is simulated, and no rule says how its commands run: create an Exec or ClusterExec object of kwok.x-k8s.io/v1alpha1, with output, echo or local'

/** Exit code of a command that the interrupt key ended, as shells report it. */
export const INTERRUPTED = 130

/**
 * Copies the input to the output until either side ends. Resolves with false if a key of the terminal interrupts it.
 */
export const echoed = (stdin: Readable, { stdout, left, terminal }: CommandStreams): Promise<boolean> =>
  new Promise(resolve => {
    const end = (): void => resolve(true)
    if (stdout) stdin.pipe(stdout, { end: false })
    else stdin.resume()
    stdin.once('end', end).once('close', end)
    left.addEventListener('abort', end, { once: true })
    terminal?.onSignal(signal => {
      if (signal !== 'SIGWINCH') resolve(false)
    })
  })
