import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { eachField } from '../../lib/raw-fields.ts'
import type { AnyRequest, Listener } from './any-http.ts'
import { currentResponse } from './current-response.ts'
import { faultOfFields, refuseFault } from './field-limit.ts'
import { originForm, parseTarget } from './request-target.ts'

/** A connection whose client asks to leave HTTP. Its bytes are kept until `detach` hands them over. */
export interface Upgrade {
  readonly socket: Duplex
  /** Bytes that came behind the request. */
  readonly head: Buffer
  /** Detaches the connection from the response, which cannot be written afterwards. */
  detach(): void
}

/** Bytes that a client may send before the response. */
const MAX_EARLY_BYTES = 64 * 1024
/** Delay of TCP keep-alive probes, which detect a client that disappeared. */
const KEEP_ALIVE_MS = 30_000

const upgrades = new WeakMap<AnyRequest, Upgrade>()

/** Connections that have left HTTP. */
const taken = new WeakSet<Duplex>()

/** Reports whether a connection has left HTTP. */
export const hasLeftHttp = (socket: Duplex): boolean => taken.has(socket)

/** Returns the upgrade of a request. Undefined unless its client asked to leave HTTP and the path allows it. */
export const upgradeOf = (req: AnyRequest): Upgrade | undefined => upgrades.get(req)

/** Subresources that may leave HTTP by any protocol. */
const LEAVES_HTTP = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?[^/]+\/[^/]+\/(?:attach|exec|log|portforward|proxy)(?:[/?]|$)/
/**
 * Paths that may be a watch, which is served over a WebSocket on request. Other requests with such a path get their
 * response over HTTP, and the connection is closed.
 */
const MAY_WATCH = /^\/api(?:\/|s\/[^/?]+\/)[^/?]+\/(?:watch\/|[^?]*\?(?:.*&)?watch(?:[=&]|$))/

/** Whether requests for a path are proxied to another server. They may leave HTTP by any protocol. */
export type PassesOn = (path: string) => boolean

function leavesHttp({ method, url = '', headers: { upgrade = '' } }: IncomingMessage, passesOn: PassesOn): boolean {
  if (/^h2c$/i.test(upgrade)) return false
  return (
    LEAVES_HTTP.test(url) || passesOn(parseTarget(url).path) || (method === 'GET' && /^websocket$/i.test(upgrade) && MAY_WATCH.test(url))
  )
}

/**
 * Returns the listener for requests with an Upgrade header. Node takes the connections of all such requests out of
 * HTTP. Most clients only offer an upgrade (h2c, by Java's client): their connections go back into HTTP without the
 * offer, by `readmit`, which serves a connection as if it were new. Requests with more fields than Node keeps are
 * refused: the head that goes back would be incomplete.
 */
export function upgradeListener(
  listener: Listener,
  readmit: (socket: Duplex) => void,
  passesOn: PassesOn,
): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (req, socket, head) => {
    // Node has removed its own listeners. This one is what is left of them.
    socket.removeAllListeners('data')
    // The response to an earlier request on this connection is still being written. Two responses cannot share it.
    if (currentResponse(socket)) {
      socket.destroy()
      return
    }
    const fault = faultOfFields(req)
    if (fault !== undefined) {
      refuseFault(socket, fault)
      return
    }
    if (req.url !== undefined) req.url = originForm(req.url)
    if (!leavesHttp(req, passesOn)) {
      socket.unshift(Buffer.concat([requestHeadBytes(req), head]))
      readmit(socket)
      return
    }
    // Node's own error listener is gone. A broken connection closes the response, which is enough.
    socket.on('error', () => socket.destroy())
    if (socket instanceof Socket) socket.setKeepAlive(true, KEEP_ALIVE_MS)
    taken.add(socket)
    const early = keepEarly(socket)
    const res = new ServerResponse(req)
    const drained = (): void => void res.emit('drain')
    res.shouldKeepAlive = false
    res.assignSocket(socket as Parameters<typeof res.assignSocket>[0])
    socket.on('drain', drained)
    res.once('finish', () => socket.end())
    upgrades.set(req, {
      socket,
      head,
      detach: () => {
        socket.off('drain', drained)
        res.detachSocket(socket as Parameters<typeof res.detachSocket>[0])
        early.giveBack()
      },
    })
    listener(req, res)
  }
}

/**
 * Reads what a client sends before the response, up to a bound: only a read shows that the client closed the
 * connection, which is then closed here. `giveBack` restores the connection as if nothing had been read.
 */
function keepEarly(socket: Duplex): { giveBack(): void } {
  const chunks: Buffer[] = []
  let bytes = 0
  const keep = (): void => {
    while (bytes <= MAX_EARLY_BYTES) {
      const chunk: Buffer | null = socket.read()
      if (chunk === null) return
      chunks.push(chunk)
      bytes += chunk.length
    }
  }
  const leave = (): void => void socket.destroy()
  socket.on('readable', keep).on('end', leave)
  return {
    giveBack() {
      socket.off('readable', keep).off('end', leave)
      if (bytes > 0) socket.unshift(Buffer.concat(chunks))
    },
  }
}

/** Returns the request line and headers without the upgrade offer. */
function requestHeadBytes({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  eachField(rawHeaders, (name, value) => {
    if (/^(?:upgrade|http2-settings)$/i.test(name)) return
    if (!/^connection$/i.test(name)) lines.push(`${name}: ${value}`)
    else if (/\bclose\b/i.test(value)) lines.push('Connection: close')
  })
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
