import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:http2'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { HTTP2_STACKS } from '../support/http2-stacks.ts'
import { createJsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually, withDelay } from '../support/waiting.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
/** Longer than the three requests of a trial take on most machines. */
const DELAY_MS = 2500

/** A streaming response, and how it ended. */
interface Stream {
  text: string
  readonly ended: Promise<'whole' | 'cut'>
}

for (const http2 of HTTP2_STACKS)
  describe(`graceful shutdown (--http2=${http2})`, () => {
    let server: ServerProcess
    const start = async (delayMs: number): Promise<void> => {
      server = await createServerProcess([`--http2=${http2}`, '--shutdown-delay-duration', `${delayMs}ms`])
      await server.start()
    }
    afterEach(() => server?.stop())

    /** Shuts the server down. Returns false if the requests during the delay took longer than the delay. */
    async function shutDown(delayMs: number): Promise<boolean> {
      await start(delayMs)
      const client = createJsonClient(server.url)
      await client.must('POST', CONFIG_MAPS, configMap('early', { a: '1' }))
      const watches = [await watchOverHttp1(server.url), await watchOverHttp2(server.secureUrl, server.kubeconfig)]
      // A request whose body is incomplete when the server is terminated, and for longer than the delay.
      const bytes = Buffer.from(JSON.stringify(configMap('late', { a: '2' })))
      const slow = await requestInFlight(server.url, bytes.length)
      const answered = once(slow, 'response') as Promise<[IncomingMessage]>
      slow.write(bytes.subarray(0, 20))

      const begun = performance.now()
      const exited = server.terminate()
      await eventually('it shuts down', () => server.log().includes('shutting down'))
      const readiness = await client.ask('GET', '/readyz')
      const liveness = await client.ask('GET', '/livez')
      const write = await client.ask('POST', CONFIG_MAPS, { body: configMap('during', { a: '3' }) })
      if (performance.now() - begun > delayMs) {
        slow.on('error', () => {}).destroy()
        for (const { ended } of watches) await ended
        client.close()
        await server.stop()
        return false
      }
      expect([readiness.status, liveness.status, write.status], 'readiness, liveness and a write').to.deep.equal([500, 200, 201])
      await eventually('new requests are refused', async () => [0, 503].includes((await client.ask('GET', '/livez')).status))
      expect(performance.now() - begun, 'the time until then').to.be.at.least(delayMs)
      slow.end(bytes.subarray(20))
      const [answer] = await answered
      expect(answer.statusCode, 'the request in flight').to.equal(201)
      answer.resume()
      for (const watch of watches) {
        expect(await watch.ended).to.equal('whole')
        const lines = watch.text.split('\n')
        expect(lines.pop()).to.equal('')
        const events = lines.map(line => JSON.parse(line)).filter(({ object }) => object.metadata?.name !== 'kube-root-ca.crt')
        expect(events.map(({ type, object }) => `${type} ${object.metadata?.name}`)).to.deep.equal(['ADDED early', 'ADDED during'])
      }
      expect(await exited, 'exit code').to.equal(0)
      client.close()

      await server.start()
      const again = createJsonClient(server.url)
      const { items } = await again.must('GET', CONFIG_MAPS)
      expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).to.deep.equal([
        'during',
        'early',
        'kube-root-ca.crt',
        'late',
      ])
      again.close()
      return true
    }

    it('fails readiness first, finishes requests, ends watches cleanly, exits with 0, and loses no write', () =>
      withDelay(DELAY_MS, shutDown))

    it('ends immediately on a second signal', async () => {
      await start(DELAY_MS)
      const idle = await requestInFlight(server.url, 10)
      idle.on('error', () => {})
      const exited = server.terminate()
      await eventually('it shuts down', () => server.log().includes('shutting down'))
      void server.terminate()
      expect(await exited).to.equal(1)
    })
  })

/** A request whose body is to come, and whose head the server has read. */
async function requestInFlight(url: string, length: number): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', 'content-length': length, expect: '100-continue' }
  const asked = request(`${url}${CONFIG_MAPS}`, { method: 'POST', headers })
  asked.flushHeaders()
  await once(asked, 'continue')
  return asked
}

async function watchOverHttp1(url: string): Promise<Stream> {
  const asked = request(`${url}${CONFIG_MAPS}?watch=1`).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const stream: Stream = {
    text: '',
    ended: new Promise(resolve => {
      answer.on('error', () => {}).on('close', () => resolve(answer.complete ? 'whole' : 'cut'))
    }),
  }
  answer.setEncoding('utf8').on('data', (part: string) => {
    stream.text += part
  })
  return stream
}

async function watchOverHttp2(url: string, kubeconfig: string): Promise<Stream> {
  const { clusters, users } = load(readFileSync(kubeconfig, 'utf8')) as Record<string, [Record<string, Record<string, string>>]>
  const pem = (data: string | undefined): Buffer => Buffer.from(data ?? '', 'base64')
  const session = connect(url, {
    ca: pem(clusters?.[0].cluster?.['certificate-authority-data']),
    cert: pem(users?.[0].user?.['client-certificate-data']),
    key: pem(users?.[0].user?.['client-key-data']),
  })
  session.on('error', () => {})
  const asked = session.request({ ':path': `${CONFIG_MAPS}?watch=1` })
  const stream: Stream = {
    text: '',
    ended: new Promise(resolve => {
      let whole = false
      asked
        .on('end', () => {
          whole = true
        })
        .on('error', () => {})
        .on('close', () => {
          resolve(whole && asked.rstCode === 0 ? 'whole' : 'cut')
          session.close()
        })
    }),
  }
  asked.setEncoding('utf8').on('data', (part: string) => {
    stream.text += part
  })
  await once(asked, 'response')
  return stream
}
