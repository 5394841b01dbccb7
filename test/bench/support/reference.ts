/**
 * Limits of the machine: the same bytes by a bare Koa (`koa`) or by raw node:http (`http`, `watch`), in a process of
 * its own. Arguments: mode, file with the bytes to serve. Prints its port.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'

const [mode, file = ''] = process.argv.slice(2)
const body = readFileSync(file)

function serve(): http.Server {
  if (mode === 'koa') {
    const app = new Koa()
    app.use(ctx => {
      ctx.type = 'application/json'
      ctx.body = body
    })
    return app.listen(0, '127.0.0.1')
  }
  if (mode === 'http')
    return http
      .createServer((_, res) => {
        res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
        res.end(body)
      })
      .listen(0, '127.0.0.1')
  return watches()
}

/** GET /go?events=…&group=… writes the bytes so often to every open connection, in groups, a group a turn. */
function watches(): http.Server {
  const open: http.ServerResponse[] = []
  const frame = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
  return http
    .createServer((req, res) => {
      const url = new URL(req.url ?? '/', 'http://localhost')
      if (url.pathname !== '/go') {
        res.writeHead(200, { 'Content-Type': 'application/json' })
        res.flushHeaders()
        open.push(res)
        return
      }
      const events = Number(url.searchParams.get('events'))
      const size = Number(url.searchParams.get('group'))
      const group = Buffer.concat(Array.from({ length: size }, () => frame))
      let sent = 0
      const turn = (): void => {
        if (sent >= events) return void res.end()
        sent += size
        for (const one of open) one.socket?.write(group)
        setImmediate(turn)
      }
      turn()
    })
    .listen(0, '127.0.0.1')
}

const server = serve()
server.on('listening', () => console.log((server.address() as AddressInfo).port))
