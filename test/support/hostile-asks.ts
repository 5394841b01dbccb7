import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { issuerClient, readResponseJson } from '../../src/auth/authn/jwt/issuer-client.ts'
import { isSuccess, post, responseFailure } from '../../src/clients/post.ts'
import { readForeignReview } from '../../src/codec/foreign-review.ts'
import { askOver } from '../../src/endpoints/connect/ask.ts'
import { dialThrough } from '../../src/lib/connect-proxy.ts'
import { checkHealth } from '../../src/resources/core/component-status/check-health.ts'

const REVIEW = JSON.stringify({ kind: 'Review' })

/** Asks a peer at a port of this machine as one part of the server does. Resolves with what came of it. */
export type Asks = (port: number, signal: AbortSignal) => Promise<string>

const read = async (body: Readable): Promise<string> => {
  let length = 0
  for await (const part of body) length += (part as Buffer).length
  return `${length} bytes`
}

const webhook: Asks = async (port, signal) => {
  const agent = new Agent()
  const to = { agent, host: '127.0.0.1', port, authority: 'hook', serverName: 'hook', path: '/', headers: {} }
  const answer = await post(to, REVIEW, signal, { maxBytes: 1 << 20 })
  if (!isSuccess(answer)) return (await responseFailure(answer)).message
  return JSON.stringify(await readForeignReview(answer.body))
}

const issuer: Asks = async (port, signal) => {
  const ended = new AbortController()
  signal.addEventListener('abort', () => ended.abort())
  return JSON.stringify(await readResponseJson(await issuerClient('', ended.signal).get(`http://127.0.0.1:${port}/keys`)))
}

const aggregated: Asks = async (port, signal) => {
  const tls = { rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
  const destination = { scheme: 'https', host: '127.0.0.1', port: String(port), path: '/apis', query: '', trust: 'anything' } as const
  const { response } = await askOver({ tls }, destination, { method: 'GET', headers: [], signal })
  return read(response)
}

const component: Asks = async (port, signal) => {
  const { isHealthy, message } = await checkHealth(port, signal)
  return isHealthy ? 'healthy' : message
}

const proxy: Asks = (port, signal) =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')))
    dialThrough({ at: { host: '127.0.0.1', port } })('10.0.0.1', 443, (error, socket?: Socket) => {
      socket?.destroy()
      if (error) reject(error)
      else resolve('connected')
    })
  })

/** Requests by the peer that receives them. */
export const ASKS = {
  'a webhook': { asks: webhook, isSecure: false },
  'an issuer': { asks: issuer, isSecure: false },
  'an aggregated server': { asks: aggregated, isSecure: true },
  'a component': { asks: component, isSecure: true },
  'a proxy': { asks: proxy, isSecure: false },
} as const satisfies Readonly<Record<string, { readonly asks: Asks; readonly isSecure: boolean }>>
