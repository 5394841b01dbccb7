import { connect } from 'node:net'
import { errorMessage } from '../../lib/error-message.ts'
import type { ForwardRule } from '../kwok/rules/decode-rules.ts'
import { type LocalPart, localFault } from './local-access.ts'
import { runProcess } from './local-process.ts'
import type { ForwardedConnection } from './streams/forwarded-ports.ts'

/** Connects a client to a port by its rule. */
export function forward(rule: ForwardRule | undefined, { port, data, fail }: ForwardedConnection, allowed: ReadonlySet<LocalPart>): void {
  data.on('error', () => {})
  const refuse = (why: string): void => {
    fail(`port ${port}: ${why}`)
    data.destroy()
  }
  const fault = forwardFault(rule, allowed)
  if (fault !== undefined || rule === undefined) refuse(fault ?? NO_RULE)
  else if (rule.command.length > 0) runCommand(rule.command, data, refuse)
  else if (rule.target) connectTo(rule.target, data, refuse)
  else speak(rule, data)
}

/** Greets the client, and then echoes what it sends, sends a text, or waits until it ends. */
function speak({ greeting, echo, text }: ForwardRule, data: ForwardedConnection['data']): void {
  if (greeting) data.write(greeting)
  if (echo) data.pipe(data)
  else if (text !== undefined) data.once('data', () => data.resume().end(text))
  else data.resume().once('end', () => data.end())
}

/** Returns the reason why a rule does not connect. Undefined if it does. */
function forwardFault(rule: ForwardRule | undefined, allowed: ReadonlySet<LocalPart>): string | undefined {
  if (rule === undefined) return NO_RULE
  const { command, target, echo, greeting, text } = rule
  if (command.length > 0) return localFault(allowed, 'processes')
  if (target) return localFault(allowed, 'network')
  return echo || greeting !== undefined || text !== undefined
    ? undefined
    : 'the rule of the port has neither target, nor command, nor greeting, nor text, nor echo'
}

const NO_RULE =
  'the pod is simulated, and no rule says where the port leads: create a PortForward or ClusterPortForward object of kwok.x-k8s.io/v1alpha1'

function connectTo(
  { address, port }: { readonly address: string; readonly port: number },
  data: ForwardedConnection['data'],
  refuse: (why: string) => void,
): void {
  const socket = connect({ host: address, port, allowHalfOpen: true })
  let isConnected = false
  socket.once('connect', () => {
    isConnected = true
    data.pipe(socket).pipe(data)
  })
  socket.once('error', error => {
    if (isConnected) data.destroy()
    else refuse(errorMessage(error))
  })
  data.once('close', () => socket.destroy())
}

/** Connects the client to the standard streams of a process. */
function runCommand(command: readonly string[], data: ForwardedConnection['data'], refuse: (why: string) => void): void {
  const left = new AbortController()
  data.once('close', () => left.abort())
  void runProcess(command, {}, { stdin: data, stdout: data, left: left.signal }).then(result => {
    if ('failure' in result) refuse(result.failure)
    else data.end()
  })
}
