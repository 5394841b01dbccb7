import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { steadyClock } from '../../lib/clock.ts'
import { Progress } from '../../lib/progress.ts'
import { currentResponse } from '../http/current-response.ts'
import { hasLeftHttp } from '../http/upgrade.ts'
import {
  BUSY_MS,
  CHECK_MS,
  EVICTED_AT_ONCE,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_HELD_BYTES,
  SETTLING_MS,
  STALLED_MS,
  STALLED_STREAM_MS,
  TLS_CHECK_MS,
} from '../limits.ts'
import { EmptyRecords } from '../tls/empty-records.ts'
import { pipelinedBytes } from './http1-requests.ts'
import type { Http2Session } from './http2-stacks.ts'

/** State of a connection between two checks. */
interface TrackedConnection {
  /** The accepted TCP socket. */
  readonly socket: Socket
  /** Socket that HTTP/1.1 is spoken on: the TLS socket after a handshake, `socket` otherwise. */
  speaker: Socket
  http2: Http2Session | undefined
  /** Undefined over plain TCP, and until the TLS handshake is done. */
  emptyRecords: EmptyRecords | undefined
  readonly idle: Progress
  readonly stalled: Progress
  /** As of the last check: how long the connection has been idle, in milliseconds. */
  idleFor: number
  stalledFor: number
  heldBytes: number
  /** Bytes that were read as of the last check. */
  read: number
  /** Bytes of a request head that may be incomplete. */
  headBytes: number
  /** Bytes that were sent as of the last check. */
  sent: number
}

/** Returns the TCP socket below a TLS socket. Node's servers keep it in a property that its types omit. */
export const plainSocket = (secure: TLSSocket): Socket =>
  '_parent' in secure && secure._parent instanceof Socket ? secure._parent : secure

/** Limits that tests lower. */
export const CONNECTION_LIMITS = {
  connections: MAX_CONNECTIONS,
  heldBytes: MAX_HELD_BYTES,
  stalledMs: STALLED_MS,
  stalledStreamMs: STALLED_STREAM_MS,
}

/**
 * The connections of a port, of any protocol, and their resource limits. A check once a second closes connections that
 * have made no progress for too long. If all connections together hold too many bytes, those without progress for the
 * longest time are closed first. A connection beyond the limit takes the place of idle ones.
 */
export class Connections {
  readonly #limits: typeof CONNECTION_LIMITS
  readonly #all = new Map<Socket, TrackedConnection>()
  #timer: NodeJS.Timeout | undefined
  #tlsTimer: NodeJS.Timeout | undefined
  /** Time of the last `lookAtTls`, which shows how long the event loop was held. */
  #turned = 0

  constructor(limits = CONNECTION_LIMITS) {
    this.#limits = limits
  }

  get size(): number {
    return this.#all.size
  }

  /** Adds an accepted connection. */
  add(socket: Socket): void {
    if (this.#all.size >= this.#limits.connections && !this.#evict()) {
      socket.destroy()
      return
    }
    const connection = {
      socket,
      speaker: socket,
      http2: undefined,
      emptyRecords: undefined,
      idle: new Progress(),
      stalled: new Progress(),
      idleFor: 0,
      stalledFor: 0,
      heldBytes: 0,
      read: 0,
      headBytes: 0,
      sent: 0,
    }
    connection.idle.stalledFor(steadyClock.now(), true, true)
    this.#all.set(socket, connection)
    socket.once('close', () => this.#all.delete(socket))
    this.#timer ??= setInterval(() => this.look(steadyClock.now()), CHECK_MS).unref()
  }

  /** Records that the TLS handshake of a connection is done. `http2`: its session if ALPN chose HTTP/2. */
  secured(secure: TLSSocket, http2: Http2Session | undefined): void {
    const connection = this.#all.get(plainSocket(secure))
    if (connection === undefined) return
    connection.speaker = secure
    connection.http2 = http2
    const now = steadyClock.now()
    connection.emptyRecords = new EmptyRecords(now, connection.socket.bytesRead, secure.bytesRead)
    if (this.#tlsTimer !== undefined) return
    this.#turned = now
    this.#tlsTimer = setInterval(() => this.lookAtTls(steadyClock.now()), TLS_CHECK_MS).unref()
  }

  /** Asks the clients of HTTP/2 connections to finish (GOAWAY). */
  leave(): void {
    for (const { http2 } of this.#all.values()) http2?.leave()
  }

  destroy(): void {
    for (const socket of this.#all.keys()) socket.destroy()
  }

  /** Checks all connections. `now`: milliseconds of a steady clock. */
  look(now: number): void {
    if (this.#all.size === 0) {
      clearInterval(this.#timer)
      clearInterval(this.#tlsTimer)
      this.#timer = undefined
      this.#tlsTimer = undefined
      return
    }
    this.#closeFloods(now)
    let held = 0
    for (const connection of this.#all.values()) {
      if (connection.http2 !== undefined) lookAtHttp2(connection, connection.http2, now)
      else lookAtHttp1(connection, now, this.#limits)
      held += connection.heldBytes
    }
    if (held > this.#limits.heldBytes) this.#relieve(held)
  }

  /**
   * Checks the TLS connections if the event loop was held for longer than `BUSY_MS`: records without data cause no
   * events that would show it. Called every `TLS_CHECK_MS`.
   */
  lookAtTls(now: number): void {
    const late = now - this.#turned - TLS_CHECK_MS
    this.#turned = now
    if (late > BUSY_MS) this.#closeFloods(now)
  }

  /** Closes TLS connections whose client sends too many bytes without data. */
  #closeFloods(now: number): void {
    for (const { socket, speaker, emptyRecords } of this.#all.values()) {
      if (emptyRecords?.isFlood(now, socket.bytesRead, speaker.bytesRead)) socket.destroy()
    }
  }

  /**
   * Closes connections until a quarter of the bytes that all may hold is free: those without progress for the longest
   * time first, then those that hold most.
   */
  #relieve(held: number): void {
    const holding = [...this.#all.values()].filter(({ heldBytes }) => heldBytes > 0)
    holding.sort((a, b) => b.stalledFor - a.stalledFor || b.heldBytes - a.heldBytes)
    let left = held
    for (const { socket, heldBytes } of holding) {
      if (left <= this.#limits.heldBytes * 0.75) return
      left -= heldBytes
      socket.destroy()
    }
  }

  /** Closes connections that are idle, or whose client does not read. Returns whether any was closed. */
  #evict(): boolean {
    const useless = (each: TrackedConnection): number => Math.max(each.idleFor, each.stalledFor)
    const found = [...this.#all.values()].filter(each => useless(each) >= SETTLING_MS)
    found.sort((a, b) => useless(b) - useless(a))
    for (const { socket } of found.slice(0, EVICTED_AT_ONCE)) {
      this.#all.delete(socket)
      socket.destroy()
    }
    return found.length > 0
  }
}

/** Updates the measurements of an HTTP/2 connection, and has its session enforce its own time limits. */
function lookAtHttp2(connection: TrackedConnection, http2: Http2Session, now: number): void {
  http2.check(now)
  const sent = http2.sentBytes
  connection.heldBytes = http2.heldBytes
  connection.idleFor = connection.idle.stalledFor(now, http2.open === 0, false)
  connection.stalledFor = connection.stalled.stalledFor(now, http2.isWaiting, sent !== connection.sent)
  connection.sent = sent
}

/**
 * Updates the measurements of an HTTP/1.1 or upgraded connection, and closes it if the client has stopped reading for
 * too long.
 */
function lookAtHttp1(connection: TrackedConnection, now: number, limits: typeof CONNECTION_LIMITS): void {
  const { speaker } = connection
  const waiting = speaker.writableLength
  const answer = currentResponse(speaker)
  const left = hasLeftHttp(speaker)
  const sent = speaker.bytesWritten - waiting
  const read = speaker.bytesRead
  connection.headBytes = openHeadBytes(connection, sent, read, answer !== undefined || left)
  connection.heldBytes = waiting + speaker.readableLength + connection.headBytes + pipelinedBytes(speaker)
  connection.stalledFor = connection.stalled.stalledFor(now, waiting > 0, sent !== connection.sent)
  connection.idleFor = connection.idle.stalledFor(now, waiting === 0 && answer === undefined && !left, read !== connection.read)
  connection.sent = sent
  connection.read = read
  const goesOn = left || answer?.writableEnded === false
  if (connection.stalledFor > (goesOn ? limits.stalledStreamMs : limits.stalledMs)) connection.socket.destroy()
}

/**
 * Bytes of a request head that has begun, as seen from outside the parser: those read since the last check at which a
 * response was sent. Bytes that came in the same second as a response may belong to the request before it.
 */
function openHeadBytes({ sent, read, headBytes }: TrackedConnection, nowSent: number, nowRead: number, busy: boolean): number {
  if (busy) return 0
  const came = nowRead - read
  return Math.min(MAX_HEADER_BYTES, nowSent === sent ? headBytes + came : came)
}
