import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { HTTP2_STACKS } from '../support/http2-stacks.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { timeBound } from '../support/time-bounds.ts'
import { type TwoWires, twoWires } from '../support/two-wires.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const OBJECT_BYTES = 200_000
const WRITES = 100
/** Twenty that each had all of what is written unread would be 400 MB. */
const SLOW = 10
/** Objects that a watch begins with. */
const MANY = 700
const RESIDENT_MB = 350

for (const http2 of HTTP2_STACKS)
  describe(`clients that do not read their responses (--http2=${http2})`, () => {
    let server: ServerProcess
    let client: JsonClient
    let wires: TwoWires
    before(async () => {
      server = await createServerProcess([`--http2=${http2}`])
      await server.start()
      client = createJsonClient(server.url)
      wires = twoWires(server.url, server.secureUrl, server.kubeconfig)
    })
    after(async () => {
      client?.close()
      wires?.close()
      await server?.stop()
    })

    const askAndNotRead = async (path: string): Promise<Socket> => {
      const { hostname, port } = new URL(server.url)
      const socket = connectSocket(Number(port), hostname)
      socket.on('error', () => {}).pause()
      await once(socket, 'connect')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      return socket
    }

    const ended = async (): Promise<number> => {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      return Number(/^apiserver_terminated_watchers_total\{resource="configmaps"\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }

    it('have their watches ended, use no memory for them, and delay no other client', async () => {
      const sockets = await Promise.all(Array.from({ length: SLOW }, () => askAndNotRead(`${CONFIG_MAPS}?watch=1`)))
      const session = wires.session()
      const streams = Array.from({ length: SLOW }, () => session.request({ ':path': `${CONFIG_MAPS}?watch=1` }))
      for (const stream of streams) stream.on('error', () => {}).pause()
      let seen = 0
      const reader = session.request({ ':path': `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=big` })
      const other = wires.session().request({ ':path': `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=big` })
      other.setEncoding('utf8').on('data', (text: string) => {
        seen += text.split('\n').length - 1
      })
      reader.on('error', () => {}).resume()
      await once(other, 'response')
      for (let n = 0; n < WRITES; n++) {
        const object = configMap('big', { n: `${n}`, filler: 'x'.repeat(OBJECT_BYTES) })
        if (n === 0) await client.must('POST', CONFIG_MAPS, object)
        else await client.must('PUT', `${CONFIG_MAPS}/big`, object)
      }
      for (const deadline = Date.now() + 120_000; seen < WRITES && Date.now() < deadline; ) await sleep(20)
      expect(seen, 'events of a client that reads').to.equal(WRITES)
      expect(server.residentMegabytes()).to.be.below(RESIDENT_MB)
      for (const deadline = Date.now() + 60_000; (await ended()) < 2 * SLOW && Date.now() < deadline; ) await sleep(200)
      expect(await ended(), 'watches counted as ended for their clients').to.be.within(2 * SLOW, 2 * SLOW + 1)
      for (const socket of sockets) socket.destroy()
      session.destroy()
    })

    it('have lists that are encoded as they are read', async () => {
      for (let n = 0; n < 100; n++) await client.must('POST', CONFIG_MAPS, configMap(`c${n}`, { filler: 'x'.repeat(OBJECT_BYTES) }))
      const sockets = await Promise.all(Array.from({ length: 2 * SLOW }, () => askAndNotRead(CONFIG_MAPS)))
      await sleep(1000)
      const started = server.processorMs()
      expect((await client.must('GET', `${CONFIG_MAPS}/c7`)).data.filler.length).to.equal(OBJECT_BYTES)
      expect(server.processorMs() - started).to.be.below(timeBound(10_000))
      expect(server.residentMegabytes()).to.be.below(RESIDENT_MB)
      for (const socket of sockets) socket.destroy()
    })

    it('read long initial events of a watch to the end, however slowly', async () => {
      const secrets = '/api/v1/namespaces/default/secrets'
      const filler = 'x'.repeat(OBJECT_BYTES / 10)
      await Promise.all(
        Array.from({ length: MANY }, (_, n) =>
          client.must('POST', secrets, { kind: 'Secret', apiVersion: 'v1', metadata: { name: `s${n}` }, stringData: { filler } }),
        ),
      )
      const answer = await new Promise<IncomingMessage>((resolve, reject) =>
        request(`${server.url}${secrets}?watch=1`, resolve).on('error', reject).end(),
      )
      let events = 0
      let bytes = 0
      answer.setEncoding('latin1').on('data', (text: string) => {
        bytes += text.length
        events += text.split('\n').length - 1
        answer.pause()
        setTimeout(() => answer.resume(), 4)
      })
      for (const deadline = Date.now() + 60_000; events < MANY && !answer.destroyed && Date.now() < deadline; ) await sleep(20)
      answer.destroy()
      expect([events, bytes > (MANY * OBJECT_BYTES) / 10]).to.deep.equal([MANY, true])
    })
  })
