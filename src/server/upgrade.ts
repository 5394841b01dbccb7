import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { eachField } from '../lib/raw-fields.ts'
import { answerUnderWay } from './answer-under-way.ts'
import type { AnyRequest, Listener } from './any-http.ts'
import { faultOfFields, refuseFault } from './field-limit.ts'
import { originForm, parseTarget } from './request-target.ts'

/** A connection whose client asks to leave HTTP. Its bytes are nobody's until the answer. */
export interface Upgrade {
  readonly socket: Duplex
  /** What has come behind the request. */
  readonly head: Buffer
  /** Takes the connection from the response, which can answer no more. */
  detach(): void
}

/** What may come before the answer. */
const MAX_EARLY_BYTES = 64 * 1024
/** A client that has gone without a word is noticed by this. */
const KEEP_ALIVE_MS = 30_000

const upgrades = new WeakMap<AnyRequest, Upgrade>()

/** Connections that are no longer read and written as HTTP. */
const taken = new WeakSet<Duplex>()

export const hasLeftHttp = (socket: Duplex): boolean => taken.has(socket)

export const upgradeOf = (req: AnyRequest): Upgrade | undefined => upgrades.get(req)

/** Those subresources alone leave HTTP by any way. */
const LEAVES_HTTP = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?[^/]+\/[^/]+\/(?:attach|exec|log|portforward|proxy)(?:[/?]|$)/
/** What may be a watch, which goes on as a WebSocket where the client asks for that. What is none is answered over HTTP all the same, and the connection closed. */
const MAY_WATCH = /^\/api(?:\/|s\/[^/?]+\/)[^/?]+\/(?:watch\/|[^?]*\?(?:.*&)?watch(?:[=&]|$))/

/** Whether a request with such a path is passed on to another server, with which it may leave HTTP by any way. */
export type PassesOn = (path: string) => boolean

function leavesHttp({ method, url = '', headers: { upgrade = '' } }: IncomingMessage, passesOn: PassesOn): boolean {
  if (/^h2c$/i.test(upgrade)) return false
  return LEAVES_HTTP.test(url) || passesOn(parseTarget(url).path) || (method === 'GET' && /^websocket$/i.test(upgrade) && MAY_WATCH.test(url))
}

/**
 * Node gives a server that listens for upgrades every request with an Upgrade header, and takes the connection out of HTTP. Most of those only offer one (h2c, by Java's client): they go
 * back into HTTP, without the offer. `readmit` lets the server take a connection as if it were new. The head has to be there whole: a field that Node had left out would be missing from what is served.
 */
export function upgradeListener(
  listener: Listener,
  readmit: (socket: Duplex) => void,
  passesOn: PassesOn,
): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (req, socket, head) => {
    // Node has taken away its own listeners, of which this was one.
    socket.removeAllListeners('data')
    // The answer to an earlier request on this connection is still being written: two can't share it.
    if (answerUnderWay(socket)) {
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
      socket.unshift(Buffer.concat([headOf(req), head]))
      readmit(socket)
      return
    }
    // The server's own listeners have gone. A connection that breaks closes the response, which is enough.
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
 * Reads what a client sends before it is answered, up to a bound: one that goes meanwhile is noticed only by a read, and its connection is closed. `giveBack` leaves the connection as if nothing had been
 * read.
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

/** The request's line and headers as they came, but for the offer to leave HTTP. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  eachField(rawHeaders, (name, value) => {
    if (/^(?:upgrade|http2-settings)$/i.test(name)) return
    if (!/^connection$/i.test(name)) lines.push(`${name}: ${value}`)
    else if (/\bclose\b/i.test(value)) lines.push('Connection: close')
  })
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
