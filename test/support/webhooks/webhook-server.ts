import { once } from 'node:events'
import type http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { issueCa, issueServing } from '../../../src/server/tls/issue.ts'

type Json = Record<string, unknown>

/** Response of a webhook: an object as JSON, or none if it writes the response itself. */
export type Act = (review: Json, res: http.ServerResponse, req: http.IncomingMessage) => Json | undefined | Promise<Json | undefined>

/** An HTTPS server on 127.0.0.1 with a certificate of its own authority, which does for each path what a test says. */
export class WebhookServer {
  readonly caBundle: string
  /** The serving certificate alone, in the form of a `caBundle`. */
  readonly ownBundle: string
  readonly requests: { readonly path: string; readonly headers: http.IncomingHttpHeaders; readonly review: Json }[] = []
  readonly sockets = new Set<Socket>()
  readonly acts = new Map<string, Act>()
  readonly #server: https.Server

  private constructor(tls: { readonly cert: string; readonly key: string }, ca: string) {
    this.caBundle = Buffer.from(ca).toString('base64')
    this.ownBundle = Buffer.from(tls.cert).toString('base64')
    this.#server = https.createServer(tls, (req, res) => void this.#answer(req, res))
    this.#server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
    })
  }

  static async start(names: { dns: string[]; ips: string[] } = { dns: ['localhost'], ips: ['127.0.0.1'] }): Promise<WebhookServer> {
    const ca = await issueCa('webhooks')
    return WebhookServer.startWith(await issueServing(ca, 'webhook', names), ca.cert)
  }

  /** With another certificate. PEM. */
  static async startWith(
    tls: { readonly cert: string; readonly key: string; readonly ciphers?: string },
    ca: string,
  ): Promise<WebhookServer> {
    const made = new WebhookServer(tls, ca)
    // A server that a failed test leaves behind does not keep the process running.
    made.#server.unref().listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Returns the client configuration for the webhook. */
  clientConfig(path: string): { readonly url: string; readonly caBundle: string } {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle }
  }

  close(): void {
    this.#server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  async #answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const review = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json
    this.requests.push({ path: req.url ?? '', headers: req.headers, review })
    const path = (req.url ?? '').split('?')[0] as string
    const answer = await this.acts.get(path)?.(review, res, req)
    if (answer === undefined) return
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(answer))
  }
}
