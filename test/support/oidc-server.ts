import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { issueCa, issueServing } from '../../src/server/tls/issue.ts'
import { publicJwk, type SigningKey, signedToken, signingKey } from './token-issuer.ts'

const DISCOVERY = '/.well-known/openid-configuration'

/** An issuer of tokens (OpenID Connect) over HTTPS on 127.0.0.1, whose keys and availability a test changes. */
export class OidcServer {
  /** PEM. */
  readonly authority: string
  readonly asked: string[] = []
  keys: readonly SigningKey[] = [signingKey('first')]
  /** Cache-Control of the response with the keys. */
  cacheControl: string | undefined
  isDown = false
  readonly #server: https.Server
  readonly #sockets = new Set<Socket>()

  private constructor(tls: { readonly cert: string; readonly key: string }, authority: string) {
    this.authority = authority
    this.#server = https.createServer(tls, (req, res) => this.#answer(req.url ?? '', res))
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(): Promise<OidcServer> {
    const ca = await issueCa('issuers')
    const made = new OidcServer(await issueServing(ca, 'issuer', { dns: ['localhost'], ips: ['127.0.0.1'] }), ca.cert)
    made.#server.unref().listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** A token of this issuer for the audience `us`, good for ten minutes, unless told otherwise. */
  token(claims: object = {}, key: SigningKey | undefined = this.keys[0]): string {
    if (key === undefined) throw new Error('no key')
    return signedToken(key, { iss: this.url, aud: 'us', sub: 'jane', exp: Math.floor(Date.now() / 1000) + 600, ...claims })
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #answer(path: string, res: import('node:http').ServerResponse): void {
    this.asked.push(path)
    if (this.isDown) {
      res.writeHead(503).end('down')
      return
    }
    res.setHeader('content-type', 'application/json')
    if (path === DISCOVERY) res.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }))
    else if (path === '/keys') {
      if (this.cacheControl !== undefined) res.setHeader('cache-control', this.cacheControl)
      res.end(JSON.stringify({ keys: this.keys.map(publicJwk) }))
    } else if (path === '/moved') res.writeHead(302, { location: DISCOVERY }).end()
    else if (path === '/loop') res.writeHead(302, { location: '/loop' }).end()
    else res.writeHead(404).end()
  }
}
