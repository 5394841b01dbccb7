import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as Grpc from '@grpc/grpc-js'
import type { Client, Metadata } from '@grpc/grpc-js'
import type { ConnectionPool } from 'etcd3/lib/connection-pool.js'
import { onAbort } from '../../lib/on-abort.ts'
import { type Attributes, inSpan, type Spans } from '../../lib/spans.ts'
import { callFailureOf, Status } from '../../protocols/grpc/call-failure.ts'
import { type DialOptions, dialServer, peerAt } from '../../protocols/grpc/dial-server.ts'
import { MessageStream, type StreamCall } from '../../protocols/grpc/message-stream.ts'
import type { UnaryOptions } from '../../protocols/grpc/unary-connection.ts'
import { UnaryConnections } from '../../protocols/grpc/unary-connections.ts'
import { BackendError } from '../backend.ts'
import { backendError, wasNeverSent } from './errors.ts'
import { MemberVersions } from './member-versions.ts'
import { addressesOf, dialOptionsOf, type EtcdOptions } from './options.ts'
import { poolOptions } from './pool-channels.ts'
import { RecentFailures } from './recent-failures.ts'

/** Services of etcd's API. The pool keeps one client per member for each. */
export type Service = 'KV' | 'Lease'
/** Unary calls by gRPC path. */
export type Method =
  | '/etcdserverpb.KV/Range'
  | '/etcdserverpb.KV/Txn'
  | '/etcdserverpb.KV/Compact'
  | '/etcdserverpb.Lease/LeaseGrant'
  | '/etcdserverpb.Maintenance/Status'

/** Bounds of the pause between attempts to connect, in milliseconds. */
const FIRST_PAUSE = 25
const LONGEST_PAUSE = 400

/** `deadline` is a time as of Date.now(). An abort of the signal ends the call immediately. */
export interface CallOptions extends UnaryOptions {
  /** Whether the call may be sent again after a lost connection, because it changes nothing. */
  readonly repeatable: boolean
}

/** Options of a stream of watches. */
export interface WatchStreamOptions extends UnaryOptions {
  /** Whether the stream's progress must be trustworthy. */
  readonly isProgressTrusted: boolean
}

/** Connection to the members of a cluster. Any member that is up may serve a call. */
export interface EtcdConnection {
  /** Returns the deadline of a call that begins now, as of Date.now(). */
  deadline(): number
  /**
   * Sends a request and returns the bytes of the response. Waits for a connection up to the deadline. Throws
   * BackendError.
   */
  call(method: Method, request: Buffer, options: CallOptions): Promise<Buffer>
  /**
   * Opens the bidirectional stream of watches, on a connection of its own to a member that is up. Waits for one up to
   * the deadline. Throws BackendError, with `unavailable` also if trustworthy progress is required and the member's
   * version cannot provide it.
   */
  watchStream(options: WatchStreamOptions): Promise<MessageStream>
  /**
   * Opens the stream of one range, on a connection of its own, as `watchStream` does. The caller sends one message, the
   * last.
   */
  rangeStream(options: UnaryOptions): Promise<MessageStream>
  /** Reports that the watch of a stream has failed. Its member is then avoided for a while if another is up. */
  watchFailed(stream: MessageStream): void
  /** Reports whether the progress of all members that respond can be trusted. Throws BackendError. */
  isProgressTrusted(signal: AbortSignal): Promise<boolean>
  close(): void
}

interface ClusterMember {
  readonly client: Client
  /** `host:port` or `unix:path`. */
  readonly address: string
  readonly channel: ReturnType<Client['getChannel']>
  readonly metadata: Metadata
}

/** Span attributes, named as gRPC's own instrumentation does. */
function callAttributes(method: Method): Attributes {
  const [, service = '', name = ''] = method.split('/')
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': name }
}

const serviceOf = (method: Method): Service => (method.startsWith('/etcdserverpb.KV') ? 'KV' : 'Lease')
/**
 * Call that opens a watch. Because of `hasleader`, a member cut off from its quorum ends the stream instead of staying
 * silent.
 */
const WATCH: StreamCall = { method: '/etcdserverpb.Watch/Watch', metadata: { hasleader: 'true' } }

/** Call that reads a range in parts. etcd has it since 3.7. */
const RANGE: StreamCall = { method: '/etcdserverpb.KV/RangeStream', metadata: {} }

/** Opens a connection. Resolves without waiting for etcd. Loads the client libraries. */
export async function openConnection(options: EtcdOptions): Promise<EtcdConnection> {
  const [{ ConnectionPool }, grpc] = await Promise.all([import('etcd3/lib/connection-pool.js'), import('@grpc/grpc-js')])
  const dialling = dialOptionsOf(options)
  const behind = new WeakMap<object, string>()
  const pool = new ConnectionPool(poolOptions(grpc, options, dialling.credentials, behind))
  return new PooledConnection(pool, grpc, dialling, options, behind)
}

/**
 * Connections to etcd's members through the pool of `etcd3`, which provides channels, TLS and the choice of a member.
 * The pool's fault handling is disabled, because it repeats writes blindly and blocks every call for seconds after one
 * lost connection: calls bypass it, and failures are classified here. Most calls use a cheaper connection for unary
 * calls to the member that the pool has chosen.
 */
class PooledConnection implements EtcdConnection {
  readonly #pool: ConnectionPool
  readonly #grpc: Pick<typeof Grpc, 'connectivityState'>
  readonly #dialling: DialOptions
  readonly #unaryConnections: UnaryConnections
  /** Members by their channels through the proxy. */
  readonly #behind: WeakMap<object, string>
  readonly #timeoutMs: number
  readonly #spans: Spans | undefined
  readonly #versions: MemberVersions
  readonly #memberCount: number
  /** Clients that were chosen last. They are kept while their connections are up and no call has failed. */
  readonly #chosen = new Map<Service, ClusterMember>()
  readonly #failures = new RecentFailures()
  /** Address of the member of each stream. */
  readonly #streams = new WeakMap<MessageStream, string>()
  #closed = false

  constructor(
    pool: ConnectionPool,
    grpc: Pick<typeof Grpc, 'connectivityState'>,
    dialling: DialOptions,
    options: EtcdOptions,
    behind: WeakMap<object, string>,
  ) {
    this.#behind = behind
    this.#pool = pool
    this.#grpc = grpc
    this.#dialling = dialling
    this.#unaryConnections = new UnaryConnections(dialling)
    this.#timeoutMs = options.requestTimeoutMs ?? 10_000
    this.#spans = options.spans
    const addresses = addressesOf(options.servers)
    this.#memberCount = addresses.length
    this.#versions = new MemberVersions(addresses, (address, call) => this.#statusOf(address, call))
  }

  deadline(): number {
    return Date.now() + this.#timeoutMs
  }

  call(method: Method, request: Buffer, options: CallOptions): Promise<Buffer> {
    return inSpan(
      this.#spans,
      method.slice(1),
      () => callAttributes(method),
      () => this.#call(method, request, options),
    )
  }

  /**
   * Makes a call, on another member after a failure. A call that may have been executed is repeated only if it is
   * `repeatable`. Throws the last error once the deadline would pass during the next pause.
   */
  async #call(method: Method, request: Buffer, options: CallOptions): Promise<Buffer> {
    const { signal, deadline, repeatable } = options
    let last: BackendError | undefined
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      this.#throwIfOver(signal, last)
      try {
        return await this.#callOnce(method, request, options)
      } catch (thrown) {
        const failure = callFailureOf(thrown)
        const error = backendError(failure, signal)
        const again = error.code === 'unavailable' && (repeatable || wasNeverSent(failure)) && Date.now() + pause < deadline
        if (!again) throw error
        last = error
      }
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }

  isProgressTrusted(signal: AbortSignal): Promise<boolean> {
    return this.#versions.areTrusted({ signal, deadline: this.deadline() })
  }

  watchStream({ isProgressTrusted, ...options }: WatchStreamOptions): Promise<MessageStream> {
    return this.#openStream(WATCH, options, isProgressTrusted)
  }

  rangeStream(options: UnaryOptions): Promise<MessageStream> {
    return this.#openStream(RANGE, options, false)
  }

  /**
   * Opens a stream on a connection of its own, to a member that is up. Tries until the deadline. With
   * `isProgressTrusted`, a member whose version sends progress too early is refused.
   */
  async #openStream(call: StreamCall, options: UnaryOptions, isProgressTrusted: boolean): Promise<MessageStream> {
    const { signal, deadline } = options
    let failure = new Error('no member is up')
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      this.#throwIfOver(signal)
      const member = await this.#choose('KV')
      if (this.#isUp(member)) {
        if (isProgressTrusted && !(await this.#isTrusted(member, options)))
          throw new BackendError('unavailable', `the progress of ${member.address} cannot be trusted in its version`)
        const dialled = await this.#dial(member.address, options)
        if (dialled instanceof Socket) return this.#streamTo(call, member, dialled)
        failure = dialled
      }
      if (Date.now() + pause > deadline)
        throw new BackendError('unavailable', `no connection to etcd for a ${call === WATCH ? 'watch' : 'list'}: ${failure.message}`, {
          cause: failure,
        })
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }

  /** Whether the member's version reports progress correctly. A member that does not respond counts as failed. */
  async #isTrusted({ address }: ClusterMember, options: UnaryOptions): Promise<boolean> {
    try {
      return await this.#versions.isTrusted(address, options)
    } catch (error) {
      this.#failures.add(address)
      throw error
    }
  }

  #streamTo(call: StreamCall, { address }: ClusterMember, socket: Socket): MessageStream {
    const stream = new MessageStream(socket, peerAt(address, this.#dialling), call)
    this.#streams.set(stream, address)
    return stream
  }

  watchFailed(stream: MessageStream): void {
    const address = this.#streams.get(stream)
    if (address !== undefined) this.#failures.add(address)
  }

  /** Connects to a member before the deadline. Resolves with the reason if that fails. */
  #dial(address: string, { signal, deadline }: UnaryOptions): Promise<Socket | Error> {
    return new Promise(resolve => {
      let giveUp = (): void => {}
      const end = (result: Socket | Error): void => {
        clearTimeout(timer)
        release()
        resolve(result)
      }
      const stop = (): void => {
        giveUp()
        end(new Error('no connection in time'))
      }
      const timer = setTimeout(stop, Math.max(0, deadline - Date.now()))
      const release = onAbort(signal, stop)
      giveUp = dialServer(address, this.#dialling, (socket, failure) => end(socket ?? failure ?? new Error('no connection')))
    })
  }

  close(): void {
    this.#closed = true
    this.#unaryConnections.close()
    this.#pool.close()
  }

  /**
   * Throws BackendError if the connection is closed or the signal aborted. `last`: the previous failure of the call,
   * for the message.
   */
  #throwIfOver(signal: AbortSignal, last?: BackendError): void {
    if (this.#closed) throw new BackendError('unavailable', 'the connection to etcd is closed')
    if (signal.aborted)
      throw new BackendError('aborted', `the call was aborted${last ? `: ${last.message}` : ''}`, { cause: signal.reason })
  }

  /**
   * Calls a member whose channel is up: over the connection for unary calls if that is open, otherwise over the
   * channel.
   */
  async #callOnce(method: Method, request: Buffer, options: CallOptions): Promise<Buffer> {
    const service = serviceOf(method)
    const known = this.#chosen.get(service)
    const member = known !== undefined && this.#isUp(known) ? known : await this.#choose(service)
    try {
      return await (this.#unaryConnections.to(member.address)?.call(method, request, options) ??
        callMember(member, method, request, options))
    } catch (error) {
      // Another call may have chosen another member meanwhile.
      if (this.#chosen.get(service) === member) this.#chosen.delete(service)
      const { code } = backendError(callFailureOf(error), options.signal)
      if (code === 'unavailable' || code === 'timeout') this.#failures.add(member.address)
      throw error
    }
  }

  /**
   * Reads the status of one member: over its connection for unary calls if that is open, otherwise over its channel if
   * the pool's next choice is that member.
   */
  async #statusOf(address: string, options: UnaryOptions): Promise<Buffer> {
    const [method, request, call] = ['/etcdserverpb.Maintenance/Status', Buffer.alloc(0), { ...options, repeatable: true }] as const
    const response = this.#unaryConnections.to(address)?.call(method, request, call)
    if (response !== undefined) return response
    const member = await this.#next('KV')
    if (member.address === address) return callMember(member, method, request, call)
    throw Object.assign(new Error(`no connection to ${address} yet`), { code: Status.UNAVAILABLE })
  }

  /** Whether either connection of the member is up. */
  #isUp({ address, channel }: ClusterMember): boolean {
    return channel.getConnectivityState(true) === this.#grpc.connectivityState.READY || this.#unaryConnections.to(address) !== undefined
  }

  /**
   * Chooses a member: the pool's choice if it is up and no call of it has failed recently, otherwise the fittest of the
   * others.
   */
  async #choose(service: Service): Promise<ClusterMember> {
    let best = await this.#next(service)
    const seen = new Set([best.address])
    // The pool chooses at random each time: after this many choices it has missed a member once in 10 million times.
    for (let i = 1; i < 16 * this.#memberCount && seen.size < this.#memberCount && this.#fitness(best) < 2; i++) {
      const member = await this.#next(service)
      seen.add(member.address)
      if (this.#fitness(member) > this.#fitness(best)) best = member
    }
    this.#chosen.set(service, best)
    return best
  }

  /** Ranks a member: 2 if it is up, 1 if it is up but has failed recently, 0 if it is down. */
  #fitness(member: ClusterMember): 0 | 1 | 2 {
    if (!this.#isUp(member)) return 0
    return this.#failures.has(member.address) ? 1 : 2
  }

  #next(service: Service): Promise<ClusterMember> {
    return this.#pool.withConnection(service, ({ client, metadata }) => {
      const channel = client.getChannel()
      return { client, metadata, channel, address: this.#behind.get(channel) ?? channel.getTarget().replace(/^dns:/, '') }
    })
  }
}

/**
 * Calls a channel directly. The client's convenience method captures a stack trace per call, which is a third of the
 * cost of a call.
 */
function callMember(
  { channel, metadata }: ClusterMember,
  method: Method,
  request: Buffer,
  { signal, deadline }: CallOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let response: Buffer | undefined
    const call = channel.createCall(method, deadline, undefined, null, undefined)
    const forget = onAbort(signal, () => call.cancelWithStatus(Status.CANCELLED, 'Cancelled on client'))
    call.start(metadata, {
      onReceiveMetadata() {},
      onReceiveMessage(message: Buffer) {
        response = message
      },
      onReceiveStatus({ code, details }) {
        forget()
        if (code === 0 && response !== undefined) return resolve(response)
        reject(Object.assign(new Error(details), code === 0 ? {} : { code, details }))
      },
    })
    call.startRead()
    call.sendMessageWithContext({}, request)
    call.halfClose()
  })
}
