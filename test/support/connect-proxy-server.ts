import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A proxy that opens connections by CONNECT, and knows which. */
export class ConnectProxyServer {
  /** Hosts and ports of CONNECT requests. */
  readonly asked: string[] = []
  /** Response in place of a connection. Undefined to connect. */
  answer: string | undefined
  /** Port of this machine that replaces the requested one. Undefined to connect to the requested port. */
  portTo: number | undefined
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connect', ({ url = '' }, client: Duplex) => {
      this.asked.push(url)
      this.#keep(client)
      if (this.answer !== undefined) return void client.end(this.answer)
      const { hostname, port } = new URL(`http://${url}`)
      const target = connect(this.portTo ?? Number(port), this.portTo === undefined ? hostname : '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(target).pipe(client)
      })
      this.#keep(target)
      target.on('error', () => client.destroy())
      client.on('close', () => target.destroy())
    })
    server.on('connection', (socket: Socket) => this.#keep(socket))
  }

  /** On a socket of this path, or on a free port. `tls`: with TLS. */
  static async start(at: { readonly path?: string; readonly tls?: object } = {}): Promise<ConnectProxyServer> {
    const made = new ConnectProxyServer(at.tls ? createTlsServer(at.tls) : createServer())
    made.#server.listen(at.path ?? { port: 0, host: '127.0.0.1' })
    await once(made.#server, 'listening')
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket))
  }
}
