import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Pod } from '../../api/core/v1.types.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import type { TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { connectionPair } from '../../lib/in-process-connection.ts'
import type { Logger } from '../../lib/log.ts'
import { onAbort } from '../../lib/on-abort.ts'
import { isStatusError } from '../../meta/status.ts'
import {
  type AttachRule,
  decodeAttach,
  decodeExec,
  decodeLogs,
  decodePortForward,
  type ExecRule,
  type ForwardRule,
  type LogRule,
} from '../kwok/rules/decode-rules.ts'
import { ruleOfContainer, ruleOfPort } from '../kwok/rules/pod-rules.ts'
import { PODS } from '../shared/kinds.ts'
import { attach } from './attach.ts'
import { hasContainer, logFault } from './containers.ts'
import { execute } from './exec.ts'
import { forward } from './forward.ts'
import type { LocalPart } from './local-access.ts'
import { containerLog, logRequest, sourceFault } from './log/container-log.ts'
import { EXPOSITION_TYPE } from './metrics/exposition.ts'
import { NodeMetrics } from './metrics/node-metrics.ts'
import {
  errorStatus,
  forwardedPorts,
  isForWebSocket,
  type NodeRequest,
  type NodeUpgrade,
  nodeRequest,
  pathNotServed,
  RequestError,
} from './node-request.ts'
import { type PodPath, podPath } from './paths.ts'
import { untilContainerEnds } from './pod-watch.ts'
import { RuleReader, ruleKind } from './rule-reader.ts'
import { type CommandResult, type CommandStreams, streamOptions } from './streams/command-streams.ts'
import { type ForwardConnection, spdyForward, webSocketForward } from './streams/forwarded-ports.ts'
import { spdyCommand } from './streams/spdy-command.ts'
import { refuseUpgrade } from './streams/upgrade-reply.ts'
import { webSocketCommand } from './streams/web-socket-command.ts'

export interface NodeServerOptions {
  readonly client: ApiClient
  readonly clock: TimerClock
  readonly logger: Logger
  /** Parts of this machine that rules may use. */
  readonly allowed: ReadonlySet<LocalPart>
}

/** The HTTP server of all simulated kubelets of this process. */
export class NodeServer {
  readonly #options: NodeServerOptions
  readonly #server: Server
  /** Names of the nodes by their connections. */
  readonly #nodes = new WeakMap<Duplex, string>()
  readonly #closed = new AbortController()
  readonly #logs: RuleReader<LogRule>
  readonly #execs: RuleReader<ExecRule>
  readonly #attaches: RuleReader<AttachRule>
  readonly #forwards: RuleReader<ForwardRule>
  /** Created with the first scrape: its expressions need an environment. */
  #metrics: NodeMetrics | undefined

  constructor(options: NodeServerOptions) {
    const { client } = options
    this.#options = options
    this.#logs = new RuleReader(client, ruleKind('Logs', 'logs', decodeLogs))
    this.#execs = new RuleReader(client, ruleKind('Exec', 'execs', decodeExec))
    this.#attaches = new RuleReader(client, ruleKind('Attach', 'attaches', decodeAttach))
    this.#forwards = new RuleReader(client, ruleKind('PortForward', 'portforwards', decodePortForward))
    this.#server = createServer((req, res) => void this.#respond(req, res))
    this.#server.on('upgrade', (req, socket, head) => void this.#upgrade(req, socket, head))
  }

  /** Opens a connection to the kubelet of a node. */
  connect(node: string): Duplex {
    const [near, far] = connectionPair()
    this.#nodes.set(far, node)
    far.on('error', () => {})
    this.#server.emit('connection', far)
    return near
  }

  /** Ends logs that are followed, commands and forwarded ports. */
  close(): void {
    this.#closed.abort()
  }

  async #respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const request = nodeRequest(req)
      if (request.verb === 'containerLogs') await this.#log(request, res)
      else if (request.verb === 'metrics') await this.#metricsPage(request, res)
      else if (request.verb === 'healthz') res.end('ok')
      else throw pathNotServed()
    } catch (error) {
      if (res.headersSent) res.destroy()
      else res.writeHead(errorStatus(error), { 'Content-Type': 'text/plain; charset=utf-8' }).end(errorMessage(error))
    }
  }

  async #metricsPage({ req, verb, parts }: NodeRequest, res: ServerResponse): Promise<void> {
    this.#metrics ??= new NodeMetrics(this.#options)
    const text = await this.#metrics.page([verb, ...parts], this.#nodes.get(req.socket) ?? '')
    if (text === undefined) throw pathNotServed()
    res.writeHead(200, { 'Content-Type': EXPOSITION_TYPE }).end(text)
  }

  async #log(request: NodeRequest, res: ServerResponse): Promise<void> {
    const { client, clock, allowed } = this.#options
    const { pod, container } = await this.#containerAt(request)
    const options = logRequest(request.query, clock.now())
    if (typeof options === 'string') throw new RequestError(400, options)
    const fault = logFault(pod, container, options.previous)
    if (fault !== undefined) throw new RequestError(400, fault)
    const rule = await this.#logs.find(pod.metadata.namespace ?? '', pod.metadata.name ?? '', rules => ruleOfContainer(rules, container))
    const subject = { pod, container, rule, allowed }
    const forbidden = sourceFault(subject, options)
    if (forbidden !== undefined) throw new RequestError(400, forbidden)
    const left = this.#leftOf(request.req)
    const pieces = containerLog(subject, options, options.follow ? untilContainerEnds(client, pod, container, left) : left)
    let piece = await pieces.next()
    res.writeHead(200, { 'Content-Type': 'text/plain' })
    res.flushHeaders()
    for (; !piece.done && !left.aborted; piece = await pieces.next())
      if (!res.write(piece.value)) await new Promise<void>(resolve => res.once('drain', resolve).once('close', () => resolve()))
    res.end()
  }

  async #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {})
    try {
      const request = { ...nodeRequest(req), socket, head }
      if (request.verb === 'exec' || request.verb === 'attach') await this.#command(request)
      else if (request.verb === 'portForward') await this.#forward(request)
      else throw pathNotServed()
    } catch (error) {
      refuseUpgrade(socket, errorStatus(error), errorMessage(error))
    }
  }

  async #command(request: NodeUpgrade): Promise<void> {
    const { req, socket, head, query } = request
    const { pod, container } = await this.#containerAt(request)
    const options = streamOptions(query)
    if (!options.stdin && !options.stdout && !options.stderr)
      throw new RequestError(400, 'you must specify at least 1 of stdin, stdout, stderr')
    const streams = isForWebSocket(request) ? webSocketCommand(req, socket, head, options) : await spdyCommand(req, socket, head, options)
    if (streams === undefined) return
    const ended = { ...streams, left: AbortSignal.any([streams.left, this.#closed.signal]) }
    const result = await this.#run(request, pod, container, ended).catch(
      (error: unknown): CommandResult => ({ failure: errorMessage(error) }),
    )
    await streams.finish(result)
  }

  async #run({ verb, query }: NodeRequest, pod: Pod, container: string, streams: CommandStreams): Promise<CommandResult> {
    const { client, allowed } = this.#options
    const { namespace = '', name = '' } = pod.metadata
    if (verb === 'exec') {
      const rule = await this.#execs.find(namespace, name, rules => ruleOfContainer(rules, container))
      return execute(query.getAll('command'), rule, streams, allowed)
    }
    const rule = await this.#attaches.find(namespace, name, rules => ruleOfContainer(rules, container))
    return attach(rule, streams, untilContainerEnds(client, pod, container, streams.left), allowed)
  }

  async #forward(request: NodeUpgrade): Promise<void> {
    const { req, socket, head, parts, query } = request
    const path = podPath(parts, false)
    if (path === undefined) throw pathNotServed()
    const pod = await this.#podAt(req, path)
    const { namespace = '', name = '' } = pod.metadata
    const handle: ForwardConnection = connection => {
      const forget = onAbort(this.#closed.signal, () => connection.data.destroy())
      connection.data.once('close', forget)
      this.#forwards
        .find(namespace, name, rules => ruleOfPort(rules, connection.port))
        .then(
          rule => forward(rule, connection, this.#options.allowed),
          (error: unknown) => {
            connection.fail(errorMessage(error))
            connection.data.destroy()
          },
        )
    }
    if (isForWebSocket(request)) webSocketForward(req, socket, head, forwardedPorts(query), handle)
    else spdyForward(req, socket, head, handle)
  }

  /**
   * Returns the pod and container of a path. Throws RequestError if the node has no such pod, or the pod no such
   * container.
   */
  async #containerAt({ req, parts }: NodeRequest): Promise<{ readonly pod: Pod; readonly container: string }> {
    const path = podPath(parts, true)
    if (path === undefined) throw pathNotServed()
    const pod = await this.#podAt(req, path)
    const { container } = path
    if (!hasContainer(pod, container))
      throw new RequestError(
        404,
        `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(`${path.namespace}/${path.pod}`)}`,
      )
    return { pod, container }
  }

  async #podAt(req: IncomingMessage, { namespace, pod: name, uid }: PodPath): Promise<Pod> {
    const missing = new RequestError(404, `pod ${JSON.stringify(`${namespace}/${name}`)} does not exist`)
    const pod = await this.#options.client.get(PODS, namespace, name).catch((error: unknown) => {
      throw isStatusError(error, 'NotFound') ? missing : error
    })
    if (pod.spec.nodeName !== this.#nodes.get(req.socket) || (uid !== undefined && uid !== pod.metadata.uid)) throw missing
    return pod
  }

  /** Returns a signal that aborts when the client of a request leaves, or the server closes. */
  #leftOf(req: IncomingMessage): AbortSignal {
    const left = new AbortController()
    req.socket.once('close', () => left.abort())
    return AbortSignal.any([left.signal, this.#closed.signal])
  }
}
